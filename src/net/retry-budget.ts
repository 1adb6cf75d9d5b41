import { createSlidingWindow } from './sliding-window.ts'

/** Calls beyond those that were asked for, as a share of these within a minute. */
export type RetryBudget = {
  recordCall(): void
  /** Whether one more is allowed now; if so it is spent. */
  tryTake(): boolean
}

/** `least`: so many are allowed even when there were few calls. */
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
