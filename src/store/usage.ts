import type { Database } from 'bun:sqlite'

/** What an account asked for on one day at one endpoint; `source` is empty for the endpoint as a whole. */
export type UsageRow = {
  account_id: string
  day: string
  endpoint: string
  source: string
  requests: number
  fields: number
  metered_calls: number
}

/** Where usage is kept. */
export type UsageStore = {
  /** Adds counts to what is there, all at once. */
  add(rows: readonly UsageRow[]): void
  /** The rows of an account from one day to another, newest day first. */
  listUsage(account_id: string, from: string, to: string): UsageRow[]
  /** Requests of a day, at all endpoints. */
  countRequests(account_id: string, day: string): number
  sweep(before: string): void
}

/** Prepares every statement once. */
export function createUsageStore(db: Database): UsageStore {
  const add = db.query(
    `INSERT INTO usage (account_id, day, endpoint, source, requests, fields, metered_calls)
     VALUES ($account_id, $day, $endpoint, $source, $requests, $fields, $metered_calls)
     ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, fields = fields + excluded.fields, metered_calls = metered_calls + excluded.metered_calls`,
  )
  const listUsage = db.query<UsageRow, [string, string, string]>(
    'SELECT * FROM usage WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, endpoint, source',
  )
  const countRequests = db.query<{ requests: number | null }, [string, string]>(
    "SELECT sum(requests) AS requests FROM usage WHERE account_id = ? AND day = ? AND source = ''",
  )
  const sweep = db.query('DELETE FROM usage WHERE day < ?')
  return {
    add: (rows) =>
      db.transaction(() => {
        for (const row of rows) add.run(row)
      })(),
    listUsage: (account_id, from, to) => listUsage.all(account_id, from, to),
    countRequests: (account_id, day) => countRequests.get(account_id, day)?.requests ?? 0,
    sweep: (before) => void sweep.run(before),
  }
}
