/** How often something was tried under a name within a time; the names are few, whoever comes. */
export type Throttle = {
  /** Whether the name has tries left. */
  allows(key: string): boolean
  /** Counts a try. */
  record(key: string): void
  reset(key: string): void
  /** For how many seconds a name must wait. */
  retryAfter_s(key: string): number
}

const keysMax = 10_000

/** So many tries for each name within a time, which begins with the first of them. */
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
    // One that would last longer than any was counted before the clock was set back.
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
