import type { PageProps } from '../dashboard.ts'
import type { CurrentUser } from '../session.ts'

/** What each tab of the account page receives: the dashboard and the signed-in user. */
export type AccountProps = PageProps & { user: CurrentUser }
