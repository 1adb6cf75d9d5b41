import { sendFault, sendAnswer, type FaultAnswer, type FaultKind } from './faults.ts'
import { unknownRequestAnswer } from './arcgis.ts'
import type { ReceivedRequest, SimulatedService } from './service.ts'
import { services as everyService } from './services.ts'
import { openRawHttpServer, type RawHttpRequest, type ClientConnection } from './raw-http-server.ts'

/** A received call. `path` is decoded. */
type Received = {
  host: string
  path: string
  query: URLSearchParams
  method: string
  body: string
  user_agent: string | null
  /** The mail address in the header From. */
  from: string | null
}

/** All simulated publishers on one local port, used as a mirror: `https://host/path` is requested as `/host/path`. */
export type Upstreams = {
  url: string
  calls: Received[]
  /** Requests that no service knew, or that threw. A test expects none. */
  unknown: string[]
  callsTo(host: string | RegExp): number
  /** Resolves when the next call is received. */
  nextCall(): Promise<void>
  /** Adds a fault for matching calls, permanently or `times` times. The newest fault applies first. */
  fault(match: FaultMatch, kind: FaultKind): void
  /** Removes all faults and the delay. */
  heal(): void
  delay(ms: number): void
  /** Receives calls, but answers none of them before the returned function is called. */
  hold(): () => void
  close(): void
}
/** `skip`: how many matching calls to each host get the correct answer first. */
type FaultMatch = { host?: string; path?: RegExp; times?: number; skip?: number }

/** Starts the simulated publishers, by default all of them. */
export function openUpstreams({
  port = 0,
  services = everyService,
}: { port?: number; services?: SimulatedService[] } = {}): Upstreams {
  const calls: Received[] = []
  const unknown: string[] = []
  let orders: Order[] = []
  let delay_ms = 0
  let held = Promise.resolve()
  const callWaiters: (() => void)[] = []

  const wire = openRawHttpServer(port, async (heard, line) => {
    const requested = receivedRequestOf(heard)
    const truth = () => truthOf(services, requested, unknown)
    const order = orders.find((it) => it.left > 0 && applies(it, requested))
    if (order && isRequestedAgain(order, requested, line)) return sendFault(order.kind, requested, line, truth)
    const { host, path, query, method, body } = requested
    calls.push({
      host,
      path,
      query,
      method,
      body,
      user_agent: requested.headers.get('user-agent'),
      from: requested.headers.get('from'),
    })
    for (const resolve of callWaiters.splice(0)) resolve()
    if (order) order.left -= 1
    const until_ms = performance.now() + delay_ms
    await held
    const reply = order
      ? () => sendFault(order.kind, requested, line, truth)
      : await truth().then((answer) => () => sendAnswer(line, answer))
    // The delay includes the time to compute the answer.
    if (delay_ms > 0) await Bun.sleep(Math.max(0, until_ms - performance.now()))
    return reply()
  })

  return {
    url: `http://127.0.0.1:${wire.port}`,
    calls,
    unknown,
    callsTo: (host) =>
      calls.filter((call) => (typeof host === 'string' ? call.host === host : host.test(call.host))).length,
    nextCall: () => new Promise((resolve) => callWaiters.push(resolve)),
    fault(match, kind) {
      orders = [{ ...match, kind, left: match.times ?? Infinity, skipped: new Map() }, ...orders]
    },
    heal() {
      orders = []
      delay_ms = 0
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    delay(ms) {
      delay_ms = ms
    },
    close: wire.close,
  }
}

type Order = FaultMatch & { kind: FaultKind; left: number; skipped: Map<string, number> }

/** Counts the call if the fault skips it. */
function applies({ host, path, skip = 0, skipped }: Order, request: ReceivedRequest): boolean {
  if (host !== undefined && host !== request.host) return false
  if (path !== undefined && !path.test(request.path)) return false
  const count = skipped.get(request.host) ?? 0
  if (count >= skip) return true
  skipped.set(request.host, count + 1)
  return false
}

/** Bun repeats a GET by itself when a reused connection breaks. Only the repeated call is counted. */
function isRequestedAgain({ kind }: Order, { method }: ReceivedRequest, { reused }: ClientConnection): boolean {
  return (kind === 'reset' || kind === 'close_early') && method === 'GET' && reused
}

function receivedRequestOf({ method, target, headers, body }: RawHttpRequest): ReceivedRequest {
  const url = new URL(target, 'http://mirror')
  const [, host = '', ...rest] = url.pathname.split('/')
  return {
    host: host.toLowerCase(),
    path: `/${decoded(rest.join('/'))}`,
    query: url.searchParams,
    method,
    body,
    headers,
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // an invalid percent sign stays in the path
  }
}

async function truthOf(
  services: SimulatedService[],
  request: ReceivedRequest,
  unknown: string[],
): Promise<FaultAnswer> {
  try {
    for (const service of services) {
      const said = service.host === request.host ? await service.answer(request) : null
      if (said) return said
    }
    unknown.push(`${request.method} ${request.host}${request.path}?${request.query.toString()}`)
    return unknownRequestAnswer(request)
  } catch (error) {
    unknown.push(`${request.method} ${request.host}${request.path} fell over: ${String(error)}`)
    return { status: 500, type: 'text/plain', body: 'The stand-in fell over.' }
  }
}
