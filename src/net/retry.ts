import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { openAllowance } from './allowance.ts'
import type { Call } from './call.ts'
import { isOfTransport, isUnasked } from './fault.ts'
import type { Wait } from './host-abort.ts'

const share = 0.1
const least = 1
const delay_ms = { least: 100, most: 400 }

/** Asks a second time, once, when the way there failed; all second tries together stay a small part of the calls. */
export type Retries = {
  twiceAtMost<T>(call: Call, host: string, ask: () => Promise<T>, budget: Budget): Promise<T>
}

/** Second tries are one in ten of all calls at most. */
export function openRetries(monotonic_ms: () => number, random: () => number, wait: Wait): Retries {
  const allowance = openAllowance(share, least, monotonic_ms)
  return {
    async twiceAtMost(call, host, ask, { signal }) {
      try {
        const answer = await ask()
        allowance.called()
        return answer
      } catch (fault) {
        // What was not let through was no call: counted, the many questions to a dead host would allow for second tries elsewhere.
        if (!isRefusal(fault)) allowance.called()
        if (call.metered || !isOfTransport(fault) || !allowance.take()) throw fault
        await wait(delay_ms.least + random() * (delay_ms.most - delay_ms.least), signal, host)
        return await ask().catch((second: unknown) => {
          throw isRefusal(second) ? fault : second
        })
      }
    },
  }
}

/** A try that was not let through; of a second one, the first fault stands. */
function isRefusal(error: unknown): boolean {
  return isUnasked(error) || (error instanceof UpstreamError && error.code === 'rate_limited')
}
