import { render } from 'preact'
import { createRouter } from './router.ts'
import { createApiClient } from './api-client.ts'
import { createCatalogStore } from './catalog-store.ts'
import { createTheme } from './theme.ts'
import { createSession } from './session.ts'
import { Shell } from './shell.tsx'
import { installTrustedTypesPolicy } from './trusted.ts'

installTrustedTypesPolicy()
const api = createApiClient()
const session = createSession(api)
const dashboard = {
  api,
  session,
  router: createRouter(window),
  theme: createTheme(window),
  catalogStore: createCatalogStore(api),
}
void session.refresh()
render(<Shell dashboard={dashboard} />, document.querySelector('#page')!)
