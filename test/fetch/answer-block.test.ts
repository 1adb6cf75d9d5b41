import { afterAll, expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import { areAnsweredLocally } from '../../src/bulk/local-answers.ts'
import { PlaceBlock } from '../../src/fetch/place-block.ts'
import type { Place, Point } from '../../src/model/place.ts'
import { placeAt } from '../../src/place/locate.ts'
import { openTestService } from '../support/test-service.ts'

const service = openTestService()
afterAll(() => service.close())
const { embedded, plans, catalog, registry, log } = service.app
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

function blockOf(places: Place[]): PlaceBlock {
  const arrays = {
    lats: Float64Array.from(places, ({ lat }) => lat),
    lngs: Float64Array.from(places, ({ lng }) => lng),
    regions: places.map(({ region }) => region),
  }
  return new PlaceBlock(arrays, now, budget)
}

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
  const different: unknown[] = []
  let ownValues = 0
  for (const seed of [1, 2]) {
    const all = places(seed)
    const columns = await plan.answerBlock(blockOf(all), log)
    for (const [i, place] of all.entries()) {
      const outcomes = await plan.answer(place, budget, { log, now: () => now })
      for (const [f, { name }] of fields.entries()) {
        const { value, members } = outcomes[f]!
        const column = columns[f]!
        const found = column.outcomeAt(i)
        if (!found) ownValues++
        const isSame = found
          ? Bun.deepEquals([found.value, found.members], [value, members], true)
          : column.ownValues[i] === value && members.object.status === 'ok' && !('moe_90' in members.object)
        if (!isSame) different.push([place, name, found ?? column.ownValues[i], value])
      }
    }
  }
  expect(different.slice(0, 3)).toEqual([])
  expect(ownValues).toBeGreaterThan(0)
}, 120_000)
