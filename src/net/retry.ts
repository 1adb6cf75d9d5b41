import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { createRetryBudget } from './retry-budget.ts'
import type { Call } from './call.ts'
import { isTransportError, isRejectedLocally } from './upstream-errors.ts'
import type { Wait } from './host-abort.ts'

const retryShare = 0.1
const minRetries = 1
const delay_ms = { min: 100, max: 400 }

/** Asks a second time, once, when the way there failed; all second tries together stay a small part of the calls. */
export type RetryPolicy = {
  run<T>(call: Call, host: string, send: () => Promise<T>, budget: Budget): Promise<T>
}

/** Second tries are one in ten of all calls at most. */
export function createRetryPolicy(monotonic_ms: () => number, random: () => number, wait: Wait): RetryPolicy {
  const retryBudget = createRetryBudget(retryShare, minRetries, monotonic_ms)
  return {
    async run(call, host, send, { signal }) {
      try {
        const answer = await send()
        retryBudget.recordCall()
        return answer
      } catch (error) {
        // What was not let through was no call: counted, the many questions to a dead host would allow for second tries elsewhere.
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

/** A try that was not let through; of a second one, the first fault stands. */
function wasNotSent(error: unknown): boolean {
  return isRejectedLocally(error) || (error instanceof UpstreamError && error.code === 'rate_limited')
}
