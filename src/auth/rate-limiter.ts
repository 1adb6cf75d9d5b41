import { allOf, andThen, type MaybePromise } from '../async/maybe-promise.ts'
import { ApiError } from '../model/error.ts'
import type { LimitStore } from '../store/accounts/limits.ts'
import type { Account } from './accounts.ts'
import { QuotaCounter, type LimitWindow } from './quota-counter.ts'
import { utcDayOf } from './usage-meter.ts'

/** Limits the requests of an account per minute, and its requests and locations per day. */
export type RateLimiter = {
  /** Whether `prepare` reserves units. */
  hasReservations: boolean
  /**
   * Prepares a request of an account, before it is admitted. Waits only for the first request of a window, or if the
   * server must allocate units that it shares with other servers. Call the returned function, if there is one, when the
   * request is admitted or has ended.
   */
  prepare(account: Account): MaybePromise<(() => void) | undefined>
  /**
   * Counts a request per minute and, with `both`, toward the daily quota. Throws `rate_limited` or `quota_exceeded`; a
   * rejected request is not counted.
   */
  admit(account: Account, limits: 'both' | 'minute'): void
  /** Counts locations toward the daily quota, and returns a function that takes them back. Throws `quota_exceeded`. */
  admitLocations(account: Account, locations: number): Promise<() => void>
  /** Counts a request that is rejected for a reason other than the limit, even if the limit is reached. */
  count(account: Account): void
  /** Returns the RateLimit-Policy and RateLimit headers of an account. */
  headers(account: Account): Record<string, string>
  /** Writes the counts that are stored, and returns the units that are not used. */
  flush(): Promise<void>
}

/** `rate_limit` is per minute, `daily_quota` per day. 0 means no limit. `isShared`: other servers use the database. */
type Deps = {
  rate_limit: number
  daily_quota: number
  isShared?: boolean
  store: LimitStore
  now: () => Date
  /** A clock that is never set back, in milliseconds. */
  monotonic_ms?: () => number
}

/** Counts the units of accounts in the current window of a limit. */
type UnitCounter = Pick<QuotaCounter, 'has' | 'add'> & {
  remaining(account_id: string): { units: number; window: WindowEnd }
}
type WindowEnd = Pick<LimitWindow, 'end_ms'>
type Limit = {
  name: 'minute' | 'day'
  limit: number
  window_s: number
  code: 'rate_limited' | 'quota_exceeded'
  counter: UnitCounter
}

const minute_ms = 60_000
const day_ms = 86_400_000

/**
 * Creates a limiter with windows of one minute and one UTC day per account. The counts of the day are in the database,
 * so that they survive a restart. A single server counts the minutes in memory, and a minute begins with a request. If
 * several servers share the database, they also share the counts of each minute of the clock.
 */
export function createRateLimiter(deps: Deps): RateLimiter {
  const { rate_limit, daily_quota, isShared = false, store, now, monotonic_ms = () => performance.now() } = deps
  const createQuotaCounter = (limit: number, currentWindow: () => LimitWindow) =>
    new QuotaCounter({ store, isShared, limit, currentWindow, monotonic_ms })
  const sharedMinute = isShared ? createQuotaCounter(rate_limit, createWindowClock(now, minute_ms, utcMinuteOf)) : null
  const dailyUnits = createQuotaCounter(daily_quota, createWindowClock(now, day_ms, utcDayOf))
  const minute: Limit = {
    name: 'minute',
    limit: rate_limit,
    window_s: 60,
    code: 'rate_limited',
    counter: sharedMinute ?? createMinuteCounter(rate_limit, now),
  }
  const day: Limit = {
    name: 'day',
    limit: daily_quota,
    window_s: 86_400,
    code: 'quota_exceeded',
    counter: dailyUnits,
  }
  const storedCounters = [
    ...(sharedMinute && rate_limit > 0 ? [sharedMinute] : []),
    ...(daily_quota > 0 ? [dailyUnits] : []),
  ]
  const activeLimits = [minute, day].filter(({ limit }) => limit > 0)
  const policyHeader = activeLimits.map(({ name, limit, window_s }) => `"${name}";q=${limit};w=${window_s}`).join(', ')
  return {
    hasReservations: storedCounters.length > 0,
    prepare: ({ id }) => (storedCounters.length === 0 ? undefined : reserveUnits(storedCounters, id)),
    admit({ id }, limits) {
      const checkedLimits = limits === 'both' ? activeLimits : activeLimits.filter((it) => it === minute)
      for (const it of checkedLimits) if (!it.counter.has(id, 1)) throw limitError(it, id, 1, now())
      for (const { counter } of checkedLimits) counter.add(id, 1)
    },
    async admitLocations({ id }, locations) {
      if (daily_quota === 0) return () => {}
      if (!(await dailyUnits.take(id, locations))) throw limitError(day, id, locations, now())
      const { window } = dailyUnits.remaining(id)
      return () => {
        if (dailyUnits.remaining(id).window.start === window.start) dailyUnits.add(id, -locations)
      }
    },
    count({ id }) {
      for (const { counter } of activeLimits) counter.add(id, 1)
    },
    headers({ id }) {
      if (activeLimits.length === 0) return {}
      const time = now()
      const remaining = activeLimits.map(({ name, counter }) => {
        const { units, window } = counter.remaining(id)
        return `"${name}";r=${units};t=${secondsUntilReset(window, time)}`
      })
      return { 'ratelimit-policy': policyHeader, ratelimit: remaining.join(', ') }
    },
    async flush() {
      await Promise.all(storedCounters.map((it) => it.flush()))
    },
  }
}

/** Reserves a unit of each limit. Returns a function that ends the reservations. */
function reserveUnits(limits: readonly QuotaCounter[], account_id: string): MaybePromise<() => void> {
  const reservations = limits.map((it) => it.reserve(account_id))
  const reserved = allOf(reservations)
  // If one reservation fails, the others must end.
  if (reserved instanceof Promise)
    reserved.catch(() => {
      for (const it of reservations)
        void Promise.resolve(it).then(
          (release) => release(),
          () => {},
        )
    })
  return andThen(reserved, (releases) => () => {
    for (const release of releases) release()
  })
}

/** Returns a function that returns the current window, which is made once, because every request needs it. */
function createWindowClock(now: () => Date, length_ms: number, startOf: (time: Date) => string): () => LimitWindow {
  let current: LimitWindow & { number: number } = { number: NaN, start: '', end_ms: 0 }
  return () => {
    const time = now()
    const number = Math.floor(time.getTime() / length_ms)
    if (number !== current.number) current = { number, start: startOf(time), end_ms: (number + 1) * length_ms }
    return current
  }
}

/** Returns the UTC minute of a time, such as 2026-11-23T14:05. */
export function utcMinuteOf(time: Date): string {
  return time.toISOString().slice(0, 16)
}

/** Counts requests in memory. The minute of an account begins with its first request. */
function createMinuteCounter(limit: number, now: () => Date): UnitCounter {
  const windows = new Map<string, MinuteWindow>()
  return {
    has: (account_id, units) => windowOf(account_id).count + units <= limit,
    add: (account_id, units) => void (windowOf(account_id).count += units),
    remaining(account_id) {
      const window = windowOf(account_id)
      return { units: Math.max(0, limit - window.count), window }
    },
  }

  /** A window that ends later than a new one would is discarded, because the clock was set back. */
  function windowOf(account_id: string): MinuteWindow {
    const time = now().getTime()
    const current = windows.get(account_id)
    if (current && current.end_ms > time && current.end_ms <= time + minute_ms) return current
    const fresh = { count: 0, end_ms: time + minute_ms }
    windows.set(account_id, fresh)
    return fresh
  }
}

type MinuteWindow = WindowEnd & { count: number }

function limitError({ name, limit, code, counter }: Limit, account_id: string, units: number, now: Date): ApiError {
  const remaining = counter.remaining(account_id)
  const reset_s = secondsUntilReset(remaining.window, now)
  const message =
    units === 1
      ? `Rate limit of ${limit} requests per ${name} reached.`
      : `This run has ${units} locations, but only ${remaining.units} of the daily quota of ${limit} remain.`
  return new ApiError(code, `${message} Try again in ${reset_s} s.`, {
    policy: name,
    limit,
    reset_s,
    retry_after_s: reset_s,
  })
}

function secondsUntilReset({ end_ms }: WindowEnd, now: Date): number {
  return Math.max(1, Math.ceil((end_ms - now.getTime()) / 1000))
}
