import type { Socket } from 'bun'
import { openStandIn } from '../bench/stand-in.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { withPulse } from './pulse.ts'
import { served, type Served } from './served.ts'

const hangingHost = 'hazards.fema.gov'
/** So long after they have gone, callers cost nothing. */
const forgotten_ms = 1_000

/** What callers cost who send slowly, and who go away. */
export async function senders(sockets = 1_500, seconds = 10): Promise<Finding[]> {
  return [...(await slowSenders(sockets, seconds)), ...(await goneCallers())]
}

/** So many callers, half of whom never end their headers, half of whom never end their bodies: a byte a second each. */
async function slowSenders(count: number, seconds: number): Promise<Finding[]> {
  const it = await served({ FIELDSTONE_OFFLINE: '1' })
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
    const { pulse } = await withPulse(it, async () => {
      for (let second = 0; second < seconds; second++) {
        for (const socket of open) socket.write('x')
        requested++
        const response = await it.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields: ['county'] })
        if (response.status === 200) answered++
        await Bun.sleep(1_000)
      }
    })
    return [
      atLeast('P14', `slow senders that were there (${open.size} at the end)`, count, count),
      atMost('P14', `p99 of /healthz while ${count} send slowly`, pulse.p99_ms, { bound: 100, unit: 'ms' }),
      atLeast('P14', 'share of /healthz answered 200 meanwhile', pulse.healthy / pulse.requested, 1),
      atLeast('P14', 'share of others who were answered meanwhile', answered / requested, 1),
    ]
  } finally {
    for (const socket of open) socket.terminate()
    await it.stop()
  }
}

const headers = 'POST /v1/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

/** Ninety callers, some at work on a source that hangs and some waiting, all of whom go away. */
async function goneCallers(): Promise<Finding[]> {
  const standIn = await openStandIn()
  const it = await served({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: standIn.url })
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
      atMost('P12', 'calls to the source that begin a second and more after all callers have gone', later, 0),
      atMost('P12', 'places that are still taken', await placesTaken(it), 0),
    ]
  } finally {
    await it.stop()
    standIn.close()
  }
}

async function callsIn(standIn: Awaited<ReturnType<typeof openStandIn>>): Promise<number> {
  // What was heard is forgotten with `tell` alone: this order changes nothing.
  return (await standIn.report({ do: 'hang', host: hangingHost })).received.filter((host) => host === hangingHost)
    .length
}

/** By asking as many at once as may be at work and wait: each that is refused is a place that is taken. */
async function placesTaken(it: Served): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: 96 }, (_none, i) =>
      it.post('/v1/fetch', { lat: 38.2, lng: -98.2 - i * 0.001, fields: ['in_opportunity_zone'] }),
    ),
  )
  return answers.filter(({ status }) => status === 503).length
}
