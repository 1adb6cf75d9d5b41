import { clientNetworksOf } from '../net/client-network.ts'
import type { LimitStore, QuotaRow } from '../store/accounts/limits.ts'
import { utcMinuteOf } from './rate-limiter.ts'

/**
 * Counts attempts per key within a time window. The number of keys is bounded. A key that is an IPv6 address counts for
 * its /64 network, and for its /48 network with a higher limit.
 */
export type Throttle = {
  /** Reports whether the key has attempts left. */
  allows(key: string): boolean
  /** Counts an attempt. */
  record(key: string): void
  reset(key: string): void
  /** Returns the seconds until the key has attempts again, at least 1. */
  retryAfter_s(key: string): number
}

const keysMax = 10_000
/** The attempts of a /48 network, in multiples of the limit of a /64 network. */
const networksPerSite = 4

type Options = { limit: number; window_ms: number; now: () => Date }

/** Creates a throttle of `limit` attempts per key. A window starts with the first attempt. */
export function createThrottle({ limit, window_ms, now }: Options): Throttle {
  const networks = createAttemptCounter({ limit, window_ms, now })
  const sites = createAttemptCounter({ limit: limit * networksPerSite, window_ms, now })
  return {
    allows: (key) => countersOf(key).every(([counter, name]) => counter.allows(name)),
    record(key) {
      for (const [counter, name] of countersOf(key)) counter.record(name)
    },
    reset(key) {
      for (const [counter, name] of countersOf(key)) counter.reset(name)
    },
    retryAfter_s(key) {
      const counters = countersOf(key)
      const blocking = counters.filter(([counter, name]) => !counter.allows(name))
      return Math.max(
        ...(blocking.length > 0 ? blocking : counters).map(([counter, name]) => counter.retryAfter_s(name)),
      )
    },
  }

  function countersOf(key: string): [counter: Throttle, name: string][] {
    const { own, site } = clientNetworksOf(key) ?? { own: key, site: null }
    return site === null
      ? [[networks, own]]
      : [
          [networks, own],
          [sites, site],
        ]
  }
}

function createAttemptCounter({ limit, window_ms, now }: Options): Throttle {
  const windows = new Map<string, { count: number; until: number }>()
  const currentWindow = (key: string) => {
    const [window, time] = [windows.get(key), now().getTime()]
    // A window that ends too far in the future was started before the clock was set back.
    return window && window.until > time && window.until <= time + window_ms ? window : null
  }
  return {
    allows: (key) => (currentWindow(key)?.count ?? 0) < limit,
    record(key) {
      const window = currentWindow(key)
      if (window) return void window.count++
      evictOldest()
      windows.delete(key)
      windows.set(key, { count: 1, until: now().getTime() + window_ms })
    },
    reset: (key) => void windows.delete(key),
    retryAfter_s: (key) => Math.max(1, Math.ceil(((currentWindow(key)?.until ?? 0) - now().getTime()) / 1000)),
  }

  function evictOldest(): void {
    const [oldest] = windows.keys()
    if (windows.size >= keysMax && oldest !== undefined) windows.delete(oldest)
  }
}

/** Counts failed attempts in the database, for all servers that share it. */
export type SharedThrottle = {
  /**
   * Counts an attempt for each key before it is made, because other servers may make attempts at the same time. Returns
   * the attempt, or the seconds until the keys allow attempts again.
   */
  begin(keys: readonly string[]): Promise<Attempt | { retryAfter_s: number }>
}

/** An attempt that was counted. */
type Attempt = {
  /** Takes the attempt back, because it succeeded. Also resets the count of the first key. */
  succeed(): Promise<void>
  /** Takes the attempt back, because it was not made. */
  cancel(): Promise<void>
}

/**
 * Creates a throttle of `limit` attempts per key in each window of the clock. `window_ms` is a number of whole minutes
 * that divides an hour.
 */
export function createSharedThrottle(
  store: Pick<LimitStore, 'allocate' | 'addQuota'>,
  { limit, window_ms, now }: Options,
): SharedThrottle {
  return {
    async begin(keys) {
      const time = now().getTime()
      const begin_ms = Math.floor(time / window_ms) * window_ms
      const window_start = utcMinuteOf(new Date(begin_ms))
      const limits = keys.flatMap((key) => {
        const { own, site } = clientNetworksOf(key) ?? { own: key, site: null }
        return [{ key: own, limit }, ...(site === null ? [] : [{ key: site, limit: limit * networksPerSite }])]
      })
      const counted: QuotaRow[] = []
      const cancel = () => store.addQuota(counted.map((row) => ({ ...row, units: -1 })))
      for (const { key, limit: keyLimit } of limits) {
        const account_id = `attempts ${new Bun.CryptoHasher('sha256').update(key).digest('hex')}`
        const { granted, units } = await store.allocate({ account_id, window_start, limit: keyLimit, min: 1, max: 1 })
        if (granted > 0) counted.push({ account_id, window_start, units: counted.length === 0 ? -units : -1 })
        else {
          await cancel()
          return { retryAfter_s: Math.max(1, Math.ceil((begin_ms + window_ms - time) / 1000)) }
        }
      }
      return { succeed: () => store.addQuota(counted), cancel }
    },
  }
}
