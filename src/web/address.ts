import { signal, type ReadonlySignal } from '@preact/signals'
import { pageOf, type PagePath } from './paths.ts'

/** Where in the dashboard somebody is: the address line, as a signal. */
export type Address = {
  /** The page, the parts of its path, and the query; `page` is null where there is none. */
  readonly at: ReadonlySignal<{ page: PagePath | null; parts: Record<string, string>; query: URLSearchParams }>
  /** To another page, as a link would. */
  go(path: string): void
  /** Changes the query of this page without a step in the history: what is shown stays what the address says. */
  note(query: Record<string, string | null>): void
  /** The same with a step: going back undoes it. */
  step(query: Record<string, string | null>): void
}

export function openAddress(window: Window): Address {
  const at = signal(read(window.location))
  const look = () => {
    at.value = read(window.location)
  }
  window.addEventListener('popstate', look)
  return {
    at,
    go(path) {
      window.history.pushState(null, '', path)
      look()
      window.scrollTo(0, 0)
    },
    note(changes) {
      window.history.replaceState(null, '', changed(window.location, changes))
      look()
    },
    step(changes) {
      window.history.pushState(null, '', changed(window.location, changes))
      look()
    },
  }
}

/** The address of this page with another query. */
function changed({ pathname, search }: Location, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  // Commas need no escaping in a query, and without it people can read the address.
  const text = query.toString().replaceAll('%2C', ',')
  return text === '' ? pathname : `${pathname}?${text}`
}

function read({ pathname, search }: Location) {
  const found = pageOf(pathname)
  return { page: found?.page ?? null, parts: found?.parts ?? {}, query: new URLSearchParams(search) }
}
