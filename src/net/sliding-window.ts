const windowLength_s = 60

/** Counts events by kind over the last minute, with a resolution of one second. */
export type SlidingWindow<Kind extends string> = { add(kind: Kind): void; count(kind: Kind): number; clear(): void }

/** Creates an empty window. */
export function createSlidingWindow<Kind extends string>(monotonic_ms: () => number): SlidingWindow<Kind> {
  const seconds = new Map<number, Map<Kind, number>>()
  const totals = new Map<Kind, number>()
  const currentSecond = () => Math.floor(monotonic_ms() / 1000)
  return {
    add(kind) {
      const second = currentSecond()
      forgetBefore(second - windowLength_s)
      const counts = seconds.get(second) ?? new Map<Kind, number>()
      seconds.set(second, counts.set(kind, (counts.get(kind) ?? 0) + 1))
      totals.set(kind, (totals.get(kind) ?? 0) + 1)
    },
    count(kind) {
      forgetBefore(currentSecond() - windowLength_s)
      return totals.get(kind) ?? 0
    },
    clear() {
      seconds.clear()
      totals.clear()
    },
  }

  function forgetBefore(first: number): void {
    for (const [second, counts] of seconds) {
      if (second > first) return
      seconds.delete(second)
      for (const [kind, count] of counts) totals.set(kind, totals.get(kind)! - count)
    }
  }
}
