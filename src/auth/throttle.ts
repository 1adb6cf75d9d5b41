/** Counts attempts per key within a time window. The number of keys is bounded. */
export type Throttle = {
  /** Reports whether the key has attempts left. */
  allows(key: string): boolean
  /** Counts an attempt. */
  record(key: string): void
  reset(key: string): void
  /** Returns the seconds until the window of the key ends, at least 1. */
  retryAfter_s(key: string): number
}

const keysMax = 10_000

/** Creates a throttle of `limit` attempts per key. A window starts with the first attempt. */
export function createThrottle({
  limit,
  window_ms,
  now,
}: {
  limit: number
  window_ms: number
  now: () => Date
}): Throttle {
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
