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

/** The outbound HTTP client. Throws only UpstreamError, or the abort reason of a budget that the client canceled. */
export type HttpClient = {
  send(call: Call, budget: Budget): Promise<Reply>
  /** Fetches JSON. Throws `bad_response` for HTML, an empty body and invalid JSON. */
  fetchJson(call: Call, budget: Budget): Promise<unknown>
  /** Fetches text in UTF-8 or in `encoding`. */
  fetchText(call: Call & { encoding?: string }, budget: Budget): Promise<string>
  health(host: string): HostHealth | null
  close(): void
}

/** The settings and dependencies of the HTTP client. The optional functions replace the platform's in tests. */
export type HttpClientOptions = {
  /**
   * The base URL of a mirror: `https://name/path` becomes `mirror/name/path`. null: calls go directly to the
   * publishers.
   */
  mirror: string | null
  userAgent: string
  /** The hosts of the catalog. Redirects may lead only to these. */
  catalogHosts: ReadonlySet<string>
  /** Hosts that the operator configured. Only these may have private addresses or use plain HTTP. */
  operatorHosts?: ReadonlySet<string>
  now: () => Date
  random: () => number
  log?: HttpClientLog
  /**
   * Wraps each call to count and trace it. `host` is `other` for hosts that are in neither the catalog nor the
   * configuration.
   */
  traceUpstreamCall?: TraceUpstreamCall
  monotonic_ms?: () => number
  wait?: Wait
  resolveHostname?: ResolveHostname
}

type TraceUpstreamCall = <T>(host: string, method: string, work: () => Promise<T>) => Promise<T>

/** Opens the HTTP client. `close` aborts all calls. */
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
      shutdown.abort(
        new UpstreamError('connection_failed', 'The HTTP client is closed because the service is stopping.'),
      ),
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

/** The publisher's host. Limits and statistics use it even behind a mirror. */
function hostOf({ url }: Call): string {
  const host = URL.parse(url)?.host
  if (host === undefined) throw new UpstreamError('unsupported_request', 'The URL of the source is invalid.')
  return host
}

/** How long a host may stay silent while all its slots are taken: four times its p95 latency, if known. */
function maxSilenceOf(p95_ms: number | null): number {
  return p95_ms === null ? defaultSilence_ms : Math.max(minSilence_ms, 4 * p95_ms)
}

const minSilence_ms = 1_500
const defaultSilence_ms = 3_000
