type Waiting = { until_ms: number; reject: (error: Error) => void }

/** Time limits of many short pieces of work, with one timer for all. A timer for each would cost more than the work. */
export type SharedDeadline = {
  /** Settles like the work, or rejects with the error after `limit_ms`. */
  within<T>(limit_ms: number, work: Promise<T>): Promise<T>
}

/** Creates a shared deadline. */
export function createSharedDeadline(toError: () => Error): SharedDeadline {
  const waiting = new Set<Waiting>()
  let fires_ms = Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    within: <T>(limit_ms: number, work: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const entry = { until_ms: performance.now() + limit_ms, reject }
        waiting.add(entry)
        if (entry.until_ms < fires_ms) setTimer(entry.until_ms)
        const settle =
          <V>(settleWith: (value: V) => void) =>
          (value: V) => {
            waiting.delete(entry)
            return settleWith(value)
          }
        work.then(settle(resolve), settle(reject))
      }),
  }

  function setTimer(until_ms: number): void {
    clearTimeout(timer)
    fires_ms = until_ms
    timer = setTimeout(rejectLate, Math.max(0, until_ms - performance.now()))
    timer.unref()
  }

  function rejectLate(): void {
    const now_ms = performance.now()
    for (const entry of waiting) {
      if (entry.until_ms > now_ms) continue
      waiting.delete(entry)
      entry.reject(toError())
    }
    fires_ms = Infinity
    if (waiting.size > 0)
      setTimer(waiting.values().reduce((least, { until_ms }) => Math.min(least, until_ms), Infinity))
  }
}
