import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { openAddressGuard, resolveByDns, type Resolve } from './address-guard.ts'
import { askingAlike } from './alike.ts'
import { bytesOf, letGo } from './body.ts'
import { openBreaker } from './breaker.ts'
import { openBulkhead } from './bulkhead.ts'
import type { Call, HostHealth, NetLog, Reply } from './call.ts'
import type { Clock } from './clock.ts'
import { jsonOf, textOf } from './content.ts'
import { statusFault } from './fault.ts'
import { waitByTimer, type Wait } from './host-abort.ts'
import { openHedges } from './hedge.ts'
import { mirrorAt, noMirror } from './mirror.ts'
import { openPauses } from './pauses.ts'
import { openRetries } from './retry.ts'
import { openVitals } from './vitals.ts'
import { layWire } from './wire.ts'

export type { Call, Reply } from './call.ts'

/** The one way out. Everything it throws is an UpstreamError, but for the reason of a budget that was given up by the client. */
export type Net = {
  ask(call: Call, budget: Budget): Promise<Reply>
  /** The body as JSON; HTML, an empty body and broken JSON are `bad_response`. */
  json(call: Call, budget: Budget): Promise<unknown>
  /** The body as text in UTF-8, or in the encoding that is named. */
  text(call: Call & { encoding?: string }, budget: Budget): Promise<string>
  health(host: string): HostHealth | null
  close(): void
}

/** What the way out is opened with. */
export type NetOptions = {
  /** Where all calls go instead (`https://name/path` becomes `mirror/name/path`); null: to the publishers themselves. */
  mirror: string | null
  userAgent: string
  /** The hosts of the catalog: a redirect may lead to these and to no other. */
  hosts: ReadonlySet<string>
  /** Hosts the operator has named himself: these alone may be private and without TLS. */
  ownHosts?: ReadonlySet<string>
  now: () => Date
  random: () => number
  log?: NetLog
  /** Does each call, to count and to trace it; a host that is not of the catalog is `other`. */
  watched?: Watched
  monotonic_ms?: () => number
  wait?: Wait
  resolve?: Resolve
}

/** Does the work of one call to a host. */
type Watched = <T>(host: string, method: string, work: () => Promise<T>) => Promise<T>

/** Opens the way out. */
export function openNet({ mirror, userAgent, hosts, ownHosts, now, random, log, watched = plainly, ...given }: NetOptions): Net {
  const clock: Clock = { now, monotonic_ms: given.monotonic_ms ?? (() => performance.now()) }
  const wait = given.wait ?? waitByTimer
  const isAllowed = (host: string) => hosts.has(host)
  const isOwn = (host: string) => ownHosts?.has(host) ?? false
  const closing = new AbortController()

  const pauses = openPauses(clock)
  const vitals = openVitals(clock)
  const breaker = openBreaker(clock, random, log)
  const bulkhead = openBulkhead({ roomFor: breaker.roomFor, silence_ms: (host) => silenceOf(vitals.p95_ms(host)), monotonic_ms: clock.monotonic_ms })
  const retries = openRetries(clock.monotonic_ms, random, wait)
  const hedges = openHedges(vitals, bulkhead, clock.monotonic_ms, wait)
  const wire = mirror === null
    ? layWire({ mirror: noMirror, userAgent, isAllowed, isOwn, guard: openAddressGuard(given.resolve ?? resolveByDns, clock.monotonic_ms) })
    : layWire({ mirror: mirrorAt(mirror, isAllowed), userAgent, isAllowed, isOwn, guard: null })

  return {
    ask: askingAlike((call, budget) => asked(call, budget, (reply) => reply)),
    json: askingAlike((call, budget) => asked(call, budget, jsonOf)),
    text: (call, budget) => asked(call, budget, (reply) => textOf(reply, call.encoding)),
    health(host) {
      const vital = vitals.of(host)
      return vital && { host, circuit: breaker.circuit(host) ?? 'closed', ...vital }
    },
    close: () => closing.abort(new UpstreamError('connection_failed', 'The way out is closed: the service is being stopped.')),
  }

  async function asked<T>(call: Call, budget: Budget, read: Read<T>): Promise<T> {
    const host = hostOf(call)
    const signal = AbortSignal.any([budget.signal, closing.signal])
    return await retries.twiceAtMost(call, host, () => passed(call, host, read, { ...budget, signal }), { signal })
  }

  async function passed<T>(call: Call, host: string, read: Read<T>, { signal, onBilledCall }: Budget): Promise<T> {
    pauses.check(host)
    breaker.check(host)
    return await bulkhead.through(host, () => {
      pauses.check(host)
      return breaker.through(host, () => vitals.timed(host, () => hedges.hedged(call, host, (until) => sent(call, host, read, { signal: until, ...(onBilledCall && { onBilledCall }) }), signal)))
    }, { signal })
  }

  async function sent<T>(call: Call, host: string, read: Read<T>, { signal, onBilledCall }: Budget): Promise<T> {
    if (call.metered) await onBilledCall?.(host)
    return await watched(isAllowed(host) || isOwn(host) ? host : 'other', call.method ?? 'GET', () => answered(call, host, read, signal))
  }

  async function answered<T>(call: Call, host: string, read: Read<T>, signal: AbortSignal): Promise<T> {
    const response = await wire(call, signal)
    const { status, headers } = response
    pauses.heed(host, status, headers)
    if (!response.ok && !call.reads?.includes(status)) {
      letGo(response.body)
      throw statusFault(status, host)
    }
    return read({ status, headers, bytes: await bytesOf(response, call.cap_bytes, host, signal) }, host)
  }
}

type Read<T> = (reply: Reply, host: string) => T

const plainly: Watched = (_host, _method, work) => work()

/** The publisher's host, by which all is counted, behind a mirror too. */
function hostOf({ url }: Call): string {
  const host = URL.parse(url)?.host
  if (host === undefined) throw new UpstreamError('unsupported_request', 'The question to the source has no address that can be read.')
  return host
}

/** How long a host with all its places taken may say nothing: four times what it takes for most answers, where that is known. */
function silenceOf(p95_ms: number | null): number {
  return p95_ms === null ? unknownSilence_ms : Math.max(leastSilence_ms, 4 * p95_ms)
}

const leastSilence_ms = 1_500
const unknownSilence_ms = 3_000
