import type { Router } from './router.ts'
import type { ApiClient } from './api-client.ts'
import type { CatalogStore } from './catalog-store.ts'
import type { Theme } from './theme.ts'
import type { SessionState } from './session.ts'

/** What every page is handed. */
export type Dashboard = {
  api: ApiClient
  router: Router
  session: SessionState
  theme: Theme
  catalogStore: CatalogStore
}

/** A page: a function of the dashboard. The parts of its path and its query are at `address.at`. */
export type PageProps = { dashboard: Dashboard }
