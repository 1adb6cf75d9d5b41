import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AreaAnswer, AreaFieldResult } from '../../src/areas/area-answer.ts'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { areaCsvOf } from '../../src/web/areas/area-csv.ts'
import { areaDisplayOf } from '../../src/web/areas/area-rows.ts'
import { blob, boxRing, lineWkb, pointWkb, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { detailOf } from '../support/http-service.ts'
import { openPackService } from '../support/pack-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
const polygon = (attributes: Record<string, string | number | null>, ...box: [number, number, number, number]) => ({
  geom: blob(polygonWkb(boxRing(...box))),
  attributes,
})
const zone = (FLD_ZONE: string, SFHA_TF: string, ...box: [number, number, number, number]) =>
  polygon({ FLD_ZONE, SFHA_TF, ZONE_SUBTY: null, STATIC_BFE: null, LEN_UNIT: null }, ...box)

// The unit square is 0.1 degrees wide. West third: zone AE over zone X. Then 0.02 degrees not included, then unmapped.
writePack(join(packs, 'fema_nfhl.gpkg'))
  .layer('S_FLD_HAZ_AR', [
    zone('X', 'F', -105.2, 38.9, -104.95, 39.2),
    zone('AE', 'T', -105.2, 38.9, -104.97, 39.2),
    zone('AREA NOT INCLUDED', 'F', -104.95, 38.9, -104.93, 39.2),
    zone('D', 'F', -104.5, 38.9, -104.4, 39.2),
  ])
  .close()
writePack(join(packs, 'usfws_nwi.gpkg'))
  .layer('Wetlands', [
    polygon({ ATTRIBUTE: 'PFO1A', WETLAND_TYPE: 'Lake', ACRES: 2 }, -104.98, 39.02, -104.96, 39.04),
    polygon({ ATTRIBUTE: 'PFO1A', WETLAND_TYPE: 'Pond', ACRES: 1 }, -104.86, 39.02, -104.85, 39.04),
  ])
  .close()
for (const [pack, east] of [
  ['usfws_nwi', -104.92],
  ['usgs_landslide', -104],
] as const)
  writeFileSync(join(packs, `${pack}.json`), JSON.stringify({ coverage: [-105.2, 38.9, east, 39.2] }))
writePack(join(packs, 'usgs_nhd.gpkg'))
  .layer('NHDFlowline', [
    {
      geom: blob(lineWkb([-105.1, 39.05], [-104.95, 39.05])),
      attributes: { gnis_name: 'Creek', ftype: 460, fcode: 46006, permanent_identifier: 'a' },
    },
    {
      geom: blob(lineWkb([-104.95, 39.05], [-104.95, 39.3])),
      attributes: { gnis_name: 'Creek', ftype: 460, fcode: 46006, permanent_identifier: 'b' },
    },
  ])
  .close()
const soil = (mukey: string, ...box: [number, number, number, number]) => polygon({ mukey }, ...box)
writePack(join(packs, 'ssurgo.gpkg'))
  .layer('mupolygon', [
    soil('10', -105.1, 38.9, -104.98, 39.2),
    soil('20', -104.98, 38.9, -104.95, 39.2),
    soil('10', -104.95, 38.9, -104.94, 39.2),
  ])
  .table('mapunit', [
    { mukey: '10', muname: 'loam' },
    { mukey: '20', muname: 'sand' },
  ])
  .table('muaggatt', [
    { mukey: '10', hydgrpdcd: 'B', drclassdcd: 'Well drained' },
    { mukey: '20', hydgrpdcd: 'A', drclassdcd: 'Excessively drained' },
  ])
  .close()
writePack(join(packs, 'usgs_landslide.gpkg'))
  .layer('US_Landslide_point', [{ geom: blob(pointWkb([-104.8, 39.05])), attributes: { Confidence: 5 } }])
  .close()

const service = await openPackService(packs)

const ringOf = (west: number, south: number, east: number, north: number) => boxRing(west, south, east, north)
const square = { type: 'Polygon', coordinates: [ringOf(-105, 39, -104.9, 39.1)] }
const row = {
  type: 'LineString',
  coordinates: [
    [-105, 39.03],
    [-104.9, 39.03],
  ],
}

async function areaAnswer(geometry: object, fields: string[]): Promise<AreaAnswer> {
  const response = await service.post('/v1/areas', { geometry, fields })
  expect(response.status).toBe(200)
  return (await response.json()) as AreaAnswer
}

async function resultFor(geometry: object, field: string): Promise<AreaFieldResult> {
  return (await areaAnswer(geometry, [field])).fields[field]!
}

/** The shares of a result by class. */
function sharesOf({ value }: AreaFieldResult): Record<string, number> {
  const { classes } = value as { classes: { value: string; share: number }[] }
  return Object.fromEntries(classes.map((it) => [it.value, Number(it.share.toFixed(3))]))
}

describe('classes of polygons', () => {
  test('have their shares, and an overlap counts as the class that a point has there', async () => {
    const result = await resultFor(square, 'fema_flood_zone')
    expect(sharesOf(result)).toEqual({ AE: 0.3, X: 0.2, 'AREA NOT INCLUDED': 0.2 })
    expect(result.covered_share).toBeCloseTo(0.7, 9)
    expect(result.absent_parts).toEqual([{ reason: 'no_data', area_m2: expect.any(Number), share: expect.any(Number) }])
    expect(result).toMatchObject({
      status: 'ok',
      area_kind: 'polygon_classes',
      driver: 'pack',
      dataset_vintage: '2026-05-04',
    })
  })

  test('add up to covered_share', async () => {
    const result = await resultFor(square, 'fema_flood_zone')
    const { classes } = result.value as { classes: { share: number; area_m2: number }[] }
    expect(Math.abs(classes.reduce((sum, { share }) => sum + share, 0) - result.covered_share)).toBeLessThan(1e-9)
  })

  test('outside the coverage of the pack are outside_coverage, and without a feature no_data', async () => {
    const result = await resultFor(square, 'nwi_wetland_type')
    expect(sharesOf(result)).toEqual({ Lake: 0.04 })
    expect(result.absent_parts!.map(({ reason, share }) => [reason, Number(share.toFixed(3))])).toEqual([
      ['no_data', 0.76],
      ['outside_coverage', 0.2],
    ])
  })

  test('of counties add up to the area, across state and county lines', async () => {
    const geometry = { type: 'Polygon', coordinates: [ringOf(-104.4, 40.7, -103.6, 41.3)] }
    const { fields, area_m2 } = await areaAnswer(geometry, ['county', 'state'])
    expect(fields.county!.covered_share).toBe(1)
    expect(Object.keys(sharesOf(fields.state!)).toSorted()).toEqual(['CO', 'NE', 'WY'])
    const { classes } = fields.county!.value as { classes: { area_m2: number }[] }
    expect(classes.reduce((sum, it) => sum + it.area_m2, 0) / area_m2!).toBeCloseTo(1, 9)
  })

  test('have the values that points of the area have', async () => {
    const fields = ['county', 'fema_flood_zone', 'within_floodplain_polygon', 'nwi_wetland_type', 'intersects_wetland']
    const { fields: ofArea } = await areaAnswer(square, fields)
    for (let i = 0; i < 40; i++) {
      const at = { lat: 39 + 0.0025 * (i + 0.5), lng: -105 + ((0.0733 * (i + 1)) % 0.1) }
      const point = (await (await service.post('/v1/fetch', { ...at, fields })).json()) as FetchAnswer
      for (const name of fields) {
        const { value, status } = point.fields[name]!
        const result = ofArea[name]!
        if (typeof value === 'string') expect(Object.keys(sharesOf(result))).toContain(value)
        if (value === true) expect((result.value as { any: boolean }).any).toBe(true)
        if (status === 'absent') expect(result.covered_share).toBeLessThan(1)
      }
    }
  })
})

describe('a true or false field', () => {
  test('has the share for which it is true, and what is not mapped is not false', async () => {
    const result = await resultFor(square, 'within_floodplain_polygon')
    expect(result.value).toEqual({ share_true: expect.any(Number), area_m2: expect.any(Number), any: true, all: false })
    expect((result.value as { share_true: number }).share_true).toBeCloseTo(0.3, 9)
    expect(result.covered_share).toBeCloseTo(0.5, 9)
    expect(result.absent_parts!.map(({ reason, share }) => [reason, Number(share.toFixed(3))])).toEqual([
      ['no_data', 0.3],
      ['not_mapped', 0.2],
    ])
  })

  test('is true everywhere in a part, and absent where nothing is mapped', async () => {
    const inside = { type: 'Polygon', coordinates: [ringOf(-105, 39, -104.98, 39.1)] }
    expect((await resultFor(inside, 'within_floodplain_polygon')).value).toMatchObject({ share_true: 1, all: true })
    const unmapped = { type: 'Polygon', coordinates: [ringOf(-104.92, 39, -104.91, 39.1)] }
    expect(await resultFor(unmapped, 'within_floodplain_polygon')).toMatchObject({
      status: 'absent',
      absent_reason: 'no_data',
      covered_share: 0,
    })
  })
})

describe('nearest features and counts', () => {
  test('measure from the edge of the area, and name the feature', async () => {
    const distance = (await resultFor(square, 'nearest_landslide_distance_m')).value as { distance_m: number }
    const point = await service.post('/v1/fetch', { lat: 39.05, lng: -104.9, fields: ['nearest_landslide_distance_m'] })
    const { fields } = (await point.json()) as FetchAnswer
    expect(distance.distance_m).toBeCloseTo(Number(fields.nearest_landslide_distance_m!.value), 0)
    expect((await resultFor(square, 'nearest_stream_name')).value).toEqual({ distance_m: 0, value: 'Creek' })
  })

  test('name the feature of a distance, also on the page and in its CSV file', async () => {
    const airport = await resultFor(square, 'nearest_airport_distance_m')
    const { value: name } = (await resultFor(square, 'nearest_airport_name')).value as { value: string }
    expect(airport.value).toMatchObject({ feature: { nearest_airport_name: name } })
    const ok = airport as Extract<AreaFieldResult, { status: 'ok' }>
    const display = areaDisplayOf(ok, { name: 'nearest_airport_distance_m', units: 'metric' })
    expect(display.facts).toContainEqual({ label: 'Nearest airport name', text: name })
    const csv = areaCsvOf(await areaAnswer(square, ['nearest_airport_distance_m']))
    expect(csv.split('\r\n')).toContainEqual(expect.stringContaining(`,nearest_airport_name,${name},,`))
  })

  test('say which part the pack does not cover', async () => {
    for (const field of ['nearest_wetland_distance_m', 'wetlands_within_100m_count']) {
      const { status, covered_share, absent_parts } = await resultFor(square, field)
      expect([status, Number(covered_share.toFixed(9))]).toEqual(['ok', 0.8])
      expect(absent_parts).toEqual([
        { reason: 'outside_coverage', area_m2: expect.any(Number), share: expect.closeTo(0.2, 9) },
      ])
    }
  })

  test('are none_within_radius beyond the radius of the field', async () => {
    const far = { type: 'Polygon', coordinates: [ringOf(-103, 39, -102.9, 39.1)] }
    expect(await resultFor(far, 'nearest_landslide_distance_m')).toMatchObject({
      status: 'absent',
      absent_reason: 'outside_coverage',
    })
  })

  test('count what lies in the area, with the length of lines', async () => {
    const streams = await resultFor(square, 'streams_within_500m_count')
    const { count, length_m } = streams.value as { count: number; length_m: number }
    expect(count).toBe(2)
    // Half of the width of the square, and half of its height.
    const width_m = 86_499
    expect(length_m / (0.05 * width_m + 0.05 * 111_010)).toBeCloseTo(1, 2)
    expect((await resultFor(square, 'wetlands_within_100m_count')).value).toMatchObject({ count: 1 })
    expect((await resultFor(square, 'landslides_within_1km_count')).value).toEqual({ count: 0 })
  })
})

describe('a line', () => {
  test('has lengths instead of areas, and its crossings in order', async () => {
    const { fields, length_m } = await areaAnswer(row, ['fema_flood_zone', 'intersects_wetland', 'county'])
    const { crossings } = fields.fema_flood_zone!.value as {
      crossings: { from_m: number; to_m: number; value: string }[]
    }
    expect(crossings.map(({ value }) => value)).toEqual(['AE', 'X', 'AREA NOT INCLUDED'])
    expect(crossings.map(({ from_m }) => Number((from_m / length_m!).toFixed(5)))).toEqual([0, 0.3, 0.5])
    const { share_true, any, all } = fields.intersects_wetland!.value as Record<string, number | boolean>
    expect([Number(Number(share_true).toFixed(6)), any, all]).toEqual([0.2, true, false])
    expect(fields.county!.value).toMatchObject({ classes: [{ share: 1, length_m: expect.closeTo(length_m!, 2) }] })
  })
})

describe('other fields', () => {
  test('that an area makes no sense for are absent, and those of a coordinate say where they are computed', async () => {
    const { fields, representative_point } = await areaAnswer(square, ['aspect_degrees', 'geohash'])
    expect(fields.aspect_degrees).toMatchObject({ status: 'absent', absent_reason: 'not_for_areas' })
    expect(fields.geohash!.value).toEqual({ value: expect.any(String), at: representative_point })
    expect(fields.geohash!.notes).toBe('Computed at the representative point of the area.')
  })

  test('without a source on this server fail, and are in partial_failures', async () => {
    const { fields, partial_failures } = await areaAnswer(square, ['county', 'bedrock_unit_name', 'county_population'])
    expect(fields.county!.status).toBe('ok')
    expect(fields.bedrock_unit_name).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^offline_no_data: /),
    })
    expect(partial_failures.map(({ field }) => field)).toEqual(['bedrock_unit_name', 'county_population'])
  })

  test('are answered for every field of the catalog, and no failure is ok', async () => {
    const names = [...service.testService.app.catalog.fields.keys()]
    for (let i = 0; i < names.length; i += 50) {
      const { fields } = await areaAnswer(square, names.slice(i, i + 50))
      for (const [name, result] of Object.entries(fields)) {
        if (result.status === 'failed') expect(`${name} ${result.error}`).not.toContain('internal_error')
        else expect(result.status === 'ok' || result.absent_reason).toBeTruthy()
      }
    }
  })
})

test('soils have the share of each map unit, in all its polygons, and no sum', async () => {
  const result = await resultFor(square, 'soil_map_unit_name')
  const { units } = result.value as { units: { key: string; value: string; share: number }[] }
  expect(units.map(({ key, value, share }) => [key, value, Number(share.toFixed(3))])).toEqual([
    ['10', 'loam', 0.3],
    ['20', 'sand', 0.3],
  ])
  expect(result.covered_share).toBeCloseTo(0.6, 9)
  expect(result.absent_parts).toEqual([
    { reason: 'outside_coverage', area_m2: expect.any(Number), share: expect.closeTo(0.4, 9) },
  ])
})

test('the CSV file of an area has the shares of units, and the share of each unit in the area', () => {
  const shared = {
    status: 'ok',
    area_kind: 'units',
    unit: 'people',
    covered_share: 1,
    source: 'a',
    dataset_vintage: null,
  }
  const value = {
    units: [{ key: '08013', value: 300, area_m2: 5, share: 1, share_of_unit: 0.5 }],
    apportioned_sum: 150,
  }
  const csv = areaCsvOf({ fields: { county_population: { ...shared, value } } } as unknown as AreaAnswer)
  const [header, ...rows] = csv.trimEnd().split('\r\n')
  const cellsOf = (row: string) => Object.fromEntries(header!.split(',').map((name, i) => [name, row.split(',')[i]]))
  expect(rows.map(cellsOf)).toMatchObject([
    { part: '08013', value: '300', unit: 'people', share: '1', share_of_unit: '0.5', area_m2: '5' },
    { part: 'apportioned_sum', value: '150', unit: 'people' },
  ])
})

describe('a request', () => {
  test('is rejected with the place of the fault', async () => {
    const bowTie = [
      [-105, 39],
      [-104, 40],
      [-104, 39],
      [-105, 40],
      [-105, 39],
    ]
    const response = await service.post('/v1/areas', {
      geometry: { type: 'Polygon', coordinates: [bowTie] },
      fields: ['county'],
    })
    expect(response.status).toBe(422)
    const { detail } = (await response.json()) as { detail: { loc: unknown[]; msg: string }[] }
    expect(detail[0]!.loc).toEqual(['body', 'geometry', 'coordinates', 0, 0])
  })

  test('without fields, with unknown ones or outside the US is rejected', async () => {
    expect((await detailOf(await service.post('/v1/areas', { geometry: square }))).error).toBe('no_fields_requested')
    const unknown = await service.post('/v1/areas', { geometry: square, fields: ['nothing'] })
    expect((await detailOf(unknown)).error).toBe('fields_unknown')
    const paris = { type: 'Polygon', coordinates: [ringOf(2, 48, 3, 49)] }
    const abroad = await service.post('/v1/areas', { geometry: paris, fields: ['county'] })
    expect(abroad.status).toBe(400)
    expect((await detailOf(abroad)).error).toBe('coord_out_of_bounds')
  })

  test.each([
    [
      'a feature',
      { geometry: { type: 'Feature', geometry: square, properties: {} } },
      ['body', 'geometry', 'type'],
      'This is a Feature. Send its member `geometry`',
    ],
    [
      'a point',
      { geometry: { type: 'Point', coordinates: [-105, 39] } },
      ['body', 'geometry', 'type'],
      "Input should be 'Polygon', 'MultiPolygon', 'LineString', or 'MultiLineString'",
    ],
    [
      'a polygon without its list of rings',
      { geometry: { type: 'Polygon', coordinates: square.coordinates[0] } },
      ['body', 'geometry', 'coordinates', 0],
      'A Polygon has a list of rings',
    ],
    [
      'a circle of a micrometer',
      { around: { lat: 39, lng: -105, radius_m: 1e-6 } },
      ['body', 'around', 'radius_m'],
      'Input should be greater than or equal to 0.01',
    ],
    [
      'a corridor of a micrometer',
      { corridor: { line: row, width_m: 1e-6 } },
      ['body', 'corridor', 'width_m'],
      'Input should be greater than or equal to 0.01',
    ],
    ['a county with four digits', { county_fips: '8013' }, ['body', 'county_fips'], 'The five-digit FIPS code'],
    [
      'an area of a nanometer',
      { geometry: { type: 'Polygon', coordinates: [ringOf(-105, 39, -105 + 1e-13, 39 + 1e-13)] } },
      ['body', 'geometry', 'coordinates'],
      'smaller than 0.001 m²',
    ],
  ])('for %s is rejected with what to do', async (_name, request, loc, msg) => {
    const response = await service.post('/v1/areas', { ...request, fields: ['county'] })
    expect(response.status).toBe(422)
    const { detail } = (await response.json()) as { detail: object[] }
    expect(detail).toContainEqual(expect.objectContaining({ loc, msg: expect.stringContaining(msg) }))
  })

  test('for the narrowest corridor has its area', async () => {
    const response = await service.post('/v1/areas', { corridor: { line: row, width_m: 0.01 }, fields: ['county'] })
    const length_m = (await areaAnswer(row, ['county'])).length_m!
    expect(((await response.json()) as AreaAnswer).area_m2! / (0.01 * length_m)).toBeCloseTo(1, 3)
  })

  test('from one state to another can cross waters outside the served area, which no source covers', async () => {
    // From Colorado to the Aleutians, across the Pacific.
    const sliver = [
      [-104.78507, 39.26054],
      [-104.7851, 39.26051],
      [-179.9, 51.9],
      [-104.78507, 39.26054],
    ]
    const geometry = { type: 'Polygon', coordinates: [sliver] }
    const { fields } = await areaAnswer(geometry, ['county', 'utm_zone', 'nearest_airport_distance_m'])
    expect(fields.county).toMatchObject({ status: 'ok', absent_parts: expect.anything() })
    expect(fields.utm_zone).toMatchObject({ status: 'absent', absent_reason: 'outside_coverage' })
    expect(fields.nearest_airport_distance_m).toMatchObject({ status: 'ok' })
  })

  test('takes a preset', async () => {
    const response = await service.post('/v1/areas', { geometry: square, preset: 'flood_risk' })
    const { fields } = (await response.json()) as AreaAnswer
    expect(Object.keys(fields)).toContain('within_floodplain_polygon')
  })
})
