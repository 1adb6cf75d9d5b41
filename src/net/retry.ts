import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { Call } from './call.ts'
import { isTransportError, isRejectedLocally } from './upstream-errors.ts'
import type { Wait } from './host-abort.ts'
import { createSlidingWindow } from './sliding-window.ts'

/** How often a call is repeated after a transport error. */
export const retriesMax = 1
const retryShare = 0.1
const minRetries = 1
const delay_ms = { min: 100, max: 400 }

/** Retries a call once after a transport error. All retries together stay a small share of the calls. */
export type RetryPolicy = {
  run<T>(call: Call, host: string, send: () => Promise<T>, budget: Budget): Promise<T>
}

/** Creates a policy that retries at most 10 % of all calls. */
export function createRetryPolicy(monotonic_ms: () => number, random: () => number, wait: Wait): RetryPolicy {
  const retryBudget = createRetryBudget(retryShare, minRetries, monotonic_ms)
  return {
    async run(call, host, send, { signal }) {
      try {
        const answer = await send()
        retryBudget.recordCall()
        return answer
      } catch (error) {
        // Calls that were not sent do not count. Otherwise many blocked calls to a dead host would permit retries
        // elsewhere.
        if (!wasNotSent(error)) retryBudget.recordCall()
        if (call.metered || !isTransportError(error) || !retryBudget.tryTake()) throw error
        await wait(delay_ms.min + random() * (delay_ms.max - delay_ms.min), signal, host)
        return await send().catch((secondError: unknown) => {
          throw wasNotSent(secondError) ? error : secondError
        })
      }
    },
  }
}

/** Whether the call was blocked before it was sent. For a blocked retry, the error of the first attempt is thrown. */
function wasNotSent(error: unknown): boolean {
  return isRejectedLocally(error) || (error instanceof UpstreamError && error.code === 'rate_limited')
}

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
