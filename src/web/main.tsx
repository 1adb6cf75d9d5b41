/**
 * The dashboard in the browser: one folder for each page, and `components/`, `map/` and `style/` that they share.
 * `guide/` has the text of the guide.
 */
import { render } from 'preact'
import { createApiClient } from './api-client.ts'
import { createCatalogStore } from './catalog-store.ts'
import { createRouter } from './router.ts'
import { createSession } from './session.ts'
import { Shell } from './shell.tsx'
import { createTheme } from './theme.ts'
import { createUnitPreference } from './unit-preference.ts'

installTrustedTypesPolicy()
const api = createApiClient()
const session = createSession(api)
const router = createRouter(window)
const dashboard = {
  api,
  session,
  router,
  theme: createTheme(window),
  units: createUnitPreference(window, router),
  catalogStore: createCatalogStore(api),
}
void session.refresh()
render(<Shell dashboard={dashboard} />, document.querySelector('#page')!)

type TrustedTypes = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): unknown }

/**
 * The content security policy blocks text from becoming markup or scripts. This allows scripts of this server,
 * which the map engine needs to start its worker.
 */
function installTrustedTypesPolicy(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', { createScriptURL: requireOwnScript })
}

function requireOwnScript(url: string): string {
  const { origin, pathname } = new URL(url, window.location.href)
  if (origin === window.location.origin && pathname.startsWith('/assets/')) return url
  throw new TypeError(`The script ${url} does not belong to this page and was not loaded.`)
}
