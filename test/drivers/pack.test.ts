import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { packExpectationsOf } from '../../src/catalog/pack-expectations.ts'
import { packDriver } from '../../src/drivers/pack/pack.ts'
import type { OpenedSource, DriverDeps } from '../../src/drivers/driver.ts'
import type { PackSettings } from '../../src/drivers/pack/pack-expectation.ts'
import { checkPackFile } from '../../src/packs/check/pack-check.ts'
import { PackFolder } from '../../src/packs/pack-folder.ts'
import type { RasterFile } from '../../src/packs/pack.ts'
import type { Properties } from '../../src/model/source.ts'
import { writePack, type PackFileWriter } from '../packs/write-pack.ts'
import { blob, boxRing, lineWkb, pointWkb, polygonWkb } from '../packs/encode-wkb.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const catalog = createCatalog(contents)
const folder = temporaryFolder()
const here = { lat: 39.5, lng: -104.5 }
const budget = { signal: new AbortController().signal }
const area = (attributes: Properties, west = -105) => ({
  geom: blob(polygonWkb(boxRing(west, 39, west + 1, 40))),
  attributes,
})

/** A raster whose cells all have the same value. */
const rasterOf = (cell: number): RasterFile => ({
  window: async () => ({ width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [cell] }),
  covers: ({ lat }) => lat > 0,
  bounds: { west: -180, east: 180, south: 0, north: 90 },
  close: () => {},
})

/** Opens a catalog dataset on a folder with these files, which are packs, rasters (null) and manifests. */
async function openDataset(
  id: string,
  files: Record<string, ((writing: PackFileWriter) => PackFileWriter) | object | null>,
  rasterOptions: (part: number) => Partial<RasterFile> = () => ({}),
): Promise<{ opened: OpenedSource | null; ask: (query: object) => Promise<unknown>; packs: PackFolder }> {
  const own = mkdtempSync(join(folder, 'packs-'))
  for (const [file, write] of Object.entries(files)) {
    mkdirSync(dirname(join(own, file)), { recursive: true })
    if (typeof write === 'function') (write(writePack(join(own, file))) as PackFileWriter).close()
    else writeFileSync(join(own, file), write === null ? 'II*\0' : JSON.stringify(write))
  }
  const rasters = {
    openFile: async (path: string) => {
      const number = Number(/(\d)\.tif$/.exec(path)?.[1] ?? 1000)
      return { ...rasterOf(number), ...rasterOptions(number) }
    },
  }
  const packs = new PackFolder(own, {
    requirementsOf: packExpectationsOf(catalog),
    rasters,
    check: checkPackFile,
    log: { info: () => {} },
    now: () => new Date(Date.now() + 10_000),
  })
  await packs.poll()
  const { serve, shape } = catalog.datasets.get(id)!
  const { driver: _driver, ...settings } = serve.find(({ driver }) => driver === 'pack')!
  // The pack driver uses no other dependency.
  const opened = packDriver.open(settings as PackSettings, shape, { packs } as unknown as DriverDeps, {
    id,
    key: null,
    ttl_seconds: 1,
  })
  packs.close = packs.close.bind(packs)
  return { opened, packs, ask: async (query) => opened!.source({ at: here, ...query } as never, budget) }
}

test('a dataset without its file does not open', async () => {
  const { opened, packs } = await openDataset('usfws_nwi', {})
  expect(opened).toBeNull()
  packs.close()
})

describe('features', () => {
  test('come from the only layer, whatever its name, with full names for truncated Shapefile columns', async () => {
    const { opened, ask } = await openDataset('usfws_nwi', {
      'usfws_nwi.gpkg': (it) =>
        it.layer('DC_Wetlands', [
          area({ ATTRIBUTE: 'PFO1A', WETLAND_TY: 'Freshwater Forested/Shrub Wetland', ACRES: 2 }),
        ]),
    })
    expect(opened!.vintage).toBe('2026-05-04')
    expect(opened!.covers!({ ...here, source: 'coordinate', region: 'conus' })).toBe(true)
    expect(opened!.covers!({ lat: 10, lng: 10, source: 'coordinate', region: null })).toBe(false)
    expect(await ask({ radius_m: 0 })).toEqual([
      {
        properties: { fid: 1, ATTRIBUTE: 'PFO1A', WETLAND_TYPE: 'Freshwater Forested/Shrub Wetland', ACRES: 2 },
        distance_m: 0,
      },
    ])
  })

  test('of several layers are merged, nearest first, up to the limit', async () => {
    const attributes = { assessmentunitname: 'a', ircategory: '5', assessmentunitidentifier: '1' }
    const { ask } = await openDataset('epa_attains_gis', {
      'epa_attains.gpkg': (it) =>
        it
          .layer('attains_au_lines', [
            { geom: blob(lineWkb([-104, 39], [-104, 40])), attributes: { ...attributes, assessmentunitname: 'far' } },
          ])
          .layer('attains_au_areas', [
            {
              geom: blob(polygonWkb(boxRing(-104.4, 39, -104.3, 40))),
              attributes: { ...attributes, assessmentunitname: 'near' },
            },
          ]),
    })
    const found = (await ask({ radius_m: 100_000 })) as { properties: Properties }[]
    expect(found.map(({ properties }) => properties.assessmentunitname)).toEqual(['near', 'far'])
    expect(await ask({ radius_m: 100_000, limit: 1 })).toHaveLength(1)
  })

  test('of a level come from its layer, and a query without a level is rejected', async () => {
    const levels = Array.from({ length: 10 }, (_, i) => i + 1)
    const { ask } = await openDataset('noaa_slr', {
      'noaa_slr.gpkg': (it) =>
        levels.reduce((it, level) => it.layer(`slr_${level}ft`, [area({ level }, level < 3 ? 0 : -105)]), it),
    })
    expect(await ask({ radius_m: 0, level: 2 })).toEqual([])
    expect(await ask({ radius_m: 0, level: 3 })).toHaveLength(1)
    expect(ask({ radius_m: 0 })).rejects.toMatchObject({ code: 'unsupported_request' })
  })
})

describe('rasters', () => {
  test('of a level come from its file, and a missing level is rejected', async () => {
    const { ask } = await openDataset('nhc_slosh_mom', { 'slosh_c1.tif': null, 'slosh_c3.tif': null })
    expect(await ask({ radius_cells: 0, level: 3 })).toMatchObject({ cells: [3] })
    expect(() => ask({ radius_cells: 0, level: 2 })).toThrow(/no raster slosh_c2\.tif/)
  })

  test('have the editions that their manifest states, or only the newest', async () => {
    const { ask } = await openDataset('usda_cdl', { 'usda_cdl.tif': null })
    expect(await ask({ radius_cells: 0 })).toMatchObject({ width: 1 })
    expect(() => ask({ radius_cells: 0, edition: -1 })).toThrow(/lacks the edition/)
  })
})

describe('documents', () => {
  test('of a county are its rows by key', async () => {
    const { ask } = await openDataset('census_pep_county', {
      'census_pep_county.gpkg': (it) =>
        it.table(
          'pep',
          [{ county_fips: '08031', POPESTIMATE2024: 1, POPESTIMATE2025: 2, DOMESTICMIG2025: 3 }],
          'county_fips',
        ),
    })
    expect(await ask({ key: '08031' })).toEqual([
      { fid: 1, county_fips: '08031', POPESTIMATE2024: 1, POPESTIMATE2025: 2, DOMESTICMIG2025: 3 },
    ])
    expect(await ask({ key: '08001' })).toEqual([])
    expect(ask({})).rejects.toMatchObject({ code: 'unsupported_request' })
  })

  test('that were copied from a service are the documents of the service, and a key that was not copied is no absence', async () => {
    const rows = [
      { key: '08013', document: '[{"POPESTIMATE2025":330758}]' },
      { key: '08014', document: '[]' },
    ]
    const { ask } = await openDataset('census_pep_county', {
      'census_pep_county/08013.gpkg': (writing) => writing.table('documents', rows, 'key'),
    })
    expect(await ask({ at: here, key: '08013' })).toEqual([{ POPESTIMATE2025: 330_758 }])
    expect(await ask({ at: here, key: '08014' })).toEqual([])
    expect(ask({ at: here, key: '48001' })).rejects.toMatchObject({
      code: 'no_local_data',
      message: expect.stringContaining('does not include the key 48001'),
    })
  })

  test('have the same structure and names as the network response', async () => {
    const streams = await openDataset('epa_streamcat', {
      'streamcat.gpkg': (it) => it.table('streamcat', [{ COMID: 7, PCTIMP2019WS: 1.5 }]),
    })
    expect(await streams.ask({ key: '7' })).toEqual({ items: [{ fid: 1, COMID: 7, pctimp2019ws: 1.5 }] })
    const parcels = await openDataset('regrid_parcels', {
      'parcels.gpkg': (it) => it.layer('parcels', [area({ zoning: 'R1' })]),
    })
    expect(await parcels.ask({})).toEqual({
      parcels: { features: [{ properties: { fields: { fid: 1, zoning: 'R1' } } }] },
    })
  })

  test('with one value come from a raster, in the unit and position of the network response', async () => {
    const { ask } = await openDataset('noaa_atlas14_pfds', { 'atlas14_100yr_24h.tif': null })
    const rows = (await ask({})) as unknown[][]
    expect(rows[9]![6]).toBeCloseTo(25.4, 9)
  })

  const soil = (it: PackFileWriter) =>
    it
      .layer('mupolygon', [area({ mukey: '10' })])
      .table('mapunit', [{ mukey: '10', muname: 'loam' }])
      .table('muaggatt', [{ mukey: '10', hydgrpdcd: 'B' }])
      .table('component', [
        { mukey: '10', cokey: '2', comppct_r: 30, compname: 'Minor' },
        { mukey: '10', cokey: '1', comppct_r: 60, compname: 'Major' },
      ])
      .table('chorizon', [
        { cokey: '1', chkey: '5', hzdept_r: 20, ph1to1h2o_r: 7 },
        { cokey: '1', chkey: '4', hzdept_r: 0, ph1to1h2o_r: 6 },
        { cokey: '2', chkey: '9', hzdept_r: 0, ph1to1h2o_r: 1 },
      ])
      .table('chtexturegrp', [
        { chkey: '4', texdesc: 'Sand', rvindicator: 'Yes' },
        { chkey: '4', texdesc: 'Gravel', rvindicator: 'No' },
      ])
      .table('corestrictions', [{ cokey: '2', resdept_r: 5 }])
      .table('comonth', [{ cokey: '1', pondfreqcl: 'None' }])

  test('of a soil map unit are its tables', async () => {
    const { ask } = await openDataset('usda_ssurgo_mapunit', { 'ssurgo.gpkg': soil })
    expect(await ask({})).toMatchObject({ mapunit: [{ muname: 'loam' }], muaggatt: [{ hydgrpdcd: 'B' }] })
    expect(await ask({ at: { lat: 0, lng: 0 } })).toBeNull()
  })

  test('of a soil map unit that was copied from the service is the table of the service', async () => {
    const table = [['muname'], ['loam']]
    const { ask } = await openDataset('usda_ssurgo_mapunit', {
      'usda_ssurgo_mapunit/08013.gpkg': (it) =>
        it
          .layer('mupolygon', [area({ mukey: '10' })])
          .table('documents', [{ key: '10', document: JSON.stringify(table) }], 'key'),
    })
    expect(await ask({})).toEqual(table)
    expect(await ask({ at: { lat: 0, lng: 0 } })).toBeNull()
  })

  test('of soil components are those of the dominant one, with the columns of the parent rows', async () => {
    const { ask } = await openDataset('usda_ssurgo_component', { 'ssurgo.gpkg': soil })
    expect(await ask({ at: { lat: 0, lng: 0 } })).toBeNull()
    expect(await ask({})).toMatchObject({
      component: [{ compname: 'Major' }],
      chorizon: [
        { hzdept_r: 20, ph1to1h2o_r: 7 },
        { hzdept_r: 0, ph1to1h2o_r: 6 },
      ],
      chtexturegrp: [{ texdesc: 'Sand', hzdept_r: 0 }],
      corestrictions: [],
    })
  })

  test('of the census that were copied from TIGERweb have the form of the geocoder', async () => {
    const { ask } = await openDataset('census_geocoder_geographies', {
      'census_geocoder_geographies/08013.gpkg': (it) =>
        it
          .layer('TRACT', [
            area({ GEOID: '08013012203', NAME: 'Census Tract 122.03', BASENAME: '122.03', AREALAND: 5 }),
          ])
          .layer('CDP', [area({ GEOID: '0812345', NAME: 'Niwot CDP' })])
          .layer('CD', [area({ GEOID: '0802', CD120: '02' })])
          .layer('CBSA', [area({ GEOID: '14500', CBSA: '14500', LSADC: 'M2' })]),
    })
    expect(await ask({})).toMatchObject({
      result: {
        geographies: {
          'Census Tracts': [{ NAME: 'Census Tract 122.03', BASENAME: '122.03', AREALAND: 5 }],
          'Census Designated Places': [{ NAME: 'Niwot CDP' }],
          '120th Congressional Districts': [{ GEOID: '0802' }],
          'Micropolitan Statistical Areas': [{ CBSA: '14500' }],
          'Metropolitan Statistical Areas': [],
        },
      },
    })
  })

  test('of the census have the form of the geocoder, from the available layers', async () => {
    const { ask, packs } = await openDataset('census_geocoder_geographies', {
      'tiger_2025.gpkg': (it) =>
        it
          .layer('tl_2025_us_state', [area({ GEOID: '08', NAME: 'Colorado', STUSPS: 'CO' })])
          .layer('tl_2025_us_county', [area({ GEOID: '08001', NAME: 'Adams', NAMELSAD: 'Adams County' })])
          .layer('tabblock20', [area({ GEOID20: '080010078011000' })])
          .layer('place', [area({ GEOID: '1', NAME: 'X', NAMELSAD: 'X CDP', CLASSFP: 'U1' })])
          .layer('cd119', [area({ GEOID: '0801', CD119FP: '01' })])
          .layer('zcta520', [area({ ZCTA5CE20: '80022' })]),
    })
    expect(packs.list()[0]).toMatchObject({ state: 'live' })
    expect(await ask({})).toEqual({
      result: {
        geographies: {
          States: [{ GEOID: '08', NAME: 'Colorado', BASENAME: 'Colorado', STUSAB: 'CO' }],
          Counties: [{ GEOID: '08001', NAME: 'Adams County', BASENAME: 'Adams' }],
          '2020 Census Blocks': [{ GEOID: '080010078011000' }],
          'Incorporated Places': [],
          'Census Designated Places': [{ GEOID: '1', NAME: 'X CDP', BASENAME: 'X' }],
          '119th Congressional Districts': [{ GEOID: '0801' }],
          '2020 Census ZIP Code Tabulation Areas': [{ ZCTA5: '80022' }],
        },
      },
    })
    expect(await ask({ at: { lat: 0, lng: 0 } })).toEqual({
      result: {
        geographies: {
          States: [],
          Counties: [],
          '2020 Census Blocks': [],
          'Incorporated Places': [],
          'Census Designated Places': [],
          '0th Congressional Districts': [],
          '2020 Census ZIP Code Tabulation Areas': [],
        },
      },
    })
  })
})

describe('parts', () => {
  const west = [-106, 39, -105, 40]
  const east = [-105, 39, -104, 40]
  const inWest = { lat: 39.5, lng: -105.5 }
  const county = (county_fips: string, POPESTIMATE2025: number) => (it: PackFileWriter) =>
    it.table('pep', [{ county_fips, POPESTIMATE2024: 1, POPESTIMATE2025, DOMESTICMIG2025: 3 }], 'county_fips')

  test('can be in a folder with the name of the dataset, with one layer of a shared pack file', async () => {
    const { ask, opened } = await openDataset('usgs_wbd_huc8', {
      'usgs_wbd_huc8/08013.gpkg': (it) => it.layer('anything', [area({ huc8: '1', name: 'here' })]),
      'usgs_wbd_huc8/08013.json': { vintage: '2026-11', coverage: east, fetched_at: '2026-11-22T00:00:00Z' },
    })
    expect(await ask({ radius_m: 0 })).toMatchObject([{ properties: { name: 'here' } }])
    expect(opened!.vintage).toBe('2026-11')
  })

  test('of the census that lack a layer do not make its records absent in another part', async () => {
    const { ask } = await openDataset('census_geocoder_geographies', {
      'tiger_2025/west.gpkg': (it) => it.layer('tl_2025_08_tract', [area({ GEOID: '08001', NAME: '1' }, -106)]),
      'tiger_2025/east.gpkg': (it) => it.layer('tl_2025_us_county', [area({ GEOID: '08001', NAME: 'Adams' })]),
    })
    expect(await ask({})).toEqual({
      result: { geographies: { Counties: [expect.objectContaining({ GEOID: '08001' })] } },
    })
  })

  test('of a table answer a key from the part of the place, else from any part', async () => {
    const { ask } = await openDataset('census_pep_county', {
      'census_pep_county/08013.gpkg': county('08013', 1),
      'census_pep_county/08013.json': { coverage: west },
      'census_pep_county/08001.gpkg': county('08001', 2),
      'census_pep_county/08001.json': { coverage: east },
    })
    expect(await ask({ key: '08001' })).toMatchObject([{ POPESTIMATE2025: 2 }])
    expect(await ask({ key: '08013' })).toMatchObject([{ POPESTIMATE2025: 1 }])
    expect(await ask({ key: '08031' })).toEqual([])
  })

  test('of a raster answer from the part whose edge is farthest', async () => {
    const edges = [
      { west: -106, south: 39, east: -104.4, north: 40 },
      { west: -105, south: 39, east: -104, north: 40 },
    ]
    const { ask } = await openDataset('usda_cdl', { 'usda_cdl/1.tif': null, 'usda_cdl/2.tif': null }, (part) => ({
      bounds: edges[part - 1]!,
    }))
    expect(await ask({ radius_cells: 0 })).toMatchObject({ cells: [2] })
    expect(await ask({ radius_cells: 0, at: inWest })).toMatchObject({ cells: [1] })
  })

  test('that state their margin reject a radius beyond the area of all parts, unless enough features are nearer', async () => {
    const wetland = (id: number) => ({ ATTRIBUTE: 'PFO1A', WETLAND_TYPE: 'Lake', ACRES: 2, id })
    const { ask } = await openDataset('usfws_nwi', {
      'usfws_nwi/west.gpkg': (it) => it.layer('w', [area(wetland(1), -106)]),
      'usfws_nwi/west.json': { coverage: west, margin_m: 1_000, key: 'id' },
      'usfws_nwi/east.gpkg': (it) => it.layer('w', [area(wetland(2), -105)]),
      'usfws_nwi/east.json': { coverage: east, margin_m: 1_000, key: 'id' },
    })
    const atEdge = { at: { lat: 39.98, lng: -105.01 } }
    expect(await ask({ ...atEdge, radius_m: 1_000 })).toHaveLength(1)
    expect(ask({ ...atEdge, radius_m: 5_000 })).rejects.toMatchObject({
      code: 'unsupported_request',
      message:
        'The search radius of 5000 m extends beyond the area of the pack usfws_nwi.gpkg. Build the pack for a larger area.',
    })
    expect(await ask({ ...atEdge, radius_m: 5_000, limit: 1 })).toHaveLength(1)
    expect(await ask({ at: { lat: 39.5, lng: -105.01 }, radius_m: 5_000 })).toHaveLength(2)
  })
})

describe('documents as JSON in a column', () => {
  const climatology = (attributes: Properties) =>
    openDataset('nasa_power_climatology', {
      'nasa_power_climatology.gpkg': (it) => it.layer('cells', [area(attributes)]),
    })

  test('are those of the polygon that contains the place', async () => {
    const { ask } = await climatology({ document: '{"properties":{"parameter":{"T2M":{"ANN":9}}}}' })
    expect(await ask({})).toEqual({ properties: { parameter: { T2M: { ANN: 9 } } } })
    expect(ask({ at: { lat: 10, lng: 10 } })).rejects.toMatchObject({ code: 'no_local_data' })
  })

  test('are an error, and no absence, if the column is empty or damaged', async () => {
    for (const document of [null, '', '{"prop', 7]) {
      const { ask } = await climatology({ document, id: 1 })
      expect(ask({})).rejects.toMatchObject({
        code: 'bad_value',
        message:
          'The pack nasa_power_climatology.gpkg has no valid JSON in the column document at this place. Copy the pack again.',
      })
    }
  })

  test('need their column', async () => {
    const { opened, packs } = await climatology({ id: 1 })
    expect(opened).toBeNull()
    expect(packs.list()[0]!.reason).toContain('document')
  })
})

test('a point layer is rejected where polygons are required', async () => {
  const { opened, packs } = await openDataset('epa_ecoregions_l3', {
    'epa_ecoregions_l3.gpkg': (it) =>
      it.layer('l3', [{ geom: blob(pointWkb([0, 0])), attributes: { US_L3NAME: 'a', US_L3CODE: '1' } }], {
        type: 'POINT',
      }),
  })
  expect(opened).toBeNull()
  expect(packs.list()[0]).toMatchObject({ state: 'rejected', reason: expect.stringContaining('Expected polygons') })
})
