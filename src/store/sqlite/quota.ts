import type { Database } from 'bun:sqlite'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** The requests and locations of an account that count toward the quota of a day. */
type QuotaUsage = { account_id: string; day: string; units: number }

/** The counters of the daily quota. */
export type QuotaStore = {
  /** Adds counts in one transaction. */
  add(rows: readonly QuotaUsage[]): void
  unitsOf(account_id: string, day: string): number
  sweep(before: string): void
}

/** Creates the quota store. All statements are prepared once. */
export function createQuotaStore(db: Database): QuotaStore {
  const add = db.query(
    `INSERT INTO quota_usage (account_id, day, units) VALUES ($account_id, $day, $units)
     ON CONFLICT DO UPDATE SET units = units + excluded.units`,
  )
  const unitsOf = db.query<{ units: number }, [string, string]>(
    'SELECT units FROM quota_usage WHERE account_id = ? AND day = ?',
  )
  const sweep = db.query('DELETE FROM quota_usage WHERE day < ?')
  return storeWithStorageErrors({
    add: (rows) =>
      db.transaction(() => {
        for (const row of rows) add.run(row)
      })(),
    unitsOf: (account_id, day) => unitsOf.get(account_id, day)?.units ?? 0,
    sweep: (before) => void sweep.run(before),
  })
}
