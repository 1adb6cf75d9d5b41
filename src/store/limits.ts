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

/**
 * Units of an account that count toward a limit in a window. The window starts on a UTC day, such as 2026-11-23, or at
 * a minute, such as 2026-11-23T14:05.
 */
export type QuotaRow = { account_id: string; window_start: string; units: number }

/** Allocates as many units of a window as remain, at most `max`; none if fewer than `min` remain. */
export type QuotaAllocation = { account_id: string; window_start: string; limit: number; min: number; max: number }

/** The usage counters, and those of the limits. */
export type LimitStore = {
  addUsage(rows: readonly UsageRow[]): Promise<void>
  /** The rows of an account between two days, inclusive, newest day first. */
  listUsage(account_id: string, from: string, to: string): Promise<UsageRow[]>
  /** Adds units, also beyond the limit. A negative number returns allocated units, at most all. */
  addQuota(rows: readonly QuotaRow[]): Promise<void>
  /** Adds units, but not beyond the limit. Returns how many, and the units of the window after that. */
  allocate(request: QuotaAllocation): Promise<{ granted: number; units: number }>
  /** Returns the units of an account in a window. */
  quotaOf(account_id: string, window_start: string): Promise<number>
  /** Deletes the usage before a day, and the units before a day and a minute. */
  sweep(before: { usage: string; day: string; minute: string }): Promise<void>
}

/** Returns the units that an allocation gets if `used` units are already allocated. */
export function grantedUnits({ limit, min, max }: QuotaAllocation, used: number): number {
  const remaining = limit - used
  return remaining < min ? 0 : Math.max(0, Math.min(max, remaining))
}
