import { presets } from '../../catalog/contents.ts'
import { fieldsPerRequestMax } from '../../src/catalog/records.ts'
import type { Point } from '../../src/model/place.ts'
import { testPlaces } from '../../test/upstreams/test-places.ts'
import type { TestService } from '../../test/support/test-service.ts'
import { longestChain } from './chain.ts'
import { reportFigure, printTable } from './report.ts'
import { fetchPreset, openStandIn, readAnswer, sourceDelay_ms as delay_ms, type StandIn } from './stand-in.ts'

const allowance_ms = 15
/** Slow enough to distinguish a call that waited for another call from one that waited for a processor. */
const slowly_ms = 400
const mostCalls: Record<string, number> = { flood_risk: 8, terrain: 3 }
const mostForAll = 150
const measuredAt = ['boulder', 'miami_beach'] as const
/**
 * Each attempt uses a new service. A late one is repeated, because garbage collection or other processes can delay it.
 */
const triesMost = 3

/** Measures presets with sources that answer in 50 ms and nothing cached, and the number of calls for all fields. */
export async function benchSources(): Promise<void> {
  const standIn = await openStandIn()
  try {
    await presetsCold(standIn)
    await everyField(standIn)
  } finally {
    standIn.close()
  }
}

async function presetsCold(standIn: StandIn): Promise<void> {
  const rows: (string | number)[][] = []
  let late = 0
  // All services share the code of this process, which is compiled while it runs.
  await (await standIn.testService()).close()
  for (const place of measuredAt) {
    for (const [preset, { fields }] of Object.entries(presets)) {
      const measure = (ms: number) => measureCold(standIn, testPlaces[place], { preset, ms })
      const slow = await measure(slowly_ms)
      const chain = longestChain(slow.calls)
      const tries: Awaited<ReturnType<typeof measure>>[] = []
      while (tries.length < triesMost && !tries.some(({ took_ms }) => took_ms <= delay_ms * chain + allowance_ms))
        tries.push(await measure(delay_ms))
      const { took_ms, calls, failed } = tries.toSorted((a, b) => a.took_ms - b.took_ms)[0]!
      const limit_ms = delay_ms * chain + allowance_ms
      if (took_ms > limit_ms) late++
      rows.push([
        preset,
        place,
        fields.length,
        failed,
        calls.length,
        chain,
        took_ms.toFixed(0),
        limit_ms,
        took_ms > limit_ms ? 'MISSED' : 'held',
      ])
      const most = mostCalls[preset]
      if (most !== undefined)
        reportFigure(
          `${preset} at ${place}`,
          `${calls.length} calls`,
          calls.length <= most,
          preset === 'terrain' ? '2 calls, 3 where its window crosses a tile' : `${most} calls`,
        )
    }
  }
  printTable(
    `Presets with nothing cached for the place; every source answers in ${delay_ms} ms`,
    ['preset', 'place', 'fields', 'failed', 'calls', 'chain', 'ms', 'limit', ''],
    rows,
  )
  reportFigure(
    'presets within 50 ms for each call of their longest chain, plus 15 ms',
    `${rows.length - late} of ${rows.length}`,
    late === 0,
    'all',
  )
}

/** Requests a preset once from a service with nothing cached for the place. */
async function measureCold(standIn: StandIn, at: Point, { preset, ms }: { preset: string; ms: number }) {
  const testService = await standIn.testService({}, [preset])
  try {
    await standIn.report({ do: 'delay', ms })
    await standIn.report({ do: 'tell' })
    const begin = performance.now()
    const answer = await fetchPreset(testService, at, preset)
    const took_ms = performance.now() - begin
    const { calls } = await standIn.report({ do: 'tell' })
    return { took_ms, calls, failed: answer.partial_failures.length }
  } finally {
    await testService.close()
    await standIn.report({ do: 'heal' })
    await standIn.report({ do: 'delay', ms: 0 })
  }
}

/** The first point loads tables and editions, as in a running service. Only the others are counted. */
async function everyField(standIn: StandIn): Promise<void> {
  const testService = await standIn.testService({ FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter' })
  const names = [...testService.app.catalog.fields.keys()]
  const { new_orleans: first, ...others } = testPlaces
  await counted(standIn, testService, first, names)
  const calls: [place: string, hosts: string[]][] = []
  for (const [place, at] of Object.entries(others)) calls.push([place, await counted(standIn, testService, at, names)])
  await testService.close()
  for (const [place, { length }] of calls)
    if (isMeasured(place))
      reportFigure(
        `every field (${names.length}) at ${place}`,
        `${length} calls`,
        length <= mostForAll,
        `${mostForAll} calls`,
      )
  printTable(
    'Calls for every field, by place; where nothing is near, the search continues in wider rings',
    ['place', 'calls'],
    calls.map(([place, { length }]) => [place, length]),
  )
  perHost(...calls[0]!)
}

function isMeasured(place: string): boolean {
  return measuredAt.some((it) => it === place)
}

async function counted(standIn: StandIn, testService: TestService, at: Point, names: string[]): Promise<string[]> {
  await standIn.report({ do: 'tell' })
  for (let first = 0; first < names.length; first += fieldsPerRequestMax)
    await readAnswer(
      await testService.post('/v1/fetch', { ...at, fields: names.slice(first, first + fieldsPerRequestMax) }),
    )
  return (await standIn.report({ do: 'tell' })).received
}

function perHost(place: string, hosts: string[]): void {
  const counts = [...Map.groupBy(hosts, (host) => host)]
    .map(([host, calls]): [string, number] => [host, calls.length])
    .toSorted((a, b) => b[1] - a[1])
  printTable(`Calls to each host for every field at ${place}`, ['host', 'calls'], counts)
}
