import { afterAll, describe, expect, test } from 'bun:test'
import { datasets, fields } from '../../catalog/contents.ts'
import type { AreaAnswer, AreaFieldResult } from '../../src/areas/area-answer.ts'
import { areaKindOf } from '../../src/catalog/area-kind.ts'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'

const service = openOnlineService()
afterAll(() => service.close())

/** The fields that an ArcGIS layer answers by the features that contain a place. */
const containingFields = fields
  .filter((field) => ['polygon_classes', 'polygon_share'].includes(areaKindOf(field)))
  .filter(({ read }) => datasets[read.dataset]!.serve.every(({ driver }) => driver === 'arcgis' || driver === 'pack'))
  // A fallback for an absent value, and a condition on other fields, are read at a point only.
  .filter(({ read }) => !read.skip_when && !read.fallback?.some((it) => it.when?.includes('absent')))
  .map(({ name }) => name)
const countFields = fields
  .filter(({ read }) => read.op === 'count' && datasets[read.dataset]!.serve.some(({ driver }) => driver === 'arcgis'))
  .map(({ name }) => name)

const boxAround = ({ lat, lng }: { lat: number; lng: number }, half: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [lng - half, lat - half],
      [lng + half, lat - half],
      [lng + half, lat + half],
      [lng - half, lat + half],
      [lng - half, lat - half],
    ],
  ],
})

async function areaFields(
  { post }: Pick<OnlineService, 'post'>,
  geometry: object,
  names: string[],
): Promise<Record<string, AreaFieldResult>> {
  const response = await post('/v1/areas', { geometry, fields: names })
  expect(response.status).toBe(200)
  return ((await response.json()) as AreaAnswer).fields
}

/** The only value of an area in which the value is the same everywhere. */
function singleValueOf({ value, absent_reason, absent_parts, error }: Record<string, unknown>): unknown {
  if (error !== undefined) return error
  if (value === null) return absent_reason ?? (absent_parts as { reason: string }[])[0]!.reason
  const { classes, share_true } = value as { classes?: { value: unknown; share: number }[]; share_true?: number }
  if (share_true !== undefined) return share_true === 1 ? true : share_true === 0 ? false : share_true
  return classes!.length === 1 && classes![0]!.share === 1 ? classes![0]!.value : classes
}

describe('a square of two meters, from ArcGIS layers,', () => {
  test.each(['boulder', 'miami_beach', 'new_orleans'] as const)('has the values of its center at %s', async (name) => {
    const place = testPlaces[name]
    for (let i = 0; i < containingFields.length; i += 50) {
      const names = containingFields.slice(i, i + 50)
      const ofArea = await areaFields(service, boxAround(place, 0.00001), names)
      const point = (await (await service.post('/v1/fetch', { ...place, fields: names })).json()) as FetchAnswer
      for (const field of names) {
        const { status, value, absent_reason } = point.fields[field]! as Record<string, unknown>
        if (status === 'failed') continue
        // The service of the watersheds times out when a request includes outlines.
        if (field.startsWith('huc')) expect(ofArea[field]!.status).toBe('failed')
        else
          expect([field, singleValueOf(ofArea[field]!)]).toEqual([field, status === 'absent' ? absent_reason : value])
      }
    }
  })
})

describe('an area', () => {
  test('is divided by the outlines that the service sends', async () => {
    const { fema_flood_zone: zone } = await areaFields(service, boxAround(testPlaces.boulder, 0.01), [
      'fema_flood_zone',
    ])
    expect(zone).toMatchObject({ status: 'ok', driver: 'arcgis', cache: 'miss' })
    const { classes } = zone!.value as { classes: { share: number }[] }
    const sum = classes.reduce((total, { share }) => total + share, 0)
    expect([classes.length > 1, Math.abs(sum - zone!.covered_share) < 1e-9]).toEqual([true, true])
  })

  test('is answered again from the cache', async () => {
    const { upstreams } = service
    const geometry = boxAround(testPlaces.boulder, 0.011)
    await areaFields(service, geometry, ['fema_flood_zone', 'within_floodplain_polygon'])
    const calls = upstreams.calls.length
    const again = await areaFields(service, geometry, ['fema_flood_zone', 'within_floodplain_polygon'])
    expect([upstreams.calls.length, again.fema_flood_zone!.cache]).toEqual([calls, 'hit'])
  })

  test('counts what touches it, and finds what is near it', async () => {
    const geometry = boxAround(testPlaces.boulder, 0.02)
    const counted = await areaFields(service, geometry, countFields.slice(0, 50))
    for (const [name, result] of Object.entries(counted))
      expect([name, result.status === 'failed' && result.error]).toEqual([name, false])
    const { nearest_wetland_distance_m: wetland } = await areaFields(service, geometry, ['nearest_wetland_distance_m'])
    expect(wetland!.value).toEqual({ distance_m: 0, feature: { nearest_wetland_type: 'Freshwater Emergent Wetland' } })
  })
})

describe('records of census tracts', () => {
  test('have the share of each tract, and counts are apportioned by area; medians and rates are not', async () => {
    const names = ['tract_population_acs5', 'tract_median_household_income_usd', 'tract_population_density_per_km2']
    const known = names.filter((name) => fields.some((field) => field.name === name))
    const results = await areaFields(service, boxAround(testPlaces.boulder, 0.001), known)
    const { units, apportioned_sum } = results.tract_population_acs5!.value as {
      units: { key: string; value: number; share: number; share_of_unit: number }[]
      apportioned_sum: number
    }
    expect(units.map(({ key }) => key)).toEqual(['08013012203'])
    expect(units[0]).toMatchObject({ value: 4321, share: 1 })
    expect(apportioned_sum).toBeCloseTo(4321 * units[0]!.share_of_unit, 0)
    expect(results.tract_population_acs5!.notes).toStartWith('The apportioned_sum is an estimate')
    const { tract_housing_units_count: homes } = await areaFields(service, boxAround(testPlaces.boulder, 0.001), [
      'tract_housing_units_count',
    ])
    const { units: ofHomes, apportioned_sum: sumOfHomes } = homes!.value as {
      units: { value: number; share_of_unit: number }[]
      apportioned_sum: number
    }
    expect(sumOfHomes).toBeCloseTo(ofHomes[0]!.value * ofHomes[0]!.share_of_unit, 0)
    for (const name of known.slice(1)) expect(results[name]!.value).not.toHaveProperty('apportioned_sum')
    expect(known.slice(1).map((name) => results[name]!.notes)).toEqual([null, null])
  })
})

describe('records of block groups', () => {
  test('have the share of each block group, and the population of an area is apportioned', async () => {
    const { block_group_population: result } = await areaFields(service, boxAround(testPlaces.boulder, 0.001), [
      'block_group_population',
    ])
    const { units, apportioned_sum } = result!.value as {
      units: { key: string; value: number; share: number; share_of_unit: number }[]
      apportioned_sum: number
    }
    expect(units).toMatchObject([{ key: '080130122032', share: 1 }])
    expect(apportioned_sum).toBeCloseTo(units[0]!.value * units[0]!.share_of_unit, 0)
  })
})

const rasterFields = fields.filter(
  (field) =>
    areaKindOf(field).startsWith('raster') &&
    datasets[field.read.dataset]!.serve.some(({ driver }) => driver === 'cog' || driver === 'imageserver'),
)

describe('the cells of services', () => {
  test.each(['boulder', 'miami_beach'] as const)('have the values of points at %s', async (name) => {
    const place = testPlaces[name]
    const names = rasterFields.map((field) => field.name)
    const ofArea: Record<string, AreaFieldResult> = {}
    // A few at a time, so that none reaches its deadline on a busy machine.
    for (let i = 0; i < names.length; i += 5)
      Object.assign(ofArea, await areaFields(service, boxAround(place, 0.00001), names.slice(i, i + 5)))
    const point = (await (await service.post('/v1/fetch', { ...place, fields: names })).json()) as FetchAnswer
    for (const { name: field, decimals = 6 } of rasterFields) {
      const { status, value, absent_reason } = point.fields[field]! as Record<string, unknown>
      const { value: found } = ofArea[field]! as { value: { mean?: number } | null }
      const ofCells = found?.mean === undefined ? singleValueOf(ofArea[field]!) : Number(found.mean.toFixed(decimals))
      // A point is interpolated between the cells.
      if (field === 'elevation') expect(Math.abs(Number(ofCells) - Number(value))).toBeLessThan(0.1)
      else expect([field, ofCells]).toEqual([field, status === 'absent' ? absent_reason : value])
    }
  })

  test('of several files count in the square of each file, and a file that does not exist has no data', async () => {
    const { lng } = testPlaces.boulder
    const { elevation: whole } = await areaFields(service, boxAround({ lat: 40, lng }, 0.003), ['elevation'])
    const { elevation: south } = await areaFields(service, boxAround({ lat: 39.997, lng }, 0.003), ['elevation'])
    const northHalf = boxAround({ lat: 40, lng }, 0.003)
    for (const position of northHalf.coordinates[0]!) position[1] = Math.max(40, position[1]!)
    const { elevation: north } = await areaFields(service, northHalf, ['elevation'])
    expect(whole).toMatchObject({
      status: 'ok',
      driver: 'cog',
      covered_share: 0.5,
      absent_parts: [{ reason: 'no_data' }],
    })
    expect(south).toMatchObject({ status: 'absent', absent_reason: 'no_data' })
    expect(north).toMatchObject({ status: 'ok', covered_share: 1, value: whole!.value })
  })

  test('along a line are a profile', async () => {
    const { lat, lng } = testPlaces.boulder
    const coordinates = [
      [lng, lat],
      [lng + 0.004, lat],
    ]
    const names = ['elevation', 'tree_canopy_pct']
    const profiles = await areaFields(service, { type: 'LineString', coordinates }, names)
    for (const name of names) {
      const { profile } = profiles[name]!.value as { profile: [number, number | null][] }
      expect([name, profile.length, profile[0]![0]]).toEqual([name, 35, 0])
    }
  })

  test('fail if the exported cell is not what the service answers about its center', async () => {
    const online = openOnlineService()
    online.upstreams.fault({ path: /\/identify$/ }, { status: 500 })
    const results = await areaFields(online, boxAround(testPlaces.boulder, 0.0005), ['tree_canopy_pct'])
    expect(results.tree_canopy_pct).toMatchObject({ status: 'failed', error: expect.stringContaining('upstream_5xx') })
    await online.close()
  })
})
