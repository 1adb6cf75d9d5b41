import type { ApiClient } from './api-client.ts'
import type { CatalogStore } from './catalog-store.ts'
import type { Router } from './router.ts'
import type { SessionState, CurrentUser } from './session.ts'
import type { Theme } from './theme.ts'
import type { UnitPreference } from './unit-preference.ts'

/** The services that every page uses. */
export type Dashboard = {
  api: ApiClient
  router: Router
  session: SessionState
  theme: Theme
  units: UnitPreference
  catalogStore: CatalogStore
}

/** The props of a page. Its path parameters and its query are in `dashboard.router.location`. */
export type PageProps = { dashboard: Dashboard }

/** What each tab of the account page receives: the dashboard and the signed-in user. */
export type AccountProps = PageProps & { user: CurrentUser }
