import { UpstreamError } from '../../src/model/error.ts'
import { openHttpClient, type HttpClientOptions } from '../../src/net/http-client.ts'

export const noTimeout = { signal: new AbortController().signal }

/** A clock that goes on when it is told to. */
export function createManualClock() {
  let ms = 0
  return {
    clock: { monotonic_ms: () => ms, now: () => new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + ms) },
    advance: (seconds: number) => void (ms += 1000 * seconds),
  }
}

/** A way out with a hand clock, whose waits are noted and over at once. */
export function openTestClient(options: Partial<HttpClientOptions> & { mirror: string | null }) {
  const { clock, advance } = createManualClock()
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  const net = openHttpClient({
    userAgent: 'fieldstone-test',
    catalogHosts: new Set(['allowed.gov']),
    random: () => 0,
    wait,
    ...clock,
    ...options,
  })
  return { net, pass: advance, waits, clock }
}

/** How a call failed: its code and whether to ask again; or what it gave. */
export async function settledResult(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { gave: await promise }
  } catch (error) {
    return error instanceof UpstreamError ? `${error.code}${error.retryable ? ', retryable' : ''}` : error
  }
}

/** Lets everything that can go on go on. */
export const nextMacrotask = () => new Promise((resolve) => setImmediate(resolve))
