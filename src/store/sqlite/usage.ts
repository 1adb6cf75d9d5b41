import type { Database } from 'bun:sqlite'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** The usage of an account on one day at one endpoint. `source` is empty for the total of the endpoint. */
export type UsageRow = {
  account_id: string
  day: string
  endpoint: string
  source: string
  requests: number
  fields: number
  metered_calls: number
}

/** The usage counters. */
export type UsageStore = {
  /** Adds counts in one transaction. */
  add(rows: readonly UsageRow[]): void
  /** The rows of an account between two days, inclusive, newest day first. */
  listUsage(account_id: string, from: string, to: string): UsageRow[]
  sweep(before: string): void
}

/** Creates the usage store. All statements are prepared once. */
export function createUsageStore(db: Database): UsageStore {
  const add = db.query(
    `INSERT INTO usage (account_id, day, endpoint, source, requests, fields, metered_calls)
     VALUES ($account_id, $day, $endpoint, $source, $requests, $fields, $metered_calls)
     ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, fields = fields + excluded.fields, metered_calls = metered_calls + excluded.metered_calls`,
  )
  const listUsage = db.query<UsageRow, [string, string, string]>(
    'SELECT * FROM usage WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, endpoint, source',
  )
  const sweep = db.query('DELETE FROM usage WHERE day < ?')
  return storeWithStorageErrors({
    add: (rows) =>
      db.transaction(() => {
        for (const row of rows) add.run(row)
      })(),
    listUsage: (account_id, from, to) => listUsage.all(account_id, from, to),
    sweep: (before) => void sweep.run(before),
  })
}
