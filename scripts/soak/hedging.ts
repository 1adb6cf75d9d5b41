import { openUpstreams } from '../../test/upstreams/upstreams.ts'
import { randomOf } from '../bench/random.ts'
import { quantile } from '../bench/report.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { startService } from './service-process.ts'

const share = 0.05
const [fast_ms, slow_ms] = [20, 1_500]
/** Requests before the measurement. Calls are hedged only after their usual latency is known. */
const before = 200
const atOnce = 4

/**
 * Measures the cost and gain of hedged calls when 1 of 20 answers is slow, compared with direct calls to the source.
 */
export async function soakHedging(questions = 2_000, seed = 20_261_121): Promise<Finding[]> {
  const source = openSlowSource(seed)
  const it = await startService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: source.url })
  try {
    const from = source.calls()
    await send(before, (i) => it.post('/v1/fetch', questionAt(i)))
    const through_ms = await send(questions, (i) => it.post('/v1/fetch', questionAt(before + i)))
    const all = before + questions
    const extra = source.calls() - from - all
    const alone_ms = await send(questions, () => fetch(new URL('/services.arcgis.com/', source.url)))
    return [
      atMost('P25', `extra calls / ${all} requests`, extra / all, share),
      atLeast(
        'P25',
        `p99 of the source alone (${quantile(alone_ms, 0.99).toFixed(0)} ms) / of the field (${quantile(through_ms, 0.99).toFixed(0)} ms), ${share * 100} % slow`,
        quantile(alone_ms, 0.99) / quantile(through_ms, 0.99),
        3,
      ),
    ]
  } finally {
    await it.stop()
    source.close()
  }
}

/** Starts the simulated upstreams behind a proxy that delays 1 of 20 calls. */
function openSlowSource(seed: number): { url: string; calls(): number; close(): void } {
  const upstreams = openUpstreams()
  const random = randomOf(seed)
  let calls = 0
  const service = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      calls++
      await Bun.sleep(random() < share ? slow_ms : fast_ms)
      const { pathname, search } = new URL(request.url)
      return fetch(`${upstreams.url}${pathname}${search}`, { signal: request.signal })
    },
  })
  return {
    url: `http://127.0.0.1:${service.port}`,
    calls: () => calls,
    close: () => void service.stop(true).finally(upstreams.close),
  }
}

/** Sends requests, a few at a time. Returns the duration of each. */
async function send(count: number, ask: (i: number) => Promise<Response>): Promise<number[]> {
  const took_ms: number[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let i = next++; i < count; i = next++) {
        const begun = performance.now()
        await (await ask(i)).text()
        took_ms.push(performance.now() - begun)
      }
    }),
  )
  return took_ms
}

function questionAt(i: number): { lat: number; lng: number; fields: string[] } {
  return { lat: 40.015, lng: -105.2705 + i * 0.0001, fields: ['in_opportunity_zone'] }
}
