import { utcDayOf } from '../../src/auth/usage-meter.ts'
import type { App } from '../../src/app.ts'

/** Returns the requests of an account today, at all endpoints, from its usage. */
export async function requestsToday(
  { access: { usage }, now }: Pick<App, 'access' | 'now'>,
  account_id: string,
): Promise<number> {
  const today = utcDayOf(now())
  const rows = await usage.rowsBetween(account_id, today, today)
  return rows.reduce((sum, { source, requests }) => sum + (source === '' ? requests : 0), 0)
}
