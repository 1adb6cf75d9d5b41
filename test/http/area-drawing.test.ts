import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { extentOf } from '../../src/geo/overlay/cut-at-extent.ts'
import { lineLength_m } from '../../src/geo/ellipsoid.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { denverRaster } from '../raster/denver-raster.ts'
import { openPackService } from '../support/pack-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
const zone = (FLD_ZONE: string, ...box: [number, number, number, number]) => ({
  geom: blob(polygonWkb(boxRing(...box))),
  attributes: { FLD_ZONE, SFHA_TF: FLD_ZONE === 'AE' ? 'T' : 'F', ZONE_SUBTY: null, STATIC_BFE: null, LEN_UNIT: null },
})
// Two rows of zone AE side by side, and zone X east of them.
writePack(join(packs, 'fema_nfhl.gpkg'))
  .layer('S_FLD_HAZ_AR', [
    zone('AE', -105.2, 38.9, -104.98, 39.2),
    zone('AE', -104.98, 38.9, -104.97, 39.2),
    zone('X', -104.97, 38.9, -104.92, 39.2),
  ])
  .close()
const soil = (mukey: string, ...box: [number, number, number, number]) => ({
  geom: blob(polygonWkb(boxRing(...box))),
  attributes: { mukey },
})
writePack(join(packs, 'ssurgo.gpkg'))
  .layer('mupolygon', [soil('10', -105.1, 38.9, -104.98, 39.2), soil('20', -104.98, 38.9, -104.9, 39.2)])
  .table('mapunit', [
    { mukey: '10', muname: 'loam' },
    { mukey: '20', muname: 'sand' },
  ])
  .table('muaggatt', [
    { mukey: '10', hydgrpdcd: 'B', drclassdcd: 'Well drained' },
    { mukey: '20', hydgrpdcd: 'A', drclassdcd: 'Excessively drained' },
  ])
  .close()
writePack(join(packs, 'parcels.gpkg'))
  .layer('parcels', [
    { geom: blob(polygonWkb(boxRing(-104.991, 39.739, -104.99, 39.74))), attributes: { geoid: '08031', zoning: 'R1' } },
  ])
  .close()
// In the western 60 % of the columns, four of seven cells are open water (11). All others are evergreen forest (42).
writeFileSync(
  join(packs, 'annual_nlcd_landcover.tif'),
  denverRaster({ type: 'uint8', value: (x, y) => (x < 120 && (x + y) % 7 < 4 ? 11 : 42) }),
)
const service = await openPackService(packs)

async function answerFor(body: object): Promise<AreaAnswer> {
  const response = await service.post('/v1/areas', body)
  expect(response.status).toBe(200)
  return (await response.json()) as AreaAnswer
}

const square = { type: 'Polygon', coordinates: [boxRing(-105, 39, -104.9, 39.1)] }
const row = {
  type: 'LineString',
  coordinates: [
    [-105, 39.03],
    [-104.9, 39.03],
  ],
}

describe('the parts of a field on a map', () => {
  test('are joined by value, largest first, and only on request', async () => {
    const { fields, outline } = await answerFor({
      geometry: square,
      fields: ['fema_flood_zone'],
      include: ['geometry'],
    })
    expect(outline).toBeUndefined()
    const { features } = fields.fema_flood_zone!.geometry!
    expect(features.map(({ properties }) => properties)).toEqual([
      { role: 'part', dataset: 'fema_nfhl_zones', value: 'X', simplified_m: expect.any(Number) },
      { role: 'part', dataset: 'fema_nfhl_zones', value: 'AE', simplified_m: expect.any(Number) },
    ])
    // The two features of zone AE have one ring.
    const { type, coordinates } = features[1]!.geometry as { type: string; coordinates: number[][][] }
    expect(type).toBe('Polygon')
    expect(coordinates).toHaveLength(1)
    expect(extentOf([coordinates[0]!.flat()])).toEqual({ west: -105, south: 39, east: -104.97, north: 39.1 })
    const plain = await answerFor({ geometry: square, fields: ['fema_flood_zone'] })
    expect(plain.fields.fema_flood_zone!.geometry).toBeUndefined()
  })

  test('are in the order of the classes, also if blocks of cells have other sizes, so that bars have their colors', async () => {
    const geometry = { type: 'Polygon', coordinates: [boxRing(-105, 39, -104.8, 39.2)] }
    const { fields } = await answerFor({ geometry, fields: ['nlcd_class'], include: ['geometry'] })
    const { value, geometry: parts } = fields.nlcd_class!
    const { classes } = value as { classes: { value: string; share: number }[] }
    expect(classes.map(({ share }) => Number(share.toFixed(1)))).toEqual([0.7, 0.3])
    expect(parts!.features.map(({ properties }) => properties.value)).toEqual(classes.map((it) => it.value))
  })

  test('of a line are its stretches, whose lengths are those of the classes', async () => {
    const { fields } = await answerFor({ geometry: row, fields: ['fema_flood_zone'], include: ['geometry'] })
    const { value, geometry } = fields.fema_flood_zone!
    const { classes } = value as { classes: { value: string; length_m: number }[] }
    expect(geometry!.features).toHaveLength(2)
    for (const { properties, geometry: line } of geometry!.features) {
      const { coordinates } = line as { coordinates: number[][] }
      const { length_m } = classes.find((it) => it.value === properties.value)!
      expect(Math.abs(lineLength_m(coordinates.flat()) / length_m - 1)).toBeLessThan(1e-4)
    }
  })

  test('of units have the value of each unit, and a field that does not divide the area has none', async () => {
    const fields = ['soil_map_unit_name', 'nearest_airport_name']
    const { fields: answered } = await answerFor({ geometry: square, fields, include: ['geometry'] })
    const { features } = answered.soil_map_unit_name!.geometry!
    expect(features.map(({ properties }) => properties.value)).toEqual(['sand', 'loam'])
    expect(answered.nearest_airport_name!.geometry!.features).toEqual([])
  })
})

describe('the outline of an area', () => {
  test('is that of the circle, the corridor, the county or the geometry', async () => {
    const include = ['outline']
    const around = { lat: 39.7392, lng: -104.9903, radius_m: 500 }
    const shapes = [{ around }, { corridor: { line: row, width_m: 60 } }, { county_fips: '08031' }, { geometry: row }]
    const outlines = await Promise.all(
      shapes.map(async (shape) => (await answerFor({ ...shape, fields: ['county'], include })).outline!.type),
    )
    expect(outlines).toEqual(['Polygon', 'Polygon', 'MultiPolygon', 'LineString'])
  })

  test('of a parcel is not in the answer, and neither are the parts of a field', async () => {
    const { outline, fields } = await answerFor({
      parcel_of: { lat: 39.7395, lng: -104.9905 },
      fields: ['county'],
      include: ['geometry', 'outline'],
    })
    expect(outline).toBeUndefined()
    expect(fields.county).toMatchObject({ status: 'ok' })
    expect(fields.county!.geometry).toBeUndefined()
  })
})
