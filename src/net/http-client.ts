/**
 * The one HTTP client for publishers: deadlines, one retry, limits for each host, circuit breakers, hedged requests,
 * checked addresses, bounded bodies.
 */
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { createAddressGuard, resolveByDns, type ResolveHostname } from './address-guard.ts'
import { readResponseBody, cancelBody } from './body.ts'
import { createBreaker, type Breaker } from './breaker.ts'
import { createBulkhead, type Bulkhead } from './bulkhead.ts'
import { type Call, type HostHealth, type HttpClientLog, type Reply, type Clock, formatTimeAfter } from './call.ts'
import { decodeTextBody, readJsonBody } from './content.ts'
import { statusError } from './upstream-errors.ts'
import { waitByTimer, type Wait, abortableForHost } from './host-abort.ts'
import { createHedgePolicy, type HedgePolicy, createLatencyStats, type LatencyStats } from './hedge.ts'
import { createMirror, noMirror } from './mirror.ts'
import { createRetryPolicy, type RetryPolicy } from './retry.ts'
import { createTransport, type Transport } from './transport.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import { createHostMap } from './host-map.ts'

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
   * The base URL of a mirror: `https://host/path` becomes `mirror/host/path`. null: calls go directly to the
   * publishers.
   */
  mirror: string | null
  userAgent: string
  /** The mail address of the operator, for publishers that ask for it. */
  contact?: string | null
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
  /**
   * Whether requests wait because other requests hold all slots. Calls that wait for a silent host then fail earlier,
   * because their requests hold slots (default: never).
   */
  hasWaitingRequests?: () => boolean
  monotonic_ms?: () => number
  wait?: Wait
  resolveHostname?: ResolveHostname
  /** The maximum number of calls to one host at the same time (default: 8). */
  slotsPerHost?: number | undefined
}

type TraceUpstreamCall = <T>(host: string, method: string, work: () => Promise<T>) => Promise<T>

/** Returns a client that sends its calls with `send`. */
export function clientWithSend(net: HttpClient, send: HttpClient['send']): HttpClient {
  return {
    ...net,
    send,
    fetchJson: async (call, budget) => readJsonBody(await send(call, budget), new URL(call.url).host),
    fetchText: async (call, budget) => decodeTextBody(await send(call, budget), call.encoding),
  }
}

/** Opens the HTTP client. `close` aborts all calls. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  const pipeline = new CallPipeline(options)
  return {
    send: withDeduplication((call, budget) => pipeline.send(call, budget, (reply) => reply)),
    fetchJson: withDeduplication((call, budget) => pipeline.send(call, budget, readJsonBody)),
    fetchText: (call, budget) => pipeline.send(call, budget, (reply) => decodeTextBody(reply, call.encoding)),
    health: (host) => pipeline.health(host),
    close: () => pipeline.close(),
  }
}

/** Sends calls through the policies, in this order: retry, rate limit, circuit breaker, bulkhead, latency, hedging. */
class CallPipeline {
  readonly #shutdown = new AbortController()
  readonly #rateLimitBackoff: RateLimitBackoff
  readonly #latencyStats: LatencyStats
  readonly #breaker: Breaker
  readonly #bulkhead: Bulkhead
  readonly #retryPolicy: RetryPolicy
  readonly #hedgePolicy: HedgePolicy
  readonly #transport: Transport
  readonly #traceUpstreamCall: TraceUpstreamCall
  readonly #isKnownHost: (host: string) => boolean

  constructor(options: HttpClientOptions) {
    const { catalogHosts, operatorHosts, now, random, log, wait = waitByTimer, hasWaitingRequests } = options
    const clock: Clock = { now, monotonic_ms: options.monotonic_ms ?? (() => performance.now()) }
    this.#isKnownHost = (host) => catalogHosts.has(host) || (operatorHosts?.has(host) ?? false)
    this.#traceUpstreamCall = options.traceUpstreamCall ?? untraced
    this.#rateLimitBackoff = createRateLimitBackoff(clock)
    this.#latencyStats = createLatencyStats(clock)
    this.#breaker = createBreaker(clock, random, log)
    this.#bulkhead = createBulkhead({
      slots: options.slotsPerHost,
      concurrencyLimit: this.#breaker.concurrencyLimit,
      maxSilence_ms: (host) => maxSilenceOf(this.#latencyStats.p95_ms(host), hasWaitingRequests?.() ?? false),
      monotonic_ms: clock.monotonic_ms,
    })
    this.#retryPolicy = createRetryPolicy(clock.monotonic_ms, random, wait)
    this.#hedgePolicy = createHedgePolicy(this.#latencyStats, this.#bulkhead, clock.monotonic_ms, wait)
    this.#transport = createTransportFor(options, clock)
  }

  async send<T>(call: Call, budget: Budget, read: ReadReply<T>): Promise<T> {
    const host = hostOf(call)
    const signal = AbortSignal.any([budget.signal, this.#shutdown.signal])
    const sendOnce = () => this.#sendWithinLimits(call, host, read, { ...budget, signal })
    return await this.#retryPolicy.run(call, host, sendOnce, { signal })
  }

  health(host: string): HostHealth | null {
    const stats = this.#latencyStats.statsOf(host)
    if (!stats) return null
    return { host, circuit: this.#breaker.stateOf(host) ?? 'closed', ...stats, failure: this.#breaker.failureOf(host) }
  }

  close(): void {
    this.#shutdown.abort(
      new UpstreamError('connection_failed', 'The HTTP client is closed because the service is stopping.'),
    )
  }

  async #sendWithinLimits<T>(
    call: Call,
    host: string,
    read: ReadReply<T>,
    { signal, onBilledCall }: Budget,
  ): Promise<T> {
    const sendTraced = (hedgeSignal: AbortSignal) =>
      this.#sendTraced(call, host, read, { signal: hedgeSignal, ...(onBilledCall && { onBilledCall }) })
    const sendMeasured = () =>
      this.#latencyStats.measure(host, () => this.#hedgePolicy.run(call, host, sendTraced, signal))
    this.#rateLimitBackoff.throwIfLimited(host)
    this.#breaker.throwIfOpen(host)
    const sendChecked = () => {
      // Checked again: a backoff may have started while the call waited for its slot.
      this.#rateLimitBackoff.throwIfLimited(host)
      return this.#breaker.run(host, sendMeasured)
    }
    return await this.#bulkhead.run(host, sendChecked, { signal })
  }

  async #sendTraced<T>(call: Call, host: string, read: ReadReply<T>, { signal, onBilledCall }: Budget): Promise<T> {
    if (call.metered) await onBilledCall?.(host)
    const tracedHost = this.#isKnownHost(host) ? host : 'other'
    return await this.#traceUpstreamCall(tracedHost, call.method ?? 'GET', () =>
      this.#exchange(call, host, read, signal),
    )
  }

  async #exchange<T>(call: Call, host: string, read: ReadReply<T>, signal: AbortSignal): Promise<T> {
    const response = await this.#transport(call, signal)
    const { status, headers } = response
    this.#rateLimitBackoff.recordResponse(host, status, headers)
    if (!response.ok && !call.acceptedStatuses?.includes(status)) {
      cancelBody(response.body)
      throw statusError(status, host)
    }
    return read({ status, headers, bytes: await readResponseBody(response, call.cap_bytes, host, signal) }, host)
  }
}

function createTransportFor(options: HttpClientOptions, { monotonic_ms }: Clock): Transport {
  const { mirror, userAgent, contact = null, catalogHosts, operatorHosts, resolveHostname = resolveByDns } = options
  const isAllowedHost = (host: string) => catalogHosts.has(host)
  const isOperatorHost = (host: string) => operatorHosts?.has(host) ?? false
  return createTransport({
    mirror: mirror === null ? noMirror : createMirror(mirror, isAllowedHost),
    userAgent,
    contact,
    isAllowedHost,
    isOperatorHost,
    guard: mirror === null ? createAddressGuard(resolveHostname, monotonic_ms) : null,
  })
}

type ReadReply<T> = (reply: Reply, host: string) => T | Promise<T>

const untraced: TraceUpstreamCall = (_host, _method, work) => work()

/** The publisher's host. Limits and statistics use it even behind a mirror. */
function hostOf({ url }: Call): string {
  const host = URL.parse(url)?.host
  if (host === undefined) throw new UpstreamError('unsupported_request', 'The URL of the source is invalid.')
  return host
}

/**
 * How long a host may stay silent while all its slots are taken: four times its p95 latency, if known. If other
 * requests wait meanwhile, a host with an unknown latency gets less time.
 */
function maxSilenceOf(p95_ms: number | null, doRequestsWait: boolean): number {
  if (p95_ms !== null) return Math.max(minSilence_ms, 4 * p95_ms)
  return doRequestsWait ? minSilence_ms : defaultSilence_ms
}

const minSilence_ms = 1_500
const defaultSilence_ms = 3_000

type SendCall<T> = (call: Call, budget: Budget) => Promise<T>

/** Only an upper bound: each caller has its own budget. */
const flightMax_ms = 120_000

/**
 * Wraps `send`: identical concurrent calls marked `deduplicate` share one request. It is aborted when no caller waits
 * for it.
 */
function withDeduplication<T>(send: SendCall<T>): SendCall<T> {
  const flights = createSingleFlight<T>()
  return (call, budget) => {
    const { deduplicate, url, method, body, headers } = call
    if (!deduplicate) return send(call, budget)
    const reply = flights.join(JSON.stringify([url, method, body, headers]), flightMax_ms, budget, (sharedBudget) =>
      send(call, sharedBudget),
    )
    return abortableForHost(reply, budget.signal, URL.parse(url)?.host ?? 'the source')
  }
}

const maxBackoff_s = 3600
const defaultBackoff_s = 30

/** Holds back calls to hosts that returned a rate limit. */
type RateLimitBackoff = {
  /** Throws `rate_limited` during the backoff of the host. */
  throwIfLimited(host: string): void
  /** Records a response. A 429, and a 503 with Retry-After, start a backoff. */
  recordResponse(host: string, status: number, headers: Headers): void
}

/** Creates a backoff of at most one hour; 30 seconds if a 429 has no valid Retry-After. */
export function createRateLimitBackoff(clock: Clock): RateLimitBackoff {
  const backoffs = createHostMap(() => ({ until_ms: -Infinity }))
  return {
    throwIfLimited(host) {
      const remaining_ms = (backoffs.find(host)?.until_ms ?? -Infinity) - clock.monotonic_ms()
      if (remaining_ms > 0)
        throw new UpstreamError(
          'rate_limited',
          `${host} limits requests. The next attempt is at ${formatTimeAfter(remaining_ms, clock)}.`,
        )
    },
    recordResponse(host, status, headers) {
      if (status !== 429 && status !== 503) return
      const backoff_s = parseRetryAfter_s(headers, clock.now()) ?? (status === 429 ? defaultBackoff_s : 0)
      const backoff = backoffs.getOrCreate(host)
      backoff.until_ms = Math.max(backoff.until_ms, clock.monotonic_ms() + 1000 * Math.min(maxBackoff_s, backoff_s))
    },
  }
}

/** The seconds of a Retry-After header in either form (delay or date). `null` if it is missing or invalid. */
function parseRetryAfter_s(headers: Headers, now: Date): number | null {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text)
  const date_ms = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date_ms) ? null : Math.max(0, (date_ms - now.getTime()) / 1000)
}
