import { createSlidingWindow } from './sliding-window.ts'

/** Limits additional calls (retries or hedges) to a share of the regular calls of the last minute. */
export type RetryBudget = {
  recordCall(): void
  /** Whether an additional call is allowed. If so, counts it. */
  tryTake(): boolean
}

/** `minimum`: the number of additional calls that are always allowed per minute. */
export function createRetryBudget(share: number, minimum: number, monotonic_ms: () => number): RetryBudget {
  const window = createSlidingWindow<'call' | 'extra'>(monotonic_ms)
  return {
    recordCall: () => window.add('call'),
    tryTake() {
      if (window.count('extra') + 1 > Math.max(minimum, share * window.count('call'))) return false
      window.add('extra')
      return true
    },
  }
}
