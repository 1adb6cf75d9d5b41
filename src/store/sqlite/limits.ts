import { grantedUnits, type LimitStore, type QuotaRow, type UsageRow } from '../limits.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Creates the limit store. All statements are prepared once. */
export function createLimitStore({ db, read, write }: SqliteTransactions): LimitStore {
  const addUsage = db.query<unknown, [UsageRow]>(
    `INSERT INTO usage (account_id, day, endpoint, source, requests, fields, metered_calls)
     VALUES ($account_id, $day, $endpoint, $source, $requests, $fields, $metered_calls)
     ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, fields = fields + excluded.fields,
       metered_calls = metered_calls + excluded.metered_calls`,
  )
  const listUsage = db.query<UsageRow, [string, string, string]>(
    'SELECT * FROM usage WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, endpoint, source',
  )
  const addQuota = db.query<unknown, [QuotaRow]>(
    `INSERT INTO quota_usage (account_id, day, units) VALUES ($account_id, $window_start, $units)
     ON CONFLICT DO UPDATE SET units = max(0, units + excluded.units)`,
  )
  const quotaOf = db.query<{ units: number }, [string, string]>(
    'SELECT units FROM quota_usage WHERE account_id = ? AND day = ?',
  )
  const sweepUsage = db.query('DELETE FROM usage WHERE day < ?')
  const sweepQuota = db.query("DELETE FROM quota_usage WHERE day < ? OR (day LIKE '%T%' AND day < ?)")
  const unitsOf = (account_id: string, window_start: string) => quotaOf.get(account_id, window_start)?.units ?? 0
  return {
    addUsage: (rows) => write(() => rows.forEach((row) => addUsage.run(row))),
    listUsage: (account_id, from, to) => read(() => listUsage.all(account_id, from, to)),
    addQuota: (rows) => write(() => rows.forEach((row) => addQuota.run(row))),
    allocate: (request) =>
      write(() => {
        const { account_id, window_start } = request
        const used = unitsOf(account_id, window_start)
        const granted = grantedUnits(request, used)
        if (granted > 0) addQuota.run({ account_id, window_start, units: granted })
        return { granted, units: used + granted }
      }),
    quotaOf: (account_id, window_start) => read(() => unitsOf(account_id, window_start)),
    sweep: ({ usage, day, minute }) =>
      write(() => {
        sweepUsage.run(usage)
        sweepQuota.run(day, minute)
      }),
  }
}
