import type { Socket } from 'bun'
import { openStandIn } from '../bench/stand-in.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { withHealthProbe } from './health-probe.ts'
import { startService, type ServiceProcess } from './service-process.ts'

const hangingHost = 'hazards.fema.gov'
/** Time after which disconnected clients must cost nothing. */
const forgotten_ms = 1_000

/** Tests the cost of clients that send slowly, and of clients that disconnect. */
export async function soakSlowSenders(sockets = 1_500, seconds = 10): Promise<Finding[]> {
  return [...(await slowSenders(sockets, seconds)), ...(await goneCallers())]
}

/** Opens slow clients that send one byte a second. Half never finish their headers, half never finish their bodies. */
async function slowSenders(count: number, seconds: number): Promise<Finding[]> {
  const it = await startService({ FIELDSTONE_OFFLINE: '1' })
  const open = new Set<Socket>()
  try {
    await Promise.all(
      Array.from({ length: count }, (_none, i) =>
        Bun.connect({
          hostname: it.url.hostname,
          port: Number(it.url.port),
          socket: {
            open(socket) {
              open.add(socket)
              socket.write(i % 2 === 0 ? `${headers}X-Slow: ` : `${headers}Content-Length: 1000000\r\n\r\n{"lat":`)
            },
            data: () => {},
            close: (socket) => void open.delete(socket),
            error: (socket) => void open.delete(socket),
          },
        }),
      ),
    )
    let answered = 0
    let requested = 0
    const { health } = await withHealthProbe(it, async () => {
      for (let second = 0; second < seconds; second++) {
        for (const socket of open) socket.write('x')
        requested++
        const response = await it.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields: ['county'] })
        if (response.status === 200) answered++
        await Bun.sleep(1_000)
      }
    })
    return [
      atLeast('P14', `connected slow clients (${open.size} at the end)`, count, count),
      atMost('P14', `p99 of /healthz with ${count} slow clients`, health.p99_ms, { bound: 100, unit: 'ms' }),
      atLeast('P14', 'share of /healthz answered 200 meanwhile', health.healthy / health.requested, 1),
      atLeast('P14', 'share of other requests answered meanwhile', answered / requested, 1),
    ]
  } finally {
    for (const socket of open) socket.terminate()
    await it.stop()
  }
}

const headers = 'POST /v1/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

/** Disconnects 90 clients, some waiting for a hanging source and some queued. */
async function goneCallers(): Promise<Finding[]> {
  const standIn = await openStandIn()
  const it = await startService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: standIn.url })
  try {
    await standIn.report({ do: 'hang', host: hangingHost })
    const leaving = new AbortController()
    const calls = Array.from({ length: 90 }, (_none, i) =>
      it
        .post('/v1/fetch', { lat: 38.2 + i * 0.001, lng: -98.2, fields: ['fema_flood_zone'] }, leaving.signal)
        .catch(() => null),
    )
    while ((await callsIn(standIn)) === 0) await Bun.sleep(20)
    leaving.abort()
    await Promise.all(calls)
    await Bun.sleep(forgotten_ms)
    await standIn.report({ do: 'tell' })
    await Bun.sleep(3 * forgotten_ms)
    const later = await callsIn(standIn)
    return [
      atMost('P12', 'calls to the source that begin a second or more after all clients disconnected', later, 0),
      atMost('P12', 'slots still in use', await slotsInUse(it), 0),
    ]
  } finally {
    await it.stop()
    standIn.close()
  }
}

async function callsIn(standIn: Awaited<ReturnType<typeof openStandIn>>): Promise<number> {
  // Only `tell` clears the recorded calls. This command changes nothing.
  return (await standIn.report({ do: 'hang', host: hangingHost })).received.filter((host) => host === hangingHost)
    .length
}

/** Sends as many requests as fit into the service and its queue. Each rejected one is a slot still in use. */
async function slotsInUse(it: ServiceProcess): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: 96 }, (_none, i) =>
      it.post('/v1/fetch', { lat: 38.2, lng: -98.2 - i * 0.001, fields: ['in_opportunity_zone'] }),
    ),
  )
  return answers.filter(({ status }) => status === 503).length
}
