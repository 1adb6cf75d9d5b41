import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCheckedPacks } from '../../src/packs/check/checked-packs.ts'
import { sampleOf } from '../support/sample-data.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const packs = join(folder, 'data', 'packs')
const ran = (words: string[], env: Record<string, string> = {}) =>
  startFieldstone(['pack', ...words], env, folder).end()

const road = (n: number) => ({
  type: 'Feature',
  properties: { LINEARID: `1${n}`, FULLNAME: 'Main St', MTFCC: 'S1400' },
  geometry: {
    type: 'LineString',
    coordinates: [
      [-77, 38.9 + n / 1000],
      [-77.01, 38.9],
    ],
  },
})
const roads = JSON.stringify({ type: 'FeatureCollection', features: [road(1), road(2), road(3)] })
writeFileSync(join(folder, 'roads.geojson'), roads)

test('two datasets of one file are built one after the other, and the first layer stays', async () => {
  const unit = (west: number) =>
    JSON.stringify({
      type: 'Feature',
      properties: { huc8: '01010101', huc12: '010101010101', name: 'Upper' },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [west, 40],
            [west, 41],
            [west + 1, 41],
            [west + 1, 40],
            [west, 40],
          ],
        ],
      },
    })
  writeFileSync(join(folder, 'huc8.json'), unit(-100))
  writeFileSync(join(folder, 'huc12.json'), unit(-98))
  expect((await ran(['build', 'usgs_wbd_huc8', 'huc8.json'])).code).toBe(0)
  expect((await ran(['build', 'usgs_wbd_huc12', 'huc12.json'])).code).toBe(0)
  expect(JSON.parse((await ran(['list', '--json'])).out)).toMatchObject([
    {
      file: 'usgs_wbd.gpkg',
      datasets: ['usgs_wbd_huc8', 'usgs_wbd_huc12'],
      layers: ['WBDHU12', 'WBDHU8'],
      state: 'ok',
    },
  ])
  expect(JSON.parse(readFileSync(join(packs, 'usgs_wbd.json'), 'utf8')).coverage).toEqual([-100, 40, -97, 41])
  const { out } = await ran(['remove', 'usgs_wbd_huc8'])
  expect(out).toContain('It also served usgs_wbd_huc12.')
})

test('a polygon of many vertices is one feature, in pieces or with --whole, for the next command', async () => {
  const ring = Array.from({ length: 2_000 }, (_, i) => [
    -100 + 0.1 * Math.cos((Math.PI * i) / 1_000),
    40 + 0.1 * Math.sin((Math.PI * i) / 1_000),
  ])
  writeFileSync(
    join(folder, 'round.json'),
    JSON.stringify({
      type: 'Feature',
      properties: { ATTRIBUTE: 'PEM1A', WETLAND_TYPE: 'Lake', ACRES: 3.5 },
      geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]]] },
    }),
  )
  const fetching = ['fetch', '--at', '40,-100', '--fields', 'nwi_wetland_type']
  for (const flags of [[], ['--whole']]) {
    expect((await ran(['build', 'usfws_nwi', 'round.json', ...flags])).out).toContain(
      'layer Wetlands, 1 feature from GeoJSON',
    )
    const { sha256 } = JSON.parse(readFileSync(join(packs, 'usfws_nwi.json'), 'utf8')) as { sha256: string }
    expect(createCheckedPacks(join(folder, 'data')).has(join(packs, 'usfws_nwi.gpkg'), sha256)).toBe(true)
    const { out } = await startFieldstone(fetching, {}, folder).end()
    expect(JSON.parse(out)).toMatchObject({ fields: { nwi_wetland_type: { value: 'Lake', status: 'ok' } } })
    expect([(await ran(['verify'])).code, JSON.parse((await ran(['list', '--json'])).out)]).toMatchObject([
      0,
      [{ file: 'usfws_nwi.gpkg', features: 1, state: 'ok' }],
    ])
    const db = new Database(join(packs, 'usfws_nwi.gpkg'), { readonly: true })
    expect(db.query<{ rows: number }, []>('SELECT COUNT(*) AS rows FROM Wetlands').get()!.rows).toBe(
      flags.length > 0 ? 1 : 36,
    )
    db.close()
  }
  expect((await ran(['remove', 'usfws_nwi'])).code).toBe(0)
})

describe('`pack build`', () => {
  test('puts the pack where the catalog expects it, under its names, with a manifest, and leaves nothing else', async () => {
    const { code, out } = await ran(['build', 'census_tigerweb_roads', 'roads.geojson', '--vintage', '2025'])
    expect([code, readdirSync(packs).toSorted()]).toEqual([0, ['census_tiger_roads.gpkg', 'census_tiger_roads.json']])
    expect(out).toContain('census_tigerweb_roads, layer census_tiger_roads, 3 features from GeoJSON')
    const manifest = JSON.parse(readFileSync(join(packs, 'census_tiger_roads.json'), 'utf8'))
    expect(manifest).toMatchObject({
      vintage: '2025',
      license: 'US government work, public domain',
      coverage: [-77.01, 38.9, -77, 38.903],
      contents: { census_tiger_roads: { features: 3, sources: [{ file: 'roads.geojson', bytes: roads.length }] } },
    })
  })

  test('is listed and valid, and not valid after it is truncated', async () => {
    expect(JSON.parse((await ran(['list', '--json'])).out)).toMatchObject([
      {
        file: 'census_tiger_roads.gpkg',
        datasets: ['census_tigerweb_roads'],
        features: 3,
        vintage: '2025',
        state: 'ok',
      },
    ])
    expect((await ran(['verify'])).code).toBe(0)
    const path = join(packs, 'census_tiger_roads.gpkg')
    const whole = readFileSync(path)
    truncateSync(path, whole.length - 1000)
    const { code, out } = await ran(['verify', 'census_tiger_roads.gpkg'])
    expect([code, /SHA-256/.test(out), /is truncated/.test(out)]).toEqual([1, true, true])
    writeFileSync(path, whole)
  })

  const wrong: [words: string[], code: number, sentence: RegExp][] = [
    [
      ['build', 'census_tigerweb_road', 'roads.geojson'],
      1,
      /Unknown dataset census_tigerweb_road\. The nearest are census_tigerweb_roads/,
    ],
    [['build', 'census_tigerweb_roads'], 64, /No input file given/],
    [['build', 'census_tigerweb_roads', 'nothing.geojson'], 1, /The file .*nothing\.geojson does not exist/],
    [['build', 'usda_cdl', 'roads.geojson'], 1, /the dataset needs a raster/],
    [['build', 'noaa_slr', 'roads.geojson'], 1, /several layers\. Select one with --layer: slr_/],
    [
      ['build', 'usfws_nwi', 'roads.geojson'],
      1,
      /The layer Wetlands needs .*, but the input has no such column\. The columns of the input: LINEARID, FULLNAME, MTFCC/,
    ],
    [['build', 'census_tigerweb_roads', 'roads.geojson', '--crs', '5070'], 64, /--crs "5070" is not valid/],
    [['build', 'census_tigerweb_roads', 'roads.geojson', '--rename', 'x'], 64, /--rename "x" is not valid/],
    [['build', 'census_tigerweb_roads', 'roads.geojson', '--coverage', 'x'], 1, /--coverage "x" is not valid/],
    [['nonsense'], 64, /fieldstone help pack/],
    [['verify', 'nothing'], 1, /There is no pack nothing/],
    [['remove', 'usfws_nwi'], 1, /There is no pack usfws_nwi in .*`fieldstone pack list`/],
    [['fetch', 'usfws_cbrs'], 1, /has no download for usfws_cbrs.*run: fieldstone pack build usfws_cbrs/],
    [['remove', 'usfws_nwi/08013'], 1, /There is no pack usfws_nwi\/08013 in/],
    [['fetch', 'usgs_structures_hospitals'], 1, /is not available as a single file/],
    [
      ['fetch', 'usgs_3dep'],
      1,
      /To copy the data of an area, name it, such as: fieldstone pack fetch usgs_3dep --area "Boulder County, CO". Or download what/,
    ],
    [
      ['fetch', 'elevation'],
      1,
      /It is a field. To get its data, name an area, such as: fieldstone pack fetch --fields elevation --area/,
    ],
    [
      ['fetch', 'flood_risk'],
      1,
      /It is a preset. To get its data, name an area, such as: fieldstone pack fetch --preset flood_risk --area/,
    ],
    [
      ['fetch', 'epa_ecoregions_l3'],
      1,
      /FIELDSTONE_OFFLINE=1.*us_eco_l3\.zip.*fieldstone pack build epa_ecoregions_l3/,
    ],
  ]
  test.each(wrong)('%j ends with code %d and a message', async (words, code, sentence) => {
    const said = await ran(words)
    expect([said.code, said.out]).toEqual([code, ''])
    expect(said.err).toMatch(sentence)
    expect(readdirSync(packs).filter((name) => name.startsWith('.'))).toEqual([])
  })
})

test('an interrupted build leaves nothing behind', async () => {
  const many = `${Array.from({ length: 150_000 }, (_, n) => JSON.stringify(road(n % 50))).join('\n')}\n`
  writeFileSync(join(folder, 'many.ndjson'), many)
  const child = startFieldstone(['pack', 'build', 'census_tigerweb_major_roads', 'many.ndjson'], {}, folder)
  await child.waitForOutput(/[1-9]0 %/)
  child.signal('SIGINT')
  expect((await child.end()).code).toBe(130)
  expect(readdirSync(packs).filter((name) => name.startsWith('.') || name.includes('major'))).toEqual([])
})

test('`pack fetch` downloads through the mirror, resumes, and builds', async () => {
  const csv = Buffer.from(
    `NIDID,NAME,Latitude,Longitude\n${Array.from({ length: 2_000 }, (_, n) => `${n},Dam ${n},40.1,-100.${n}`).join('\n')}\n`,
  )
  const requests: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const range = request.headers.get('range')
      requests.push(`${new URL(request.url).pathname} ${range} ${request.headers.get('if-range')}`)
      const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0)
      return new Response(csv.subarray(from), {
        status: from > 0 ? 206 : 200,
        headers: { etag: '"one"', 'content-range': `bytes ${from}-${csv.length - 1}/${csv.length}` },
      })
    },
  })
  const downloads = join(folder, 'data', 'downloads')
  mkdirSync(downloads, { recursive: true })
  try {
    const { bulk, id } = { id: 'usace_nid', bulk: '/nid.sec.usace.army.mil/api/nation/csv' }
    writeFileSync(join(downloads, `${id}.download.part`), csv.subarray(0, 1_000))
    writeFileSync(join(downloads, `${id}.download.part.validator`), '"one"')
    await ran(['fetch', id], { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: `http://localhost:${server.port}` })
    expect(requests).toEqual([`${bulk} bytes=1000- "one"`])
    expect(readFileSync(join(downloads, `${id}.download`)).equals(csv)).toBe(true)
    expect(readdirSync(downloads)).toEqual([`${id}.download`])
  } finally {
    await server.stop(true)
  }
})

const crops = sampleOf('cdl_2021_kansas.tif')
if (!existsSync(crops)) console.warn(`${crops} is not here: no raster is verified.`)
test.skipIf(!existsSync(crops))('a raster is valid, and a truncated one is not', async () => {
  const path = join(packs, 'usda_cdl.tif')
  const whole = readFileSync(crops)
  writeFileSync(path, whole)
  expect(await ran(['verify', 'usda_cdl'])).toMatchObject({
    code: 0,
    out: `${path}: ok, but it has no checksum: values that changed on the disk are not found\n`,
  })
  writeFileSync(path, whole.subarray(0, 500_000))
  expect((await ran(['verify', 'usda_cdl'])).code).toBe(1)
  expect((await ran(['remove', 'usda_cdl'])).code).toBe(0)
})

test('`pack remove` removes the pack and its manifest', async () => {
  expect((await ran(['remove', 'census_tigerweb_roads'])).code).toBe(0)
  expect(existsSync(join(packs, 'census_tiger_roads.gpkg')) || existsSync(join(packs, 'census_tiger_roads.json'))).toBe(
    false,
  )
})

test.each([
  ['list', '--where'],
  ['verify', '--crs'],
  ['remove', '--layer'],
  ['build', '--json'],
  ['fetch', '--json'],
])('`pack %s` rejects %s', async (action, flag) => {
  const { code, err } = await ran([action, 'usfws_nwi', flag, ...(flag === '--json' || flag === '--all' ? [] : ['x'])])
  const message = flag === '--json' ? (JSON.parse(err) as { detail: { message: string } }).detail.message : err.trim()
  expect(message).toBe(`\`fieldstone pack ${action}\` does not take ${flag}. See \`fieldstone help pack\`.`)
  expect(code).toBe(64)
})

test.each([
  ['list usfws_nwi', 'See `fieldstone help pack`.'],
  ['fetch usfws_nwi more', 'Unknown dataset "more".'],
  ['remove usfws_nwi more', 'See `fieldstone help pack`.'],
])('an extra argument is rejected: pack %s', async (words, says) => {
  expect(await ran(words.split(' '))).toMatchObject({ code: 64, out: '', err: expect.stringContaining(says) })
})

test('no folder is created for --out', async () => {
  for (const words of [
    ['build', 'census_tigerweb_roads', 'roads.geojson'],
    ['build', 'addresses', 'roads.geojson'],
  ]) {
    expect(await ran([...words, '--out', 'nowhere/x.gpkg'])).toEqual({
      code: 1,
      out: '',
      err: `The folder ${join(folder, 'nowhere')} does not exist. Create it, or set --out to another file.\n`,
    })
  }
  expect(existsSync(join(folder, 'nowhere'))).toBe(false)
})
