import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf } from '../../scripts/bench/random.ts'
import { FetchPlans } from '../../src/fetch/fetch-plan.ts'
import { areAnsweredLocally } from '../../src/fetch/local-fields.ts'
import { PlaceBlock, blockOf } from '../../src/fetch/place-block.ts'
import type { Place, Point } from '../../src/model/place.ts'
import type { Feature, Properties } from '../../src/model/source.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { openTestService } from '../support/test-service.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { catalogAttributesOf } from '../packs/catalog-attributes.ts'
import { writePack } from '../packs/write-pack.ts'
import { createTestContext, denver, fakeOption, fetchBudget, outcomesAt } from './fake-context.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

const [west, south] = [-105, 39]
const seed = 20_261_123
const random = randomOf(seed)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
const corners: Point[] = []

/** Boxes on a grid, so that many overlap and share borders. Some geometries are invalid. */
function writeBoxes(file: string, layer: string, attributesOf: () => Properties, invalidShare = 0): void {
  const complete = catalogAttributesOf(file, layer)
  const boxes = Array.from({ length: 60 }, (): [number, number, number, number] => {
    const [x, y, size] = [west + Math.floor(20 * random()) / 20, south + Math.floor(20 * random()) / 20, 0.1]
    corners.push({ lat: y, lng: x }, { lat: y + size / 2, lng: x }, { lat: y + size, lng: x + size })
    return [x, x + size, y, y + size]
  })
  const features = boxes.map(([x, e, y, n]) => ({
    geom: random() < invalidShare ? new Uint8Array([1, 2, 3]) : blob(polygonWkb(boxRing(x, y, e, n))),
    attributes: complete(attributesOf()),
  }))
  writePack(join(folder, file)).layer(layer, features, { boxes }).close()
}

const zoneOf = () => ({
  FLD_ZONE: pick(['X', 'AE', 'VE', 'AREA NOT INCLUDED', 'D', null]),
  SFHA_TF: pick(['T', 'F']),
  ZONE_SUBTY: pick([null, 'FLOODWAY']),
  STATIC_BFE: pick([-9999, 5280]),
  LEN_UNIT: null,
})
const wetlandOf = () => ({
  ATTRIBUTE: pick(['PFO1A', 'L1UBH', 'nonsense']),
  WETLAND_TYPE: pick(['Lake', null]),
  ACRES: random(),
})
writeBoxes('fema_nfhl.gpkg', 'S_FLD_HAZ_AR', zoneOf, 0.05)
writeFileSync(join(folder, 'fema_nfhl.json'), JSON.stringify({ coverage: [west, south, west + 0.9, south + 0.9] }))
mkdirSync(join(folder, 'usfws_nwi'))
for (const [part, from] of ['2021', '2024'].entries()) {
  writeBoxes(`usfws_nwi/${part}.gpkg`, 'Wetlands', wetlandOf)
  const coverage = [west + 0.4 * part, south, west + 0.4 * part + 0.6, south + 0.95]
  writeFileSync(
    join(folder, `usfws_nwi/${part}.json`),
    JSON.stringify({ vintage: from, coverage, ...(part === 0 && { margin_m: 0 }) }),
  )
}

test(`a block of places has the outcomes of its places, for every field of a pack (seed ${seed})`, async () => {
  const service = openTestService({ FIELDSTONE_PACKS: folder })
  const { app } = service
  await app.packs.waitUntilChecked()
  const { catalog, registry, log, plans } = app
  const fields = [...catalog.fields.values()].filter(
    (field) =>
      registry.dataset(field.read.dataset).options[0]?.driver === 'pack' &&
      areAnsweredLocally([field], { catalog, registry }),
  )
  expect(fields.length).toBeGreaterThan(10)
  const at = (point: Point): Place => app.fetchContext({ id: 'owner', name: 'owner', scopes: new Set() }).placeAt(point)
  const anywhere = Array.from({ length: 200 }, () => ({ lat: south + random(), lng: west + random() }))
  const places = [...corners, ...anywhere].map(at)
  const now = () => new Date('2026-11-23T12:00:00Z')
  const context = { log, now }
  const kinds = new Set<unknown>()
  const outcomesOf = (all: readonly { value: unknown; members: { object: object } }[]) =>
    all.map(({ value, members }) => ({ value, ...members.object }))
  const plan = plans.planOf(fields)
  const answer = (some: Place[]) => plan.answer(blockOf(some, fetchBudget, { ...context, layers: 'all' }))
  const first = await answer(places)
  const again = await answer(places.toReversed())
  const ofPlace = (columns: typeof first, i: number) => columns.map((column) => column.at(i))
  for (const [i, place] of places.entries()) {
    const fresh = new FetchPlans(catalog, registry).planOf(fields)
    const expected = outcomesOf(await outcomesAt(place, fresh, context))
    expect(outcomesOf(ofPlace(first, i))).toEqual(expected)
    expect(outcomesOf(ofPlace(again, places.length - 1 - i))).toEqual(expected)
    expect(outcomesOf(await outcomesAt(place, plan, context))).toEqual(expected)
    for (const it of expected as { status?: string; error?: string; dataset_vintage?: string }[])
      kinds.add(it.status).add(it.error?.split(':')[0]).add(it.dataset_vintage)
  }
  for (const kind of ['ok', 'absent', 'failed', 'bad_value', 'offline_no_data', '2021', '2024'])
    expect(kinds).toContain(kind)
  await service.close()
})

test('a pack with more lists of features than are numbered answers each place', async () => {
  const contents = contentsOf([fieldOf('name', { dataset: 'areas', op: 'attribute', attribute: 'NAME' })], {
    datasets: { areas: datasetOf({ service: 'areas' }) },
  })
  const idAt = ({ lat }: Point) => Math.round(lat * 1000)
  let queries = 0
  const option = {
    ...fakeOption(() => []),
    inFiles: { covers: () => true, containingRows: (at: Point) => [idAt(at)] },
    source: ({ at }: { at: Point }): Feature[] => {
      queries++
      return [{ properties: { NAME: `area ${idAt(at)}` }, distance_m: 0 }]
    },
  }
  const { context } = createTestContext(contents, { areas: [option] })
  const plan = context.plans.select({ fields: ['name'] }, 'none')
  const size = 3000
  const queriesOfBlock = async (number: number) => {
    const [from, before] = [number * size, queries]
    const ids = Array.from({ length: size }, (_, i) => from + i)
    const lats = Float64Array.from(ids, (id) => id / 1000)
    const arrays = { lats, lngs: new Float64Array(size), regions: ids.map(() => denver.region) }
    const [column] = await plan.answer(new PlaceBlock(arrays, fetchBudget, { ...context, layers: 'all' }))
    expect(ids.every((id, i) => column!.at(i).value === `area ${id}`)).toBe(true)
    const [outcome] = await outcomesAt({ ...denver, lat: lats[7]! }, plan, context)
    expect(outcome!.value).toBe(`area ${ids[7]}`)
    return queries - before
  }
  for (const number of [0, 1, 2, 3, 4]) expect(await queriesOfBlock(number)).toBeGreaterThanOrEqual(size)
  expect(await queriesOfBlock(4)).toBe(0)
  expect(await queriesOfBlock(0)).toBeGreaterThanOrEqual(size)
})
