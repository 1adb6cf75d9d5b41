import { utcDayOf } from '../../src/auth/usage-meter.ts'
import type { App } from '../../src/app.ts'

/** Returns the requests of an account today, at all endpoints, from its usage. */
export function requestsToday({ access: { usage }, now }: Pick<App, 'access' | 'now'>, account_id: string): number {
  const today = utcDayOf(now())
  return usage
    .rowsBetween(account_id, today, today)
    .reduce((sum, { source, requests }) => sum + (source === '' ? requests : 0), 0)
}
