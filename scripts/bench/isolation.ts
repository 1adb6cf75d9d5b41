import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import type { Point } from '../../src/model/place.ts'
import type { TestService } from '../../test/support/test-service.ts'
import { testPlaces } from '../../test/upstreams/test-places.ts'
import { fieldLists } from './field-lists.ts'
import { reportFigure, quantile } from './report.ts'
import { openStandIn, type StandIn } from './stand-in.ts'

const delay_ms = 50
/** Requests arrive on schedule even if earlier ones are unanswered. Waiting for answers would spare a slow service. */
const healthy_per_s = 40
const hanging_per_s = 4
const equal = 100

const hangingHost = 'hazards.fema.gov'
const healthyHosts = /fwspublicservices|sdmdataaccess|hydro\.nationalmap|services\.arcgis/

/**
 * Measures that a hanging or dead source does not slow others and is not called often, and that equal requests share
 * calls.
 */
export async function benchIsolation({ isLong }: { isLong: boolean }): Promise<void> {
  const standIn = await openStandIn()
  try {
    await hanging(standIn, isLong ? 60 : 20)
    await equalQuestions(standIn)
    await deadHost(standIn, isLong ? 60 : 20)
  } finally {
    standIn.close()
  }
}

async function hanging(standIn: StandIn, seconds: number): Promise<void> {
  const runs: Record<string, Run> = {}
  for (const what of ['healthy', 'one host hanging'] as const) {
    const testService = await standIn.testService()
    await standIn.report({ do: 'delay', ms: delay_ms })
    if (what !== 'healthy') await standIn.report({ do: 'hang', host: hangingHost })
    await offered(testService, { per_s: healthy_per_s, seconds: 3, fields: fieldLists.healthy }, 0)
    await standIn.report({ do: 'tell' })
    const [healthy, other] = await Promise.all([
      offered(testService, { per_s: healthy_per_s, seconds, fields: fieldLists.healthy }, 1),
      offered(testService, { per_s: hanging_per_s, seconds, fields: fieldLists.hanging }, 2),
    ])
    runs[what] = healthy
    const { received } = await standIn.report({ do: 'tell' })
    const toHanging = received.filter((host) => host === hangingHost).length
    const toHealthy = received.filter((host) => healthyHosts.test(host)).length
    console.log(
      `${what}: ${healthy.good} of ${healthy.offered} good, p50 ${quantile(healthy.took_ms, 0.5).toFixed(0)} ms, p99 ${quantile(healthy.took_ms, 0.99).toFixed(0)} ms; ${toHealthy} calls to healthy hosts, ${toHanging} to the hanging host; ${other.good} of ${other.offered} requests to it good`,
    )
    await testService.close()
    await standIn.report({ do: 'heal' })
  }
  const [before, after] = [runs.healthy!, runs['one host hanging']!]
  const goodput = after.good / after.offered / (before.good / before.offered)
  const [p99, limit] = [
    quantile(after.took_ms, 0.99),
    Math.max(2 * quantile(before.took_ms, 0.99), quantile(before.took_ms, 0.99) + 100),
  ]
  reportFigure('good answers of healthy sources while one host hangs', goodput.toFixed(3), goodput >= 0.95, '0.95')
  reportFigure('their p99', `${p99.toFixed(0)} ms`, p99 <= limit, `${limit.toFixed(0)} ms: double, or 100 ms more`)
}

type Run = { offered: number; good: number; took_ms: number[] }

/**
 * Sends each request for a new location, so that nothing is cached. `nth` keeps the locations of several runs apart.
 */
async function offered(
  testService: TestService,
  { per_s, seconds, fields }: { per_s: number; seconds: number; fields: string[] },
  nth: number,
): Promise<Run> {
  const run: Run = { offered: per_s * seconds, good: 0, took_ms: [] }
  const begin = performance.now()
  const queries: Promise<void>[] = []
  for (let i = 0; i < run.offered; i++) {
    await Bun.sleep(Math.max(0, begin + (1000 * i) / per_s - performance.now()))
    queries.push(one(pointOf(10_000 * nth + i), begin + (1000 * i) / per_s))
  }
  await Promise.all(queries)
  return run

  async function one(at: Point, due_ms: number): Promise<void> {
    const isGood = await good(testService, at, fields)
    run.took_ms.push(performance.now() - due_ms)
    if (isGood) run.good++
  }
}

async function good(testService: TestService, at: Point, fields: string[]): Promise<boolean> {
  const response = await testService.post('/v1/fetch', { ...at, fields })
  return response.ok && ((await response.json()) as FetchAnswer).partial_failures.length === 0
}

/** Returns a point near a place of the stand-in; each number is some metres further. */
function pointOf(i: number): Point {
  const { lat, lng } = testPlaces.kansas
  return { lat: lat + 0.0003 * (i % 200), lng: lng + 0.0003 * Math.floor(i / 200) }
}

async function equalQuestions(standIn: StandIn): Promise<void> {
  const counts: number[] = []
  for (const times of [1, equal]) {
    const testService = await standIn.testService({ FIELDSTONE_QUEUE: String(equal) })
    await standIn.report({ do: 'delay', ms: delay_ms })
    await standIn.report({ do: 'tell' })
    await Promise.all(
      Array.from({ length: times }, async () =>
        (await testService.post('/v1/fetch', { ...testPlaces.kansas, preset: 'flood_risk' })).text(),
      ),
    )
    counts.push((await standIn.report({ do: 'tell' })).received.length)
    await testService.close()
  }
  reportFigure(
    `${equal} equal requests at once (flood_risk)`,
    `${counts[1]} calls`,
    counts[1] === counts[0],
    `${counts[0]} calls, as one`,
  )
}

/** Requests new locations 20 times a second from a host that resets every connection. */
async function deadHost(standIn: StandIn, seconds: number): Promise<void> {
  const testService = await standIn.testService()
  await standIn.report({ do: 'break', host: hangingHost })
  await standIn.report({ do: 'tell' })
  await offered(testService, { per_s: 20, seconds, fields: fieldLists.hanging }, 5)
  const calls = (await standIn.report({ do: 'tell' })).received.filter((host) => host === hangingHost).length
  await testService.close()
  await standIn.report({ do: 'heal' })
  // 13 in a minute: five errors open the circuit breaker, then it allows an occasional attempt.
  const most = seconds === 60 ? 13 : 5 + Math.ceil((8 * seconds) / 60)
  reportFigure(
    `calls to a dead host in ${seconds} s of 20 requests a second`,
    `${calls} calls`,
    calls <= most,
    `${most}${seconds === 60 ? '' : ' (13 in 60 s with --long)'}`,
  )
}
