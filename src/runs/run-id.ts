const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeLength = 10
const randomLength = 16
const runIdPattern = /^run_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Returns a new run id, `run_` and a ULID. Ids sort by creation time. */
export function createRunId(now: Date, randomBytes: (size: number) => Uint8Array): string {
  const random = Array.from(randomBytes(randomLength), (byte) => alphabet[byte % alphabet.length]).join('')
  return `run_${timeText(now.getTime())}${random}`
}

/** Whether a text has the format of a run id. */
export function isRunId(text: string): boolean {
  return runIdPattern.test(text)
}

function timeText(ms: number): string {
  let rest = ms
  let text = ''
  for (let i = 0; i < timeLength; i++) {
    text = alphabet[rest % alphabet.length]! + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}

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
