import type { PageProps } from '../dashboard.ts'
import type { CurrentUser } from '../session.ts'

/** What each part of the account is handed: the dashboard, and whose account it is. */
export type AccountProps = PageProps & { user: CurrentUser }
