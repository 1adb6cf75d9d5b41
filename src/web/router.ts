import { signal, type ReadonlySignal } from '@preact/signals'
import { matchPage, type PagePath } from './paths.ts'

/** The current location within the dashboard, as a signal. A plain click on a link to a page does not reload. */
export type Router = {
  /** The page, its path parameters and the query; `page` is null when no page matches. */
  readonly location: ReadonlySignal<{ page: PagePath | null; parts: Record<string, string>; query: URLSearchParams }>
  /** Opens another page, as a link does. */
  navigate(path: string): void
  /** Changes the query of this page without adding a history entry. */
  replaceQuery(query: Record<string, string | null>): void
  /** Changes the query and adds a history entry, so that Back undoes it. */
  pushQuery(query: Record<string, string | null>): void
}

export function createRouter(window: Window): Router {
  const location = signal(locationOf(window.location))
  const update = () => {
    location.value = locationOf(window.location)
  }
  const navigate = (path: string) => {
    window.history.pushState(null, '', path)
    update()
    window.scrollTo(0, 0)
  }
  window.addEventListener('popstate', update)
  window.document.addEventListener('click', (event) => {
    const path = clickedPage(event, window.location)
    if (path === null) return
    event.preventDefault()
    navigate(path)
  })
  return {
    location,
    navigate,
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

/** Returns the page of the link that a plain click follows; null for other links, and for clicks that open a tab. */
function clickedPage(event: MouseEvent, { origin }: Location): string | null {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented, target } = event
  if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return null
  const link = target instanceof Element ? target.closest('a') : null
  if (!link || link.target !== '' || link.hasAttribute('download') || link.hash !== '') return null
  return link.origin === origin && matchPage(link.pathname) ? link.pathname + link.search : null
}

/** Returns the URL of this page with some query parameters changed. */
function urlWithQuery({ pathname, search }: Location, changes: Record<string, string | null>): string {
  return urlOf(pathname, { ...Object.fromEntries(new URLSearchParams(search)), ...changes })
}

/** Returns a URL with a query. Parameters that are null are left out. */
export function urlOf(path: string, query: Record<string, string | null>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null)
  // Commas are legal in a query. Leaving them unescaped keeps the URL readable.
  const queryText = new URLSearchParams(given).toString().replaceAll('%2C', ',')
  return queryText === '' ? path : `${path}?${queryText}`
}

function locationOf({ pathname, search }: Location) {
  const match = matchPage(pathname)
  return { page: match?.page ?? null, parts: match?.parts ?? {}, query: new URLSearchParams(search) }
}
