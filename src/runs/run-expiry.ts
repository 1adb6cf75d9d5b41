export const runRetention_days = 30
/** For so long the same key stands for the same run. */
const keyRetention_hours = 24

const hour_ms = 3_600_000

/** When a run that was submitted then disappears: after thirty times twenty-four hours, whatever calendars and clocks do in between. */
export function runExpiryOf(created_at: number): number {
  return created_at + runRetention_days * 24 * hour_ms
}

/** Whether a run can still be read: until the very instant at which it expires. */
export function isBeforeExpiry(expires_at: number, now: number): boolean {
  return now < expires_at
}

/** Keys that were used after this still count. */
export function oldestValidKeyTime(now: number): number {
  return now - keyRetention_hours * hour_ms
}
