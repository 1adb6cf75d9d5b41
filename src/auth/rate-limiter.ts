import type { MaybePromise } from '../async/maybe-promise.ts'
import { ApiError } from '../model/error.ts'
import type { LimitStore } from '../store/limits.ts'
import type { Account } from './accounts.ts'
import { utcDayOf } from './usage-meter.ts'

/** Limits the requests of an account per minute, and its requests and locations per day. */
export type RateLimiter = {
  /** Loads the stored count of the day, before the first request of an account. Else there is nothing to wait for. */
  prepare(account: Account): MaybePromise<void>
  /**
   * Counts a request per minute and, with `both`, toward the daily quota. Throws `rate_limited` or `quota_exceeded`; a
   * rejected request is not counted.
   */
  admit(account: Account, limits: 'both' | 'minute'): void
  /** Counts locations toward the daily quota, and returns a function that takes them back. Throws `quota_exceeded`. */
  admitLocations(account: Account, locations: number): () => void
  /** Counts a request that is rejected for a reason other than the limit, even if the limit is reached. */
  count(account: Account): void
  /** Returns the RateLimit-Policy and RateLimit headers of an account. */
  headers(account: Account): Record<string, string>
  /** Writes the counts of the daily quota. A failed write keeps them for the next flush. */
  flush(): Promise<void>
}

/** `rate_limit` is per minute, `daily_quota` per day. 0 means no limit. */
type Deps = { rate_limit: number; daily_quota: number; store: LimitStore; now: () => Date }
type Policy = { name: 'minute' | 'day'; limit: number; window_s: number; code: 'rate_limited' | 'quota_exceeded' }
type Window = { count: number; until: number }

const minute_ms = 60_000
const day_ms = 86_400_000

/**
 * Creates a limiter with fixed windows of one minute and one UTC day per account. The counts of the day are kept in the
 * database, so that they survive a restart.
 */
export function createRateLimiter({ rate_limit, daily_quota, store, now }: Deps): RateLimiter {
  const minute: Policy = { name: 'minute', limit: rate_limit, window_s: 60, code: 'rate_limited' }
  const day: Policy = { name: 'day', limit: daily_quota, window_s: 86_400, code: 'quota_exceeded' }
  const policies = [minute, day].filter(({ limit }) => limit > 0)
  const windows = { minute: new Map<string, Window>(), day: new Map<string, Window>() }
  const today = createDayClock(now)
  const quota = createQuotaCounter(store, today)
  const policyHeader = policies.map(({ name, limit, window_s }) => `"${name}";q=${limit};w=${window_s}`).join(', ')
  return {
    prepare: ({ id }) => (day.limit === 0 ? undefined : quota.load(id)),
    admit(account, limits) {
      const applied = limits === 'both' ? [minute, day] : [minute]
      for (const policy of applied) requireRemaining(policy, account, 1)
      for (const policy of applied) add(policy, account, 1)
    },
    admitLocations(account, locations) {
      const admittedOn = today()
      requireRemaining(day, account, locations)
      add(day, account, locations)
      return () => {
        if (today() === admittedOn) add(day, account, -locations)
      }
    },
    count(account) {
      add(minute, account, 1)
      add(day, account, 1)
    },
    headers(account) {
      if (policies.length === 0) return {}
      const time = now()
      const remaining = policies.map((policy) => {
        const window = windowOf(policy, account, time)
        return `"${policy.name}";r=${Math.max(0, policy.limit - window.count)};t=${secondsUntilReset(window, time)}`
      })
      return { 'ratelimit-policy': policyHeader, ratelimit: remaining.join(', ') }
    },
    flush: quota.flush,
  }

  function add(policy: Policy, account: Account, units: number): void {
    if (policy.limit === 0) return
    windowOf(policy, account).count += units
    if (policy === day) quota.add(account.id, units)
  }

  /**
   * Returns the current window. After a restart the day window starts with the stored count. A window that ends later
   * than a new one would is discarded, because the clock was set back.
   */
  function windowOf({ name, window_s }: Policy, { id }: Account, at = now()): Window {
    const time = at.getTime()
    const current = windows[name].get(id)
    if (current && current.until > time && current.until <= time + window_s * 1000) return current
    const fresh =
      name === 'minute'
        ? { count: 0, until: time + minute_ms }
        : { count: quota.unitsToday(id), until: (Math.floor(time / day_ms) + 1) * day_ms }
    windows[name].set(id, fresh)
    return fresh
  }

  function requireRemaining(policy: Policy, account: Account, units: number): void {
    const { name, limit, code } = policy
    if (limit === 0) return
    const window = windowOf(policy, account)
    if (window.count + units <= limit) return
    const reset_s = secondsUntilReset(window, now())
    const remaining = Math.max(0, limit - window.count)
    throw new ApiError(code, `${limitMessage(policy, units, remaining)} Try again in ${reset_s} s.`, {
      policy: name,
      limit,
      reset_s,
      retry_after_s: reset_s,
    })
  }
}

function secondsUntilReset({ until }: Window, now: Date): number {
  return Math.max(1, Math.ceil((until - now.getTime()) / 1000))
}

/** Returns a function that returns the UTC day. Its text is made once a day, because every request needs it. */
function createDayClock(now: () => Date): () => string {
  let current = { number: NaN, text: '' }
  return () => {
    const time = now()
    const number = Math.floor(time.getTime() / day_ms)
    if (number !== current.number) current = { number, text: utcDayOf(time) }
    return current.text
  }
}

/** Counts the units of accounts per UTC day in memory, on top of the stored counts. */
function createQuotaCounter(store: LimitStore, today: () => string) {
  /** The stored counts of today, by account. */
  let stored = { day: '', units: new Map<string, number>() }
  /** The counts that are not written yet, by day and account. */
  const unwritten = new Map<string, { account_id: string; day: string; units: number }>()
  return {
    load(account_id: string): MaybePromise<void> {
      const day = today()
      if (stored.day !== day) stored = { day, units: new Map() }
      const { units } = stored
      if (units.has(account_id)) return
      return store.quotaOf(account_id, day).then((count) => void units.set(account_id, count))
    },
    add(account_id: string, units: number): void {
      const day = today()
      const key = `${day} ${account_id}`
      const row = unwritten.get(key)
      if (row) row.units += units
      else unwritten.set(key, { account_id, day, units })
    },
    unitsToday(account_id: string): number {
      const day = today()
      const storedUnits = stored.day === day ? (stored.units.get(account_id) ?? 0) : 0
      return storedUnits + (unwritten.get(`${day} ${account_id}`)?.units ?? 0)
    },
    async flush(): Promise<void> {
      const rows = [...unwritten].map(([key, row]) => [key, { ...row }] as const)
      if (rows.length === 0) return
      await store.addQuota(rows.map(([, row]) => row))
      for (const [key, { account_id, day, units }] of rows) {
        if (stored.day === day && stored.units.has(account_id))
          stored.units.set(account_id, stored.units.get(account_id)! + units)
        const row = unwritten.get(key)!
        if (row.units === units) unwritten.delete(key)
        else unwritten.set(key, { ...row, units: row.units - units })
      }
    },
  }
}

function limitMessage({ name, limit }: Policy, units: number, remaining: number): string {
  return units === 1
    ? `Rate limit of ${limit} requests per ${name} reached.`
    : `This run has ${units} locations, but only ${remaining} of the daily quota of ${limit} remain.`
}
