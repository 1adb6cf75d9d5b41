import type { Address } from './address.ts'
import type { Api } from './api.ts'
import type { Library } from './library.ts'
import type { Look } from './look.ts'
import type { Session } from './session.ts'

/** What every page is handed. */
export type Dashboard = { api: Api; address: Address; session: Session; look: Look; library: Library }

/** A page: a function of the dashboard. The parts of its path and its query are at `address.at`. */
export type PageProps = { dashboard: Dashboard }
