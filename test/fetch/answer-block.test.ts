import { afterAll, expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import type { Admission } from '../../src/fetch/admission.ts'
import { answerBatch, batchLocationsMax } from '../../src/fetch/batch.ts'
import type { BatchAnswer } from '../../src/fetch/fetch-answer.ts'
import { answerAt } from '../../src/fetch/fetch.ts'
import type { SourceUsage } from '../../src/fetch/answer-template.ts'
import { areAnsweredLocally } from '../../src/fetch/local-fields.ts'
import { FetchPlans } from '../../src/fetch/fetch-plan.ts'
import { blockOf } from '../../src/fetch/place-block.ts'
import { ApiError } from '../../src/model/error.ts'
import type { Place, Point } from '../../src/model/place.ts'
import { formatTimestamp } from '../../src/model/text.ts'
import { placeAt, type LocationInput } from '../../src/place/locate.ts'
import { openTestService } from '../support/test-service.ts'
import { outcomesAt } from './fake-context.ts'

const service = openTestService()
afterAll(() => service.close())
const { embedded, plans, catalog, registry, log, admission, locate } = service.app
const counties = () => embedded.layer('counties')
const budget = { signal: new AbortController().signal }
const now = new Date('2026-11-23T12:00:00Z')

/** All fields that need no network, and some that have no source here. */
const fields = [...catalog.fields.values()].filter(
  (field) =>
    field.name === 'parcel_apn' ||
    field.name === 'elevation' ||
    (registry.dataset(field.read.dataset).options.length > 0 && areAnsweredLocally([field], service.app)),
)

/** Points on borders, beside them, on the antimeridian, abroad, at sea, and anywhere. */
function places(seed: number): Place[] {
  const random = randomOf(seed)
  const points: Point[] = [
    { lat: 51.9, lng: 180 },
    { lat: 51.9, lng: -180 },
    { lat: 43.65, lng: -79.38 },
    { lat: 25, lng: -68 },
    { lat: -14.3, lng: -170.7 },
  ]
  for (const name of ['counties', 'timezones', 'states'].filter((it) => embedded.manifest.has(it)))
    for (let i = 0; i < 150; i++) {
      const layer = embedded.layer(name)
      const [ring] = layer.geometryAt(Math.floor(random() * layer.features)).polygons[0]!
      const [lng, lat] = ring![Math.floor(random() * ring!.length)]!
      points.push({ lat, lng }, { lat: lat + 1e-6 * (random() - 0.5), lng: lng + 1e-6 * (random() - 0.5) })
    }
  for (let i = 0; i < 600; i++) points.push({ lat: 24 + 26 * random(), lng: -125 + 59 * random() })
  for (let i = 0; i < 100; i++) points.push({ lat: 51 + 20 * random(), lng: -180 + 50 * random() })
  return points.flatMap((point) => {
    try {
      return [placeAt(counties, point)]
    } catch {
      return []
    }
  })
}

test('a block of places has the outcomes of its places, for every local field', async () => {
  expect(fields.length).toBeGreaterThan(40)
  const plan = plans.planOf(fields)
  const context = { log, now: () => now }
  const different: unknown[] = []
  for (const seed of [1, 2]) {
    const all = places(seed)
    const columns = await plan.answer(blockOf(all, budget, { ...context, layers: 'all' }))
    for (const [i, place] of all.entries()) {
      // A new plan evaluates each field at the place.
      const expected = await outcomesAt(place, new FetchPlans(catalog, registry).planOf(fields), context)
      for (const [f, { name }] of fields.entries()) {
        const { value, members } = columns[f]!.at(i)
        if (!Bun.deepEquals([value, members], [expected[f]!.value, expected[f]!.members], true))
          different.push([place, name, value, expected[f]!.value])
      }
    }
  }
  expect(different.slice(0, 3)).toEqual([])
}, 120_000)

test('a batch of local fields returns and counts the same as requests for its locations', async () => {
  const plan = plans.planOf(fields)
  expect(plan.isLocal).toBe(true)
  const counted = { together: [] as string[], single: [] as string[] }
  const contextOf = (counts: string[]) => ({
    catalog,
    registry,
    plans,
    log,
    admission,
    locate,
    now: () => now,
    onSourceUsage: (usages: SourceUsage[]) => void counts.push(...usages.map((it) => `${it.source} ${it.fields}`)),
    onFieldResult: ({ source, status }: { source: string; status: string }, count: number) =>
      void counts.push(`${source} ${status} ${count}`),
  })
  const entryOf = async (location: LocationInput, index: number) => {
    try {
      const answer = await answerAt(location, plan, budget, contextOf(counted.single))
      return { index, ok: true, ...answer.toJSON() }
    } catch (error) {
      return { index, ok: false, fetched_at: formatTimestamp(now), error: (error as ApiError).detail }
    }
  }
  const points = places(3).map(({ lat, lng }): LocationInput => ({ lat, lng }))
  for (let i = 0; i < points.length; i += batchLocationsMax) {
    const locations = [
      ...points.slice(i, i + batchLocationsMax - 2),
      { lat: 48.85, lng: 2.35 },
      { address: '1 Main St' },
    ]
    const batch = await answerBatch(locations, plan, budget, contextOf(counted.together))
    expect(JSON.parse(batch.toText()).results).toEqual(await Promise.all(locations.map(entryOf)))
  }
  expect(counted.together.length).toBeGreaterThan(1000)
  expect(counted.together.toSorted()).toEqual(counted.single.toSorted())
}, 120_000)

test('a batch of local fields is answered one by one where it cannot be answered together', async () => {
  const plan = plans.select({ fields: ['county', 'timezone'] }, 'none')
  let calls = 0
  const busyOnce: Admission = {
    run: admission.run.bind(admission),
    runDirectly: (work, budget) => {
      if (calls++ === 0) throw new ApiError('fetch_busy', 'Busy.')
      return admission.runDirectly(work, budget)
    },
  }
  const context = { catalog, registry, plans, log, locate, now: () => now, admission: busyOnce }
  const locations = [
    { lat: 39.7, lng: -105 },
    { lat: 40.7, lng: -74.02 },
  ]
  const { results } = JSON.parse((await answerBatch(locations, plan, budget, context)).toText()) as BatchAnswer
  expect(results.map((it) => it.ok && it.fields.county!.status)).toEqual(['ok', 'ok'])
  expect(calls).toBe(3)
})
