/**
 * One received address: the time (ms since 1970), the account, a keyed hash of the normalized address, and the outcome.
 */
export type GeocodeAuditRecord = {
  at: number
  account: string
  address_hash: Uint8Array
  outcome: string
  provider: string | null
  cached: boolean
}

/** A month that has audit records, such as `2026-11`. */
export type AuditMonth = { month: string; records: number }

/** The geocoding audit. The records of a month are deleted together. */
export type AuditStore = {
  /** Adds records to their months. A record of an earlier month than the newest one is added to the newest one. */
  add(records: readonly GeocodeAuditRecord[]): Promise<void>
  /** The months that have records, oldest first. */
  listMonths(): Promise<AuditMonth[]>
  /**
   * Deletes expired months, and moves the records of months in the future into the present one. Both happen only when
   * two sweeps agree, so that a clock that is wrong for a moment loses nothing.
   */
  sweep(now: Date): Promise<void>
}

/** The minimum retention of a record. */
export const auditRetention_days = 30

const day_ms = 86_400_000

/** Whether the end of a month is at least 30 days ago. */
export function isMonthExpired(month: string, now: Date): boolean {
  const [year, number] = month.split('-').map(Number)
  return Date.UTC(year!, number, 1) <= now.getTime() - auditRetention_days * day_ms
}

/** The month of a time in UTC, such as `2026-11`. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7)
}

/** The month that a record is added to: the one of its time, or the newest month with records if that is later. */
export function auditMonthOf({ at }: GeocodeAuditRecord, newestMonth: string | null): string {
  const month = monthOf(new Date(at))
  return newestMonth !== null && newestMonth > month ? newestMonth : month
}

/** The months that a sweep deletes if it is confirmed, and those in the future, which it moves into the present one. */
export function sweptMonthsOf(months: readonly string[], now: Date): { expired: string[]; future: string[] } {
  return {
    expired: months.filter((month) => isMonthExpired(month, now)),
    future: months.filter((month) => month > monthOf(now)),
  }
}
