import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { createAddressGuard, resolveByDns, type ResolveHostname } from './address-guard.ts'
import { withDeduplication } from './deduplicate.ts'
import { readResponseBody, cancelBody } from './body.ts'
import { createBreaker } from './breaker.ts'
import { createBulkhead } from './bulkhead.ts'
import type { Call, HostHealth, HttpClientLog, Reply } from './call.ts'
import type { Clock } from './clock.ts'
import { parseJsonBody, decodeTextBody } from './content.ts'
import { statusError } from './upstream-errors.ts'
import { waitByTimer, type Wait } from './host-abort.ts'
import { createHedgePolicy } from './hedge.ts'
import { createMirror, noMirror } from './mirror.ts'
import { createRateLimitBackoff } from './rate-limit-backoff.ts'
import { createRetryPolicy } from './retry.ts'
import { createLatencyStats } from './latency-stats.ts'
import { createTransport } from './transport.ts'

export type { Call, Reply } from './call.ts'

/** The one way out. Everything it throws is an UpstreamError, but for the reason of a budget that was given up by the client. */
export type HttpClient = {
  send(call: Call, budget: Budget): Promise<Reply>
  /** The body as JSON; HTML, an empty body and broken JSON are `bad_response`. */
  fetchJson(call: Call, budget: Budget): Promise<unknown>
  /** The body as text in UTF-8, or in the encoding that is named. */
  fetchText(call: Call & { encoding?: string }, budget: Budget): Promise<string>
  health(host: string): HostHealth | null
  close(): void
}

/** What the way out is opened with. */
export type HttpClientOptions = {
  /** Where all calls go instead (`https://name/path` becomes `mirror/name/path`); null: to the publishers themselves. */
  mirror: string | null
  userAgent: string
  /** The hosts of the catalog: a redirect may lead to these and to no other. */
  catalogHosts: ReadonlySet<string>
  /** Hosts the operator has named himself: these alone may be private and without TLS. */
  operatorHosts?: ReadonlySet<string>
  now: () => Date
  random: () => number
  log?: HttpClientLog
  /** Does each call, to count and to trace it; a host that is not of the catalog is `other`. */
  traceUpstreamCall?: TraceUpstreamCall
  monotonic_ms?: () => number
  wait?: Wait
  resolveHostname?: ResolveHostname
}

/** Does the work of one call to a host. */
type TraceUpstreamCall = <T>(host: string, method: string, work: () => Promise<T>) => Promise<T>

/** Opens the way out. */
export function openHttpClient({
  mirror,
  userAgent,
  catalogHosts,
  operatorHosts,
  now,
  random,
  log,
  traceUpstreamCall = untraced,
  ...overrides
}: HttpClientOptions): HttpClient {
  const clock: Clock = { now, monotonic_ms: overrides.monotonic_ms ?? (() => performance.now()) }
  const wait = overrides.wait ?? waitByTimer
  const isAllowedHost = (host: string) => catalogHosts.has(host)
  const isOperatorHost = (host: string) => operatorHosts?.has(host) ?? false
  const shutdown = new AbortController()

  const rateLimitBackoff = createRateLimitBackoff(clock)
  const latencyStats = createLatencyStats(clock)
  const breaker = createBreaker(clock, random, log)
  const bulkhead = createBulkhead({
    concurrencyLimit: breaker.concurrencyLimit,
    maxSilence_ms: (host) => maxSilenceOf(latencyStats.p95_ms(host)),
    monotonic_ms: clock.monotonic_ms,
  })
  const retryPolicy = createRetryPolicy(clock.monotonic_ms, random, wait)
  const hedgePolicy = createHedgePolicy(latencyStats, bulkhead, clock.monotonic_ms, wait)
  const transport =
    mirror === null
      ? createTransport({
          mirror: noMirror,
          userAgent,
          isAllowedHost,
          isOperatorHost,
          guard: createAddressGuard(overrides.resolveHostname ?? resolveByDns, clock.monotonic_ms),
        })
      : createTransport({
          mirror: createMirror(mirror, isAllowedHost),
          userAgent,
          isAllowedHost,
          isOperatorHost,
          guard: null,
        })

  return {
    send: withDeduplication((call, budget) => sendWithRetry(call, budget, (reply) => reply)),
    fetchJson: withDeduplication((call, budget) => sendWithRetry(call, budget, parseJsonBody)),
    fetchText: (call, budget) => sendWithRetry(call, budget, (reply) => decodeTextBody(reply, call.encoding)),
    health(host) {
      const stats = latencyStats.statsOf(host)
      return stats && { host, circuit: breaker.stateOf(host) ?? 'closed', ...stats }
    },
    close: () =>
      shutdown.abort(new UpstreamError('connection_failed', 'The way out is closed: the service is being stopped.')),
  }

  async function sendWithRetry<T>(call: Call, budget: Budget, read: ReadReply<T>): Promise<T> {
    const host = hostOf(call)
    const signal = AbortSignal.any([budget.signal, shutdown.signal])
    return await retryPolicy.run(call, host, () => sendWithinLimits(call, host, read, { ...budget, signal }), {
      signal,
    })
  }

  async function sendWithinLimits<T>(
    call: Call,
    host: string,
    read: ReadReply<T>,
    { signal, onBilledCall }: Budget,
  ): Promise<T> {
    rateLimitBackoff.throwIfLimited(host)
    breaker.throwIfOpen(host)
    return await bulkhead.run(
      host,
      () => {
        rateLimitBackoff.throwIfLimited(host)
        return breaker.run(host, () =>
          latencyStats.measure(host, () =>
            hedgePolicy.run(
              call,
              host,
              (hedgeSignal) =>
                sendTraced(call, host, read, { signal: hedgeSignal, ...(onBilledCall && { onBilledCall }) }),
              signal,
            ),
          ),
        )
      },
      { signal },
    )
  }

  async function sendTraced<T>(
    call: Call,
    host: string,
    read: ReadReply<T>,
    { signal, onBilledCall }: Budget,
  ): Promise<T> {
    if (call.metered) await onBilledCall?.(host)
    return await traceUpstreamCall(
      isAllowedHost(host) || isOperatorHost(host) ? host : 'other',
      call.method ?? 'GET',
      () => sendOnce(call, host, read, signal),
    )
  }

  async function sendOnce<T>(call: Call, host: string, read: ReadReply<T>, signal: AbortSignal): Promise<T> {
    const response = await transport(call, signal)
    const { status, headers } = response
    rateLimitBackoff.recordResponse(host, status, headers)
    if (!response.ok && !call.acceptedStatuses?.includes(status)) {
      cancelBody(response.body)
      throw statusError(status, host)
    }
    return read({ status, headers, bytes: await readResponseBody(response, call.cap_bytes, host, signal) }, host)
  }
}

type ReadReply<T> = (reply: Reply, host: string) => T

const untraced: TraceUpstreamCall = (_host, _method, work) => work()

/** The publisher's host, by which all is counted, behind a mirror too. */
function hostOf({ url }: Call): string {
  const host = URL.parse(url)?.host
  if (host === undefined)
    throw new UpstreamError('unsupported_request', 'The question to the source has no address that can be read.')
  return host
}

/** How long a host with all its places taken may say nothing: four times what it takes for most answers, where that is known. */
function maxSilenceOf(p95_ms: number | null): number {
  return p95_ms === null ? defaultSilence_ms : Math.max(minSilence_ms, 4 * p95_ms)
}

const minSilence_ms = 1_500
const defaultSilence_ms = 3_000
