import { ApiError } from '../model/error.ts'
import type { Account } from './accounts.ts'
import type { UsageMeter } from './usage-meter.ts'

/** Limits the requests of an account per minute and per day. */
export type RateLimiter = {
  /** Counts a request. Throws `rate_limited` or `quota_exceeded`; a rejected request is not counted. */
  admit(account: Account): void
  /** Counts a request that is rejected for a reason other than the limit, even if the limit is reached. */
  count(account: Account): void
  /** Returns the RateLimit-Policy and RateLimit headers of an account. */
  headers(account: Account): Record<string, string>
}

type Deps = { per_minute: number; per_day: number; usage: Pick<UsageMeter, 'requestsToday'>; now: () => Date }
type Policy = { name: 'minute' | 'day'; limit: number; window_s: number; code: 'rate_limited' | 'quota_exceeded' }
type Window = { count: number; until: number }

const minute_ms = 60_000
const day_ms = 86_400_000

/** Creates a limiter with fixed windows of one minute and one UTC day per account. A limit of 0 is off. */
export function createRateLimiter({ per_minute, per_day, usage, now }: Deps): RateLimiter {
  const policies = (
    [
      { name: 'minute', limit: per_minute, window_s: 60, code: 'rate_limited' },
      { name: 'day', limit: per_day, window_s: 86_400, code: 'quota_exceeded' },
    ] as const
  ).filter(({ limit }) => limit > 0)
  const windows = new Map<string, Window>()
  const policyHeader = policies.map(({ name, limit, window_s }) => `"${name}";q=${limit};w=${window_s}`).join(', ')
  return {
    admit(account) {
      for (const policy of policies) requireRemaining(policy, windowOf(policy, account))
      count(account)
    },
    count,
    headers(account) {
      if (policies.length === 0) return {}
      const remaining = policies.map((policy) => {
        const window = windowOf(policy, account)
        return `"${policy.name}";r=${Math.max(0, policy.limit - window.count)};t=${secondsUntilReset(window)}`
      })
      return { 'ratelimit-policy': policyHeader, ratelimit: remaining.join(', ') }
    },
  }

  function count(account: Account): void {
    for (const policy of policies) windowOf(policy, account).count++
  }

  /**
   * Returns the current window. After a restart the day window starts with the stored count. A window that ends later
   * than a new one would is discarded, because the clock was set back.
   */
  function windowOf({ name, window_s }: Policy, { id }: Account): Window {
    const key = `${name} ${id}`
    const time = now().getTime()
    const current = windows.get(key)
    if (current && current.until > time && current.until <= time + window_s * 1000) return current
    const fresh =
      name === 'minute'
        ? { count: 0, until: time + minute_ms }
        : { count: usage.requestsToday(id), until: (Math.floor(time / day_ms) + 1) * day_ms }
    windows.set(key, fresh)
    return fresh
  }

  function requireRemaining({ name, limit, code }: Policy, window: Window): void {
    if (window.count < limit) return
    const reset_s = secondsUntilReset(window)
    throw new ApiError(code, `Rate limit of ${limit} requests per ${name} reached. Try again in ${reset_s} s.`, {
      policy: name,
      limit,
      reset_s,
      retry_after_s: reset_s,
    })
  }

  function secondsUntilReset({ until }: Window): number {
    return Math.max(1, Math.ceil((until - now().getTime()) / 1000))
  }
}
