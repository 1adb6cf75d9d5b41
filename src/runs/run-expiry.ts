/** How long a run is stored. */
export const runRetention_days = 30
/** How long an idempotency key identifies the same run. */
const keyRetention_hours = 24

const hour_ms = 3_600_000

/** The expiry of a run, 30 × 24 hours after its creation, regardless of daylight saving time. */
export function runExpiryOf(created_at: number): number {
  return created_at + runRetention_days * 24 * hour_ms
}

/** Whether a run can still be read: strictly before it expires. */
export function isBeforeExpiry(expires_at: number, now: number): boolean {
  return now < expires_at
}

/** The time after which a used idempotency key is still valid. */
export function oldestValidKeyTime(now: number): number {
  return now - keyRetention_hours * hour_ms
}
