import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zipSync } from 'fflate'
import { buildGeotiff } from '../raster/build-geotiff.ts'
import { nad83, shapefileOf } from '../upstreams/bulk/shapefile.ts'
import { answerRange } from '../upstreams/rasters/files.ts'
import type { SimulatedService } from '../upstreams/service.ts'
import { openUpstreams, type Upstreams } from '../upstreams/upstreams.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const upstreams = openUpstreams()
const folder = temporaryFolder()
afterAll(() => upstreams.close())
const packs = join(folder, 'data', 'packs')
const downloads = join(folder, 'data', 'downloads')
const boulder = ['--area', 'Boulder County, CO']
/** At the border of Colorado and Wyoming, which a creek crosses. */
const border = ['--area', '-105.4,40.95,-105.2,41.05']
const online = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }
const ran = (words: string[], env: Record<string, string> = online) =>
  startFieldstone(['pack', ...words], env, folder).end()
/** The requests for a file: the plan asks for its size. */
const callsOf = (pattern: RegExp, begin: number) =>
  upstreams.calls.slice(begin).filter(({ path }) => pattern.test(path)).length

/** The values of a column of a part. */
function valuesIn(dataset: string, area: string, layer: string, column: string): unknown[] {
  using db = new Database(join(packs, dataset, `${area}.gpkg`), { readonly: true })
  return db.query(`SELECT "${column}" FROM "${layer}" ORDER BY 1`).values().flat()
}

function manifestOf(dataset: string, area: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(packs, dataset, `${area}.json`), 'utf8')) as Record<string, unknown>
}

test("the publisher's files of states and counties become packs of the area, with the answers of the services", async () => {
  const fields =
    'nwi_wetland_type,nearest_wetland_distance_m,intersects_nhd_waterbody,intersects_nhd_area,nearest_stream_distance_m,nearest_major_road_name,roads_within_500m_count'
  const { code, out } = await ran(['fetch', '--fields', fields, ...boulder, '--verify', '20'])
  expect([code, out]).toEqual([0, expect.stringMatching(/Compared 280 answers at 40 points with the services: 0 diff/)])
  expect(out).toContain('7 of 7 fields can be answered in Boulder County, CO without a network.')
  // Boulder County and its neighbors. The file of Colorado is downloaded once for three datasets.
  expect(readdirSync(downloads).filter((name) => name.endsWith('_roads.zip')).length).toBeGreaterThan(4)
  expect(callsOf(/NHD_H_Colorado_State/, 0)).toBe(2)
  // The lake of the file lies outside of the county, and so does the road in the corner of the state.
  expect(valuesIn('usfws_nwi', '08013', 'Wetlands', 'WETLAND_TYPE')).toEqual(['Freshwater Emergent Wetland'])
  expect(valuesIn('census_tigerweb_major_roads', '08013', 'census_tiger_major_roads', 'NAME')).toEqual([
    'State Hwy 93',
    'US Hwy 36',
  ])
  expect(manifestOf('usfws_nwi', '08013')).toMatchObject({
    area: 'Boulder County, CO',
    coverage: { type: 'MultiPolygon' },
    margin_m: 5_000,
    obtained: {
      how: 'file',
      files: ['https://documentst.ecosphere.fws.gov/wetlands/data/State-Downloads/CO_geodatabase_wetlands.zip'],
    },
    comparison: { points: 40, differences: [] },
  })
}, 120_000)

test('a file serves other areas too until its data is no longer valid, and is removed if it is not used', async () => {
  const begin = upstreams.calls.length
  const fetchWetlands = (area: string) => ran(['fetch', 'usfws_nwi', '--area', area, '--verify', '0'])
  expect((await fetchWetlands('Pueblo County, CO')).code).toBe(0)
  expect(valuesIn('usfws_nwi', '08101', 'Wetlands', 'WETLAND_TYPE')).toEqual(['Lake'])
  expect(callsOf(/State-Downloads/, begin)).toBe(0)
  const [old, file] = [new Date(Date.now() - 31 * 86_400_000), join(downloads, 'CO_geodatabase_wetlands.zip')]
  utimesSync(file, new Date(), old)
  writeFileSync(join(downloads, 'unused.zip'), '')
  utimesSync(join(downloads, 'unused.zip'), old, old)
  expect((await fetchWetlands('Gilpin County, CO')).code).toBe(0)
  expect([callsOf(/State-Downloads/, begin), statSync(file).mtime > old]).toEqual([2, true])
  expect(existsSync(join(downloads, 'unused.zip'))).toBe(false)
})

test('an area across two states is built from the files of both, and a feature of both counts once', async () => {
  const fields = 'nearest_stream_distance_m,nearest_stream_name,nearest_major_road_distance_m,nearest_major_road_name'
  const { code, out } = await ran(['fetch', '--fields', fields, ...border, '--verify', '20'])
  expect([code, out]).toEqual([0, expect.stringMatching(/with the services: 0 differences/)])
  const area = 'box--105.4_40.95_-105.2_41.05'
  expect(valuesIn('usgs_nhd_flowline', area, 'NHDFlowline', 'permanent_identifier')).toEqual(['14002301'])
  expect(valuesIn('census_tigerweb_major_roads', area, 'census_tiger_major_roads', 'OID')).toEqual([
    '11041206',
    '11041207',
  ])
})

test('without the file of one county or state, the service is copied, and the plan says why', async () => {
  upstreams.fault({ host: 'www2.census.gov', path: /08015_roads/ }, { status: 404 })
  const words = ['--dataset', 'census_tigerweb_roads', '--area', 'Chaffee County, CO']
  const plan = await ran(['plan', ...words])
  expect(plan.out).toContain('copy from tigerweb.geo.census.gov')
  expect(plan.out).toMatch(/The publisher has no file https:\S+tl_2025_08015_roads\.zip, so the service is copied\./)
  expect((await ran(['fetch', ...words, '--verify', '0'])).out).toMatch(/features? from tigerweb/)
  upstreams.heal()
})

test('a dataset with a raster for each level is built once', async () => {
  const words = ['fetch', 'nhc_slosh_mom', ...boulder]
  expect((await ran(words)).out).toContain('slosh_c5.tif: nhc_slosh_mom, from ')
  const { code, out } = await ran(words, {})
  expect([code, out]).toEqual([0, expect.stringContaining('slosh_c1.tif is there already.')])
})

test('--services copies the service, and a dataset of many files needs an area', async () => {
  const { out } = await ran(['plan', 'usfws_nwi', ...boulder, '--services'])
  expect(out).toContain('copy from fwspublicservices.wim.usgs.gov')
  const { code, err } = await ran(['fetch', 'usfws_nwi'])
  expect(err).toContain('fieldstone pack fetch usfws_nwi --area "Boulder County, CO"')
  expect(code).toBe(1)
})

test('a part of files is fetched again when the publisher has changed them', async () => {
  const manifest = join(packs, 'usfws_nwi', '08013.json')
  const fetchedAt = () => String(manifestOf('usfws_nwi', '08013').fetched_at)
  expect((await ran(['refresh', 'usfws_nwi', '--dry-run'])).out).toContain('usfws_nwi/08013.gpkg: usfws_nwi is current')
  const old = '2025-01-01T00:00:00.000Z'
  await Bun.write(manifest, readFileSync(manifest, 'utf8').replace(fetchedAt(), old))
  const { code, out } = await ran(['refresh', 'usfws_nwi'])
  expect([code, out]).toEqual([0, expect.stringContaining('usfws_nwi/08013.gpkg: no change in 1 feature.')])
  expect(fetchedAt() > old).toBe(true)
})

const roadFile = (name: string) =>
  zipSync(
    shapefileOf(
      'tl_2025_08_prisecroads',
      [
        {
          kind: 'line',
          points: [
            [-105.3, 40],
            [-105.2, 40],
          ],
          row: { LINEARID: '1', FULLNAME: name, RTTYP: 'M', MTFCC: 'S1200' },
        },
      ],
      nad83,
    ),
    { level: 0 },
  )

/** A host whose only file has a road with this name. */
function openRoadHost(name: string): { host: Upstreams; ranges: string[] } {
  const [file, etag, ranges] = [roadFile(name), `"${name}"`, [] as string[]]
  const service: SimulatedService = {
    host: 'www2.census.gov',
    answer(request) {
      const [range, validator] = [request.headers.get('range'), request.headers.get('if-range')]
      if (range !== 'bytes=0-0') ranges.push(`${range} ${validator}`)
      const answer = validator === null || validator === etag ? answerRange(request, file)! : { body: file }
      return { ...answer, type: 'application/zip', headers: { ...answer.headers, etag } }
    },
  }
  return { host: openUpstreams({ services: [service] }), ranges }
}

test('a download that ended early is continued, and begins again if the file has changed meanwhile', async () => {
  for (const name of ['first', 'second']) {
    const { host, ranges } = openRoadHost(name)
    const data = join(folder, `after-${name}`)
    const part = join(data, 'downloads', 'tl_2025_08_prisecroads.zip.part')
    mkdirSync(dirname(part), { recursive: true })
    writeFileSync(part, roadFile('first').subarray(0, 500))
    writeFileSync(`${part}.validator`, '"first"')
    const words = ['fetch', 'census_tigerweb_major_roads', '--area=-105.28,40,-105.26,40.02', '--verify', '0']
    const fetchRoads = () => ran([...words, '--data', data], { ...online, FIELDSTONE_MIRROR: host.url })
    host.fault({ skip: 1, times: 1 }, { status: 503 }) // The first request is that of the plan.
    const failed = await fetchRoads()
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('Run the same command again to continue.')])
    expect(existsSync(join(data, 'packs', 'census_tigerweb_major_roads', 'box--105.28_40_-105.26_40.02.gpkg'))).toBe(
      false,
    )
    expect((await fetchRoads()).code).toBe(0)
    expect(ranges).toEqual(['bytes=500- "first"'])
    const db = new Database(join(data, 'packs', 'census_tigerweb_major_roads', 'box--105.28_40_-105.26_40.02.gpkg'))
    expect(db.query('SELECT NAME FROM census_tiger_major_roads').values()).toEqual([[name]])
    db.close()
    host.close()
  }
})

/** A raster of 102 MB, most of it after its cells, in the archive of the newest year that the publisher has. */
function openRasterHost(): Upstreams {
  const raster = new Uint8Array(102_000_000)
  raster.set(
    buildGeotiff({
      width: 400,
      height: 300,
      tile: 64,
      type: 'uint8',
      nodata: '250',
      epsg: 4326,
      origin: [-105.5, 40.2],
      step: [0.001, -0.001],
      value: (x, y) => (x + y) % 100,
    }),
  )
  const file = zipSync({ 'Annual_NLCD_FctImp_2024_CU_C1V1.tif': raster }, { level: 1 })
  const service: SimulatedService = {
    host: 'www.mrlc.gov',
    answer: (request) => (request.path.endsWith('C1V1.zip') ? answerRange(request, file) : null),
  }
  return openUpstreams({ services: [service] })
}

test('a large raster becomes a part of the cells of the area, or a whole pack if it has none there', async () => {
  const host = openRasterHost()
  const data = join(folder, 'raster')
  const dataset = 'annual_nlcd_impervious'
  const part = join(data, 'packs', dataset, 'box--105.28_40_-105.26_40.02')
  const runPack = (...words: string[]) => ran([...words, '--data', data], { ...online, FIELDSTONE_MIRROR: host.url })
  const fetched = await runPack('fetch', dataset, '--area=-105.28,40,-105.26,40.02')
  expect(fetched.code).toBe(0)
  expect(fetched.out).toMatch(/_40\.02\.tif: \S+, \d+ cells from 1 file of the/)
  expect(statSync(`${part}.tif`).size).toBeLessThan(10_000)
  expect(existsSync(join(data, 'packs', `${dataset}.tif`))).toBe(false)
  const answer = startFieldstone(
    ['fetch', '--at', '40.0105,-105.2705', '--fields', 'impervious_surface_pct', '--data', data],
    {},
    folder,
  )
  expect((await answer.end()).out).toContain(`"value": ${(229 + 189) % 100}`)
  expect((await runPack('fetch', dataset, '--area=-105.28,40,-105.26,40.02')).out).toContain('is there already')

  const manifest = JSON.parse(readFileSync(`${part}.json`, 'utf8')) as { fetched_at: string }
  writeFileSync(`${part}.json`, JSON.stringify({ ...manifest, fetched_at: '2025-01-01T00:00:00.000Z' }))
  const refreshed = await runPack('refresh', dataset)
  expect([refreshed.code, refreshed.out]).toEqual([0, expect.stringContaining('its cells were copied again')])

  const outside = await runPack('fetch', dataset, '--area', 'Monroe County, FL')
  expect(outside.out).toContain('installed as a whole: Annual_NLCD_FctImp_2024_CU_C1V1.tif in')
  expect([outside.code, existsSync(join(data, 'packs', `${dataset}.tif`))]).toEqual([0, true])
  host.close()
})
