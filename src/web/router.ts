import { signal, type ReadonlySignal } from '@preact/signals'
import { matchPage, type PagePath } from './paths.ts'

/** Where in the dashboard somebody is: the address line, as a signal. */
export type Router = {
  /** The page, the parts of its path, and the query; `page` is null where there is none. */
  readonly location: ReadonlySignal<{ page: PagePath | null; parts: Record<string, string>; query: URLSearchParams }>
  /** To another page, as a link would. */
  navigate(path: string): void
  /** Changes the query of this page without a step in the history: what is shown stays what the address says. */
  replaceQuery(query: Record<string, string | null>): void
  /** The same with a step: going back undoes it. */
  pushQuery(query: Record<string, string | null>): void
}

export function createRouter(window: Window): Router {
  const location = signal(locationOf(window.location))
  const update = () => {
    location.value = locationOf(window.location)
  }
  window.addEventListener('popstate', update)
  return {
    location,
    navigate(path) {
      window.history.pushState(null, '', path)
      update()
      window.scrollTo(0, 0)
    },
    replaceQuery(changes) {
      window.history.replaceState(null, '', urlWithQuery(window.location, changes))
      update()
    },
    pushQuery(changes) {
      window.history.pushState(null, '', urlWithQuery(window.location, changes))
      update()
    },
  }
}

/** The address of this page with another query. */
function urlWithQuery({ pathname, search }: Location, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  // Commas need no escaping in a query, and without it people can read the address.
  const queryText = query.toString().replaceAll('%2C', ',')
  return queryText === '' ? pathname : `${pathname}?${queryText}`
}

function locationOf({ pathname, search }: Location) {
  const match = matchPage(pathname)
  return { page: match?.page ?? null, parts: match?.parts ?? {}, query: new URLSearchParams(search) }
}
