import { VectorTile } from '@mapbox/vector-tile'
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { PbfReader } from 'pbf'
import { parseGeoJsonGeometry } from '../../src/geo/geometry.ts'
import { geometryContains } from '../../src/geo/measure.ts'
import { coloredFieldsOf } from '../../src/tiles/tile-layers.ts'
import type { TileJson } from '../../src/tiles/tile-json.ts'
import { blob, lineWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { openHttpService } from '../support/http-service.ts'
import { columnAndRowOf } from '../support/tile-position.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
const server = await openHttpService({ FIELDSTONE_PACKS: packs })
afterAll(() => server.close())

const denver = { lat: 39.7392, lng: -104.9903 }

async function featuresAt(dataset: string, at: typeof denver, z: number) {
  const [x, y] = columnAndRowOf(at, z)
  const response = await server.ask(`/tiles/${dataset}/${z}/${x}/${y}.mvt`)
  expect(response.status).toBe(200)
  const { [dataset]: layer } = new VectorTile(new PbfReader(await response.arrayBuffer())).layers
  return Array.from({ length: layer!.length }, (_, i) => layer!.feature(i).toGeoJSON(x, y, z))
}

test('The list and the description of a dataset are TileJSON', async () => {
  const { items } = (await (await server.ask('/tiles')).json()) as { items: TileJson[] }
  const counties = items.find(({ id }) => id === 'census_counties')!
  expect(counties).toMatchObject({ tilejson: '3.0.0', attribution: expect.stringContaining('US Census Bureau') })
  expect(counties.tiles).toEqual([expect.stringMatching(/^http.*\/tiles\/census_counties\/\{z\}\/\{x\}\/\{y\}\.mvt$/)])
  expect(await (await server.ask('/tiles/census_counties')).json()).toEqual(counties as never)
})

test('A description names the fields that a map can color the features by, with their classes', async () => {
  const counties = (await (await server.ask('/tiles/census_counties')).json()) as TileJson
  expect(counties.colored_fields).toContainEqual({ name: 'county', attribute: 'NAMELSAD', classes: [], numbers: null })
  expect(counties.vector_layers[0]!.fields.NAMELSAD).toBe('The value of the fields county, political_county.')
  expect(coloredFieldsOf('fema_nfhl_zones', server.testService.app.catalog.fields.values())).toMatchObject([
    {
      name: 'fema_flood_zone',
      attribute: 'FLD_ZONE',
      classes: expect.arrayContaining([{ value: 'D', text: 'D: flood hazard possible but not determined' }]),
    },
    { name: 'flood_zone_subtype', attribute: 'ZONE_SUBTY' },
  ])
  const areas = coloredFieldsOf('usgs_3dep_index', server.testService.app.catalog.fields.values())
  const quality = areas.find(({ name }) => name === 'lidar_quality_level')!
  expect(quality.classes.map(({ value }) => value)).toContain('QL 0')
  // A field of some features only does not color the others.
  expect(coloredFieldsOf('padus', server.testService.app.catalog.fields.values())).toEqual([])
  // The value of this field is decoded from its attribute.
  expect(coloredFieldsOf('usfws_nwi', server.testService.app.catalog.fields.values()).map(({ name }) => name)).toEqual([
    'wetland_subtype',
    'wetland_acres',
    'nwi_wetland_type',
    'nwi_code',
  ])
})

test('A description names the numbers with their unit, and those that mean no value', () => {
  const numbersOf = (dataset: string) =>
    coloredFieldsOf(dataset, server.testService.app.catalog.fields.values()).flatMap(({ name, attribute, numbers }) =>
      numbers ? [{ name, attribute, numbers }] : [],
    )
  expect(numbersOf('geonames_places')).toEqual([
    { name: 'nearest_place_population', attribute: 'POPULATION', numbers: { unit: 'people', no_value: [] } },
  ])
  expect(numbersOf('hud_fair_market_rents')).toEqual([
    { name: 'fair_market_rent_2br_usd', attribute: 'FMR_2BDR', numbers: { unit: 'USD/month', no_value: [0] } },
  ])
  // The unit of this number is another attribute, and its value is converted.
  expect(numbersOf('fema_nfhl_zones')).toEqual([])
})

test.each([6, 9, 12, 16])('At zoom %d, the county that contains a point does so in its tile', async (z) => {
  const features = await featuresAt('census_counties', denver, z)
  const containing = features.filter(({ geometry }) => geometryContains(parseGeoJsonGeometry(geometry), denver))
  expect(containing.map(({ properties }) => properties?.GEOID)).toEqual(['08031'])
})

test('A tile has the attributes of its features and none that is null', async () => {
  const places = await featuresAt('geonames_places', denver, 10)
  expect(places.map(({ properties }) => properties?.NAME)).toContain('Denver')
})

test('A tile is revalidated by its ETag, and one without features is 204', async () => {
  const [x, y] = columnAndRowOf(denver, 9)
  const path = `/tiles/census_counties/9/${x}/${y}.mvt`
  const first = await server.ask(path)
  expect(first.headers.get('cache-control')).toBe('private, max-age=300')
  const etag = first.headers.get('etag')!
  // A proxy that compresses makes an ETag weak.
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`])
    expect([known, (await server.ask(path, { headers: { 'if-none-match': known } })).status]).toEqual([known, 304])
  expect((await server.ask(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  const [sea_x, sea_y] = columnAndRowOf({ lat: 39.7, lng: -104.9 }, 16)
  expect((await server.ask(`/tiles/noaa_tide_predictions/16/${sea_x}/${sea_y}.mvt`)).status).toBe(204)
})

describe('What is not there is 404 with a sentence that says what is', () => {
  test.each([
    ['/tiles/no_such_dataset', /GET \/tiles lists/],
    ['/tiles/no_such_dataset/9/1/1.mvt', /GET \/tiles lists/],
    ['/tiles/fcc_bdc_block_groups', /its terms do not allow them/],
    ['/tiles/usgs_3dep', /this server has none for it/],
    ['/tiles/census_counties/2/0/1.mvt', /from zoom 6 to 16/],
    ['/tiles/census_counties/17/0/1.mvt', /from zoom 6 to 16/],
    ['/tiles/census_counties/9/512/1.mvt', /no tile 9\/512\/1\.mvt/],
    ['/tiles/census_counties/9/1/1.png', /ends with \{z\}\/\{x\}\/\{y\}\.mvt/],
    ['/tiles/census_counties/9/1/-1.mvt', /no tile/],
  ])('%s', async (path, message) => {
    const response = await server.ask(path)
    expect(response.status).toBe(404)
    expect(((await response.json()) as { detail: { message: string } }).detail.message).toMatch(message)
  })
})

test('Tiles need a token', async () => {
  for (const path of ['/tiles', '/tiles/census_counties', '/tiles/census_counties/9/106/194.mvt'])
    expect((await server.ask(path, { headers: { authorization: null } })).status).toBe(401)
})

test('A pack has tiles as soon as it is live', async () => {
  const road = lineWkb([denver.lng - 0.01, denver.lat], [denver.lng + 0.01, denver.lat])
  writePack(join(packs, 'census_tiger_major_roads.gpkg'))
    .layer('roads', [{ geom: blob(road), attributes: { OID: 'x1', NAME: 'Colfax Ave', MTFCC: 'S1200' } }])
    .close()
  await server.testService.app.packs.waitUntilChecked()
  const features = await featuresAt('census_tigerweb_major_roads', denver, 14)
  expect(features).toMatchObject([{ geometry: { type: 'LineString' }, properties: { NAME: 'Colfax Ave' } }])
})
