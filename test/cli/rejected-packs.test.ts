import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePack, type PackFileWriter } from '../packs/write-pack.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { buildGeotiff, type TiffSpec } from '../raster/build-geotiff.ts'
import { openOfflineService, type OfflineService } from './service.ts'

setDefaultTimeout(120_000)

let service: OfflineService
beforeAll(() => {
  service = openOfflineService()
  mkdirSync(service.packs, { recursive: true })
})
afterEach(async () => {
  for (const file of readdirSync(service.packs)) {
    rmSync(join(service.packs, file))
    await service.until(file, undefined)
  }
})
afterAll(() => service.stop())

const vector = 'usfws_nwi.gpkg'
const raster = 'usda_cdl.tif'
const at = { lat: 39.5, lng: -97.5 }

const attributes = { WETLAND_TYPE: 'Lake', ATTRIBUTE: 'L1UBH', ACRES: 3 }
const square = [{ geom: blob(polygonWkb(boxRing(-98, 39, -97, 40))), attributes }]
const good = (path: string) =>
  writePack(path)
    .layer('Wetlands', square, { boxes: [[-98, -97, 39, 40]] })
    .close()
const written = (fill: (writing: PackFileWriter) => PackFileWriter) => (path: string) =>
  void fill(writePack(path)).close()
const bytes = (contents: string | Uint8Array) => (path: string) => writeFileSync(path, contents)
const tiff: TiffSpec = {
  width: 256,
  height: 256,
  value: (x, y) => 1 + ((x + y) % 2),
  type: 'uint8',
  origin: [-98, 40],
  step: [1 / 256, -1 / 256],
}

function half(make: (path: string) => void) {
  return (path: string) => {
    make(path)
    const whole = readFileSync(path)
    writeFileSync(path, whole.subarray(0, Math.floor(whole.length / 2)))
  }
}

const bad: [name: string, file: string, field: string, make: (path: string) => void, sentence: RegExp][] = [
  [
    'a truncated GeoPackage',
    vector,
    'nwi_wetland_type',
    half(good),
    /usfws_nwi\.gpkg is truncated: its header declares \d+ bytes, but it has \d+\./,
  ],
  [
    'a GeoPackage in an unknown coordinate system',
    vector,
    'nwi_wetland_type',
    written((it) =>
      it.srs(990_001, 'NONE', 990_001, 'LOCAL_CS["a drawing"]').layer('Wetlands', square, { srs: 990_001 }),
    ),
    /The layer Wetlands is in an unknown coordinate system \(CRS\): NONE:990001 .*\. Expected EPSG:4326\./,
  ],
  [
    'a file of 0 bytes',
    vector,
    'nwi_wetland_type',
    bytes(''),
    /usfws_nwi\.gpkg is empty \(0 bytes\)\. Expected a GeoPackage\./,
  ],
  [
    'a SQLite file of another program',
    vector,
    'nwi_wetland_type',
    foreign,
    /usfws_nwi\.gpkg is a SQLite file but not a GeoPackage: it has no table gpkg_contents\. Its tables: notes\./,
  ],
  [
    'a text',
    vector,
    'nwi_wetland_type',
    bytes('{"type": "FeatureCollection", "features": []}'),
    /usfws_nwi\.gpkg is not a GeoPackage .*\. It starts with JSON\./,
  ],
  [
    'a GeoPackage without the layer',
    vector,
    'nwi_wetland_type',
    written((it) => it.layer('rivers', square).layer('lakes', square)),
    /usfws_nwi\.gpkg has no layer or table Wetlands, which the catalog reads\. Its layers and tables: lakes, rivers\./,
  ],
  [
    'a table with the right name and no geometry',
    vector,
    'nwi_wetland_type',
    written((it) => it.table('Wetlands', [attributes])),
    /The table Wetlands of usfws_nwi\.gpkg has no geometry registered in gpkg_geometry_columns\. Expected a layer of features\./,
  ],
  [
    'a layer without an attribute',
    vector,
    'nwi_wetland_type',
    written((it) => it.layer('Wetlands', [{ ...square[0]!, attributes: { WETLAND_TYPE: 'Lake', ACRES: 3 } }])),
    /Wetlands has no column ATTRIBUTE, which the catalog reads\. Its columns: fid, WETLAND_TYPE, ACRES\./,
  ],
  [
    'a TIFF truncated before its directory',
    raster,
    'cdl_class',
    half(bytes(buildGeotiff(tiff))),
    /Invalid GeoTIFF: the file ends at byte \d+, within its header\./,
  ],
  [
    'a TIFF truncated after its directory',
    raster,
    'cdl_class',
    half(bytes(buildGeotiff({ ...tiff, headFirst: true }))),
    /is truncated/,
  ],
  [
    'a TIFF without georeferencing',
    raster,
    'cdl_class',
    bytes(buildGeotiff({ ...tiff, epsg: null })),
    /coordinate system|place|georef/,
  ],
  ['a raster of 0 bytes', raster, 'cdl_class', bytes(''), /Invalid GeoTIFF: the file has 0 bytes\./],
  [
    'a file that is not a raster',
    raster,
    'cdl_class',
    bytes('not a TIFF, and longer than the header of one'),
    /Invalid GeoTIFF: the file/,
  ],
]

function foreign(path: string) {
  const db = new Database(path, { create: true })
  db.run('CREATE TABLE notes (words TEXT)')
  db.close(true)
}

const readyz = () => service.json<{ status: string; checks: { packs: unknown } }>('/readyz')

describe('a file that cannot be served', () => {
  test.each(bad)(
    '%s, is rejected with a message everywhere, and the server continues',
    async (_name, file, field, make, sentence) => {
      const path = join(service.packs, file)
      make(path)
      const refused = await service.until(file, 'rejected')
      expect(refused!.reason).toMatch(sentence)
      expect(await readyz()).toMatchObject({
        status: 'warn',
        checks: { packs: { status: 'warn', rejected: [{ file, reason: refused!.reason }] } },
      })
      const [answer] = await service.answers([at], [field, 'county'])
      expect(answer![field]).toMatchObject({ status: 'failed', value: null })
      expect(answer![field]!.error).toContain(`offline_no_data`)
      expect(answer![field]!.error).toContain(`he pack ${file} was rejected: ${refused!.reason!.replace(/\.$/, '')}`)
      expect(answer!.county!.status).toBe('ok')
      const { code, out } = await service.pack(['verify'])
      expect([code, out]).toEqual([1, expect.stringMatching(sentence)])
      rmSync(path)
      await service.until(file, undefined)
      expect(await readyz()).toMatchObject({ status: 'pass', checks: { packs: { status: 'pass' } } })
    },
  )

  test('a GeoPackage that another process has locked, is served as soon as the lock is released', async () => {
    const path = join(service.packs, vector)
    good(path)
    const other = new Database(path)
    other.run('PRAGMA locking_mode = EXCLUSIVE')
    other.run('BEGIN EXCLUSIVE')
    const refused = await service.until(vector, 'rejected')
    expect(refused!.reason).toBe('usfws_nwi.gpkg is locked by a program that writes to it. Close that program.')
    expect(await readyz()).toMatchObject({ status: 'warn' })
    expect((await service.pack(['verify'])).code).toBe(1)
    expect((await service.answers([at], ['nwi_wetland_type']))[0]!.nwi_wetland_type!.error).toContain(
      'is locked by a program that writes to it',
    )
    other.run('ROLLBACK')
    other.close(true)
    await service.until(vector, 'live')
    expect((await service.answers([at], ['nwi_wetland_type']))[0]!.nwi_wetland_type).toMatchObject({
      status: 'ok',
      value: 'Lake',
      driver: 'pack',
    })
    expect((await service.pack(['verify'])).code).toBe(0)
  })

  test('that replaces a valid one removes its answers, and a valid one restores them', async () => {
    const path = join(service.packs, vector)
    good(path)
    await service.until(vector, 'live')
    writeFileSync(path, 'half a copy')
    await service.until(vector, 'rejected')
    expect((await service.answers([at], ['nwi_wetland_type']))[0]!.nwi_wetland_type!.status).toBe('failed')
    rmSync(path)
    good(path)
    await service.until(vector, 'live')
    expect((await service.answers([at], ['nwi_wetland_type']))[0]!.nwi_wetland_type!.value).toBe('Lake')
    rmSync(path)
    await service.until(vector, undefined)
    expect((await service.answers([at], ['nwi_wetland_type']))[0]!.nwi_wetland_type!.error).toMatch(
      /run `fieldstone pack fetch usfws_nwi --area ".+, [A-Z]{2}"` on a machine with a network/,
    )
  })
})

test('outside its coverage a pack is skipped, and the message says so', async () => {
  good(join(service.packs, vector))
  await service.until(vector, 'live')
  const [inside, outside] = await service.answers([at, { lat: 42, lng: -97.5 }], ['intersects_wetland'])
  expect(inside!.intersects_wetland).toMatchObject({ status: 'ok', value: true, driver: 'pack' })
  expect(outside!.intersects_wetland!.error).toMatch(
    /^offline_no_data: .*The pack usfws_nwi\.gpkg does not cover this place/,
  )
})

test('a circle that extends beyond a raster is not answered from a part of the circle', async () => {
  writeFileSync(join(service.packs, raster), buildGeotiff(tiff))
  await service.until(raster, 'live')
  const [inside, outside] = await service.answers(
    [at, { lat: 39.5, lng: -97.001 }],
    ['cdl_class', 'cropland_within_1km_pct'],
  )
  expect(inside!.cropland_within_1km_pct).toMatchObject({ status: 'ok', value: 100, driver: 'pack' })
  expect(outside!.cdl_class).toMatchObject({ status: 'ok', driver: 'pack' })
  expect(outside!.cropland_within_1km_pct).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('The search radius of 1000 m extends beyond the area of the pack usda_cdl.tif'),
  })
})

test('outside the coverage of a pack, the embedded data answers, for each point', async () => {
  const zone = [{ geom: blob(polygonWkb(boxRing(-98, 39, -97, 40))), attributes: { tzid: 'America/Denver' } }]
  writePack(join(service.packs, 'tz.gpkg'))
    .layer('tz', zone, { boxes: [[-98, -97, 39, 40]] })
    .close()
  await service.until('tz.gpkg', 'live')
  const [inside, outside] = await service.answers([at, { lat: 42, lng: -97.5 }], ['timezone'])
  expect(inside!.timezone).toMatchObject({ value: 'America/Denver', driver: 'pack' })
  expect(outside!.timezone).toMatchObject({ value: 'America/Chicago', driver: 'embedded' })
  rmSync(join(service.packs, 'tz.gpkg'))
  await service.until('tz.gpkg', undefined)
  expect((await service.answers([at], ['timezone']))[0]!.timezone).toMatchObject({
    value: 'America/Chicago',
    driver: 'embedded',
  })
})
