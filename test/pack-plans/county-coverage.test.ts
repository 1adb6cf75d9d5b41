import { afterAll, describe, expect, test } from 'bun:test'
import { createYieldToEventLoop } from '../../src/async/incremental-task.ts'
import { noDeadline } from '../../src/async/deadline.ts'
import type { CoverageDocument } from '../../src/catalog/meta-documents.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { fetchFields } from '../../src/fetch/fetch.ts'
import { computeCountyCoverage } from '../../src/pack-plans/county-coverage.ts'
import { openCounties } from '../../src/pack-plans/counties.ts'
import { geometryContains } from '../../src/geo/measure.ts'
import type { InstalledData } from '../../src/packs/pack-entry.ts'
import { openTestService } from '../support/test-service.ts'

const service = openTestService()
afterAll(() => service.close())
const { catalog, embedded } = service.app
const counties = openCounties(embedded)
const layer = embedded.layer('counties')

/** A pack of a dataset for a county, or for everything west of a meridian. */
const packOf = (dataset: string, county: string): InstalledData => {
  const polygons = counties.find(county)!.polygons()
  const lngs = polygons.flat(2).map(([lng]) => lng)
  const lats = polygons.flat(2).map(([, lat]) => lat)
  const box = { west: Math.min(...lngs), east: Math.max(...lngs), south: Math.min(...lats), north: Math.max(...lats) }
  return { dataset, area: county, box, covers: (at) => geometryContains({ polygons }, at) }
}
const packWestOf = (dataset: string, meridian: number): InstalledData => ({
  dataset,
  area: null,
  box: { west: -180, east: meridian, south: -90, north: 90 },
  covers: ({ lng }) => lng <= meridian,
})
const coverageWith = (installed: InstalledData[]) =>
  computeCountyCoverage({ catalog, installed, embedded }, createYieldToEventLoop(5))
const groupOf = (groups: CoverageDocument['groups'], fips: string) =>
  groups.find((group) => group.counties.includes(fips))!
/** Those of a parcel need the parcel too. */
const wetlandFields = [...catalog.fields.values()].filter(
  ({ name, read }) => read.dataset === 'usfws_nwi' && !name.endsWith('_parcel'),
).length

describe('the coverage of counties', () => {
  test('lists each county once, and the group with the most fields first', async () => {
    const groups = await coverageWith([packOf('usfws_nwi', '08013')])
    const all = groups.flatMap((group) => group.counties)
    expect([new Set(all).size, all.length]).toEqual([layer.features, layer.features])
    expect(groups.map(({ fields }) => fields)).toEqual(groups.map(({ fields }) => fields).toSorted((a, b) => b - a))
    expect(groups[0]!.counties).toEqual(['08013'])
  })

  test('counts a pack only where it covers the whole county', async () => {
    const none = groupOf(await coverageWith([]), '08013').fields
    const groups = await coverageWith([packOf('usfws_nwi', '08013'), packOf('usfws_nwi', '08059')])
    expect(['08013', '08059', '08001'].map((fips) => groupOf(groups, fips).fields - none)).toEqual([
      wetlandFields,
      wetlandFields,
      0,
    ])
    // The meridian divides Boulder County.
    const west = await coverageWith([packWestOf('usfws_nwi', -105.3)])
    expect(['08013', '08049', '08001'].map((fips) => groupOf(west, fips).fields - none)).toEqual([0, wetlandFields, 0])
  })

  test('does not count a dataset in a region where it has no data', async () => {
    const [id] = [...catalog.datasets].find(
      ([, { coverage, serve }]) =>
        coverage.regions !== 'everywhere' &&
        !coverage.regions.includes('pr') &&
        serve.some(({ driver }) => driver === 'pack'),
    )!
    const without = await coverageWith([])
    const groups = await coverageWith([packWestOf(id, 180)])
    expect(groupOf(groups, '72001').fields).toBe(groupOf(without, '72001').fields)
    expect(groupOf(groups, '08001').fields).toBeGreaterThan(groupOf(without, '08001').fields)
  })
})

test('a preset whose fields have mostly no data in a region is not complete there', async () => {
  const groups = await coverageWith([])
  expect(groupOf(groups, '02020').presets).not.toContain('land_cover')
  // American Samoa: of the grid, only the queue of its county is known.
  expect(groupOf(groups, '60010').presets).toEqual(['place_context'])
  expect(groups.every(({ presets }) => presets.includes('place_context'))).toBe(true)
})

describe('GET /v1/meta/coverage', () => {
  test('counts the fields that this server answers without a network', async () => {
    const { fields, groups } = (await (await service.send('/v1/meta/coverage')).json()) as CoverageDocument
    expect(fields).toBe(catalog.fields.size)
    const place = await service.app.locate({ lat: 40.015, lng: -105.27 }, noDeadline)
    const answer = await fetchFields([...catalog.fields.values()], place, noDeadline, service.app)
    // A field that is skipped at a place needs no data there. It has no driver.
    const isAnswered = ({ status, driver }: FieldResult) => status !== 'failed' && driver !== null
    const answered = Object.values(answer.fields).filter(isAnswered).length
    expect(groupOf(groups, '08013').fields).toBe(answered)
  })

  test('is public, and answers 304 to its own ETag', async () => {
    const headers = { authorization: '' }
    const first = await service.send('/v1/meta/coverage', { headers })
    expect(first.status).toBe(200)
    const etag = first.headers.get('etag')!
    expect((await service.send('/v1/meta/coverage', { headers: { ...headers, 'if-none-match': etag } })).status).toBe(
      304,
    )
  })
})
