import { UpstreamError } from '../../src/model/error.ts'
import { openHttpClient, type HttpClientOptions } from '../../src/net/http-client.ts'

export const noTimeout = { signal: new AbortController().signal }

/** Creates a clock that advances only by `advance`. */
export function createManualClock() {
  let ms = 0
  return {
    clock: { monotonic_ms: () => ms, now: () => new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + ms) },
    advance: (seconds: number) => void (ms += 1000 * seconds),
  }
}

/** Opens a client with a manual clock. Its waits are recorded and end immediately. */
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
  return { net, advance, waits, clock }
}

/** The code of a failed call and whether it is retryable, or its result. */
export async function settledResult(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await promise }
  } catch (error) {
    return error instanceof UpstreamError ? `${error.code}${error.retryable ? ', retryable' : ''}` : error
  }
}

/** Waits until all pending microtasks and I/O callbacks have run. */
export const nextMacrotask = () => new Promise((resolve) => setImmediate(resolve))
