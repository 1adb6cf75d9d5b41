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

/** The requests and locations of an account that count toward the quota of a day. */
export type QuotaRow = { account_id: string; day: string; units: number }

/** The usage counters, and those of the daily quota. */
export type LimitStore = {
  addUsage(rows: readonly UsageRow[]): Promise<void>
  /** The rows of an account between two days, inclusive, newest day first. */
  listUsage(account_id: string, from: string, to: string): Promise<UsageRow[]>
  addQuota(rows: readonly QuotaRow[]): Promise<void>
  /** The units of an account on a day. */
  quotaOf(account_id: string, day: string): Promise<number>
  /** Deletes the rows of the days before. */
  sweep(before: { usage: string; quota: string }): Promise<void>
}
