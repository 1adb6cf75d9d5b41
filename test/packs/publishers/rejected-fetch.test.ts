import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { strToU8, zipSync } from 'fflate'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildGeotiff } from '../../raster/build-geotiff.ts'
import { bulkFiles } from '../../upstreams/bulk/bulk-file.ts'
import { karst, soleSourceAquifers } from '../../upstreams/bulk/zones.ts'
import { nad83, shapefileOf, squareAt } from '../../upstreams/bulk/shapefile.ts'
import { testPlaces } from '../../upstreams/test-places.ts'
import { openPackFetchFixture, type PackFetchFixture } from './pack-fetch-fixture.ts'

setDefaultTimeout(120_000)

let fetching: PackFetchFixture | null = null
afterEach(() => {
  fetching?.close()
  fetching = null
})

const openFixture = (...given: Parameters<typeof openPackFetchFixture>) => (fetching = openPackFetchFixture(...given))
const listFiles = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
const openFixtureWithFile = (path: string, file: Uint8Array, host: string) =>
  openFixture([bulkFiles(host, { [path]: () => file })])

test('an interrupted download resumes where it ended', async () => {
  const { upstreams, pack, packs, downloads } = openFixture()
  upstreams.fault({ host: 'edg.epa.gov', times: 1 }, 'truncated')
  const first = await pack(['fetch', 'epa_sole_source_aquifers'])
  expect([first.code, first.err]).toEqual([1, expect.stringMatching(/Run the same command again to continue/)])
  expect([listFiles(packs), listFiles(downloads).toSorted()]).toEqual([
    [],
    ['EPA_Sole_Source_Aquifers.zip.part', 'EPA_Sole_Source_Aquifers.zip.part.validator'],
  ])
  const second = await pack(['fetch', 'epa_sole_source_aquifers'])
  expect([second.code, listFiles(packs).toSorted()]).toEqual([0, ['epa_ssa.gpkg', 'epa_ssa.json']])
  expect(upstreams.callsTo('edg.epa.gov')).toBe(2)
})

test('an existing download is used and not requested again', async () => {
  const { upstreams, pack } = openFixture()
  expect((await pack(['fetch', 'global_wind_atlas'])).code).toBe(0)
  const calls = upstreams.calls.length
  expect((await pack(['fetch', 'global_wind_atlas'])).out).toMatch(
    /Using .*global_wind_atlas\.download, downloaded on \d{4}-/,
  )
  expect(upstreams.calls.length).toBe(calls)
})

test('an HTML page instead of the file is rejected, whatever its content type, and not kept', async () => {
  const page = strToU8('\n<!DOCTYPE html><html><head><title>Maintenance</title></head></html>')
  const { pack, packs, downloads } = openFixtureWithFile(
    '/data/public/OW/EPA_Sole_Source_Aquifers.zip',
    page,
    'edg.epa.gov',
  )
  const { code, err } = await pack(['fetch', 'epa_sole_source_aquifers'])
  expect(err).toMatch(/returned an HTML page instead of the file.*fieldstone pack build epa_sole_source_aquifers/)
  expect(code).toBe(1)
  expect([listFiles(packs), listFiles(downloads)]).toEqual([[], []])
  fetching!.close()
  const said = openFixture()
  said.upstreams.fault({ host: 'edg.epa.gov' }, 'html_200')
  expect((await said.pack(['fetch', 'epa_sole_source_aquifers'])).err).toMatch(
    /returned an HTML page instead of the file/,
  )
})

const zones = (row: Record<string, string | number>) =>
  zipSync(shapefileOf('phzm', [{ kind: 'polygon', points: squareAt(testPlaces.boulder, 0.1), row }], nad83))
const bad: [what: string, dataset: string, host: string, path: string, file: () => Uint8Array, sentence: RegExp][] = [
  [
    'a truncated archive',
    'epa_sole_source_aquifers',
    'edg.epa.gov',
    '/data/public/OW/EPA_Sole_Source_Aquifers.zip',
    () => zones({ SSA_NAME: 'x' }).subarray(0, 400),
    /is damaged or not a ZIP archive/,
  ],
  [
    'an archive of records without one of its members',
    'fcc_asr',
    'data.fcc.gov',
    '/download/pub/uls/complete/r_tower.zip',
    () => zipSync({ 'CO.dat': strToU8('CO|REG|\n') }),
    /does not contain RA\.dat\. It contains CO\.dat/,
  ],
  [
    'records without a complete one',
    'fcc_asr',
    'data.fcc.gov',
    '/download/pub/uls/complete/r_tower.zip',
    () =>
      zipSync({
        'CO.dat': strToU8('CO|REG|A|1|2|T|40\n'),
        'RA.dat': strToU8('RA|REG\n'),
        'EN.dat': strToU8('EN|REG\n'),
      }),
    /has no features/,
  ],
  [
    'a raster in an unknown coordinate system',
    'global_wind_atlas',
    'globalwindatlas.info',
    '/api/gis/country/USA/power-density/100',
    () => buildGeotiff({ width: 4, height: 4, value: () => 1, epsg: 9999 }),
    /Cannot serve global_wind_atlas\.download: .*EPSG:9999/,
  ],
  [
    'a truncated raster',
    'global_wind_atlas',
    'globalwindatlas.info',
    '/api/gis/country/USA/power-density/100',
    () => buildGeotiff({ width: 300, height: 300, value: () => 1, headFirst: true }).subarray(0, 90_000),
    /Cannot serve global_wind_atlas\.download: .* truncated/,
  ],
  [
    'a raster with an unknown compression',
    'global_wind_atlas',
    'globalwindatlas.info',
    '/api/gis/country/USA/power-density/100',
    () => buildGeotiff({ width: 4, height: 4, value: () => 1, overriddenTags: { 259: { type: 3, values: [34_887] } } }),
    /unsupported compression 34887.*gdal_translate -of COG -co COMPRESS=DEFLATE/,
  ],
  [
    'an archive without a raster',
    'nrel_wtk_mean_80m',
    'www.nlr.gov',
    '/docs/libraries/gis/us-wind-data.zip',
    () => zones({ zone: '6a' }),
    /contains no raster\. Expected a GeoTIFF/,
  ],
  [
    'an archive with other rasters',
    'nrel_wtk_mean_80m',
    'www.nlr.gov',
    '/docs/libraries/gis/us-wind-data.zip',
    () =>
      zipSync({
        'a.tif': buildGeotiff({ width: 4, height: 4, value: () => 1 }),
        'b.tif': buildGeotiff({ width: 4, height: 4, value: () => 1 }),
      }),
    /needs wtk_conus_80m_mean_masked, but the input has a, b/,
  ],
]
test.each(bad)('%s is rejected, and no pack is installed', async (_, dataset, host, path, file, sentence) => {
  const { pack, packs } = openFixtureWithFile(path, file(), host)
  const { code, err } = await pack(['fetch', dataset])
  expect([code, err]).toEqual([1, expect.stringMatching(sentence)])
  expect(listFiles(packs)).toEqual([])
})

test('a file with other column names is rejected with its column names', async () => {
  const { folder, pack, packs } = openFixture([])
  writeFileSync(join(folder, 'zones.zip'), zones({ zonage: '6a', trange: 'x' }))
  const { code, err } = await pack(['build', 'usda_phzm_2023', 'zones.zip'])
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /The layer usda_phzm_2023 needs zone, but the input has no such column\. The columns of the input: trange, zonage/,
    ),
  ])
  expect(listFiles(packs)).toEqual([])
  expect((await pack(['build', 'usda_phzm_2023', 'zones.zip', '--rename', 'zonage=zone'])).code).toBe(0)
})

test('a file missing for all of the last years is rejected with the URLs that were tried', async () => {
  const { pack, upstreams } = openFixture([])
  const { code, err } = await pack(['fetch', 'noaa_spc_hail'])
  const last = new Date().getUTCFullYear() - 1
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(
        `Not found on the publisher's server: .*1955-${last}-hail-aspath\\.zip, .*1955-${last - 3}-hail-aspath\\.zip`,
      ),
    ),
  ])
  expect(upstreams.calls.length).toBe(4)
})

test('a denied download is reported with the manual steps', async () => {
  const { pack, upstreams } = openFixture([karst, soleSourceAquifers])
  upstreams.fault({ host: 'pubs.usgs.gov' }, { status: 403 })
  const { code, err } = await pack(['fetch', 'usgs_karst'])
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /pubs\.usgs\.gov returned status 403.*USKarstMap\.zip with a browser and run: fieldstone pack build usgs_karst/,
    ),
  ])
})

test('offline, the error lists the files to download', async () => {
  const { pack, upstreams } = openFixture()
  const { code, err } = await pack(['fetch', 'noaa_ibtracs'], { FIELDSTONE_OFFLINE: '1' })
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /Downloads are disabled \(FIELDSTONE_OFFLINE=1\)\. .*ibtracs\.NA\.list.*ibtracs\.EP\.list.*fieldstone pack build noaa_ibtracs/,
    ),
  ])
  expect(upstreams.calls).toEqual([])
})

test('a pack of several files is removed as a whole', async () => {
  const { pack, packs } = openFixture()
  expect((await pack(['fetch', 'usda_phzm_2023_grid'])).code).toBe(0)
  expect(listFiles(packs).filter((name) => name.endsWith('.tif')).length).toBe(4)
  expect((await pack(['remove', 'usda_phzm_2023_grid'])).code).toBe(0)
  expect(listFiles(packs)).toEqual([])
})

test("a raster of one's own is looked at and put in its place; one of several parts alone is enough", async () => {
  const { folder, pack, packs } = openFixture([])
  mkdirSync(packs, { recursive: true })
  writeFileSync(join(folder, 'mine.tif'), buildGeotiff({ width: 8, height: 8, value: () => 42, type: 'uint8' }))
  expect((await pack(['build', 'annual_nlcd_impervious', 'mine.tif', '--vintage', '2023'])).code).toBe(0)
  writeFileSync(
    join(folder, 'PR_Category1_MOM_Inundation_HighTide.tif'),
    buildGeotiff({ width: 8, height: 8, value: () => 1, type: 'uint8' }),
  )
  const alone = await pack(['build', 'nhc_slosh_mom', 'PR_Category1_MOM_Inundation_HighTide.tif'])
  expect(alone.code).toBe(1)
  expect(alone.err).toMatch(/needs PR_Category2_MOM_Inundation_HIGH\*, PR_Category3/)
  expect(listFiles(packs).toSorted()).toEqual(['annual_nlcd_impervious.json', 'annual_nlcd_impervious.tif'])
  expect((await pack(['verify'])).out).toMatch(/annual_nlcd_impervious\.tif: ok/)
})
