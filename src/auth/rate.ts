import { ApiError } from '../model/error.ts'
import type { Account } from './accounts.ts'
import type { Usage } from './usage.ts'

/** How much an account may ask for: requests a minute, and a day. Off where nothing is set. */
export type Rate = {
  /** Counts a request. Throws `rate_limited` or `quota_exceeded`. */
  admit(account: Account): void
  /** The headers that tell an account where it stands: RateLimit-Policy and RateLimit. */
  headers(account: Account): Record<string, string>
}

type Means = { per_minute: number; per_day: number; usage: Pick<Usage, 'requestsToday'>; now: () => Date }
type Policy = { name: 'minute' | 'day'; limit: number; window_s: number; code: 'rate_limited' | 'quota_exceeded' }
type Window = { count: number; until: number }

const minute_ms = 60_000
const day_ms = 86_400_000

/** Counts in windows of a minute and of a day, for each account; 0 is no limit. */
export function openRate({ per_minute, per_day, usage, now }: Means): Rate {
  const policies = ([
    { name: 'minute', limit: per_minute, window_s: 60, code: 'rate_limited' },
    { name: 'day', limit: per_day, window_s: 86_400, code: 'quota_exceeded' },
  ] as const).filter(({ limit }) => limit > 0)
  const windows = new Map<string, Window>()
  const announced = policies.map(({ name, limit, window_s }) => `"${name}";q=${limit};w=${window_s}`).join(', ')
  return {
    admit(account) {
      for (const policy of policies) mustHave(policy, windowOf(policy, account))
      for (const policy of policies) windowOf(policy, account).count++
    },
    headers(account) {
      if (policies.length === 0) return {}
      const standing = policies.map((policy) => {
        const window = windowOf(policy, account)
        return `"${policy.name}";r=${Math.max(0, policy.limit - window.count)};t=${secondsTo(window)}`
      })
      return { 'ratelimit-policy': announced, ratelimit: standing.join(', ') }
    },
  }

  /** A day is that of UTC, and goes on after a restart with what was counted before it. No window ends later than one that begins now: the clock was set back. */
  function windowOf({ name, window_s }: Policy, { id }: Account): Window {
    const key = `${name} ${id}`
    const time = now().getTime()
    const it = windows.get(key)
    if (it && it.until > time && it.until <= time + window_s * 1000) return it
    const made = name === 'minute' ? { count: 0, until: time + minute_ms } : { count: usage.requestsToday(id), until: (Math.floor(time / day_ms) + 1) * day_ms }
    windows.set(key, made)
    return made
  }

  function mustHave({ name, limit, code }: Policy, window: Window): void {
    if (window.count < limit) return
    const reset_s = secondsTo(window)
    throw new ApiError(code, `${limit} requests a ${name} are allowed: the next is answered in ${reset_s} s.`, { policy: name, limit, reset_s, retry_after_s: reset_s })
  }

  function secondsTo({ until }: Window): number {
    return Math.max(1, Math.ceil((until - now().getTime()) / 1000))
  }
}
