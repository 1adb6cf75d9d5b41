/** How often something was tried under a name within a time; the names are few, whoever comes. */
export type Attempts = {
  /** Whether the name has tries left. */
  has(name: string): boolean
  /** Counts a try. */
  count(name: string): void
  clear(name: string): void
  /** For how many seconds a name must wait. */
  wait_s(name: string): number
}

const namesMax = 10_000

/** So many tries for each name within a time, which begins with the first of them. */
export function openAttempts({ most, within_ms, now }: { most: number; within_ms: number; now: () => Date }): Attempts {
  const tries = new Map<string, { count: number; until: number }>()
  const current = (name: string) => {
    const [it, time] = [tries.get(name), now().getTime()]
    // One that would last longer than any was counted before the clock was set back.
    return it && it.until > time && it.until <= time + within_ms ? it : null
  }
  return {
    has: (name) => (current(name)?.count ?? 0) < most,
    count(name) {
      const it = current(name)
      if (it) return void it.count++
      forgetOldest()
      tries.delete(name)
      tries.set(name, { count: 1, until: now().getTime() + within_ms })
    },
    clear: (name) => void tries.delete(name),
    wait_s: (name) => Math.max(1, Math.ceil(((current(name)?.until ?? 0) - now().getTime()) / 1000)),
  }

  function forgetOldest(): void {
    const [oldest] = tries.keys()
    if (tries.size >= namesMax && oldest !== undefined) tries.delete(oldest)
  }
}
