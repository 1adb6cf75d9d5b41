import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import type { Properties } from '../../src/model/source.ts'
import { FileError } from '../../src/files/file-error.ts'
import { openInput } from '../../src/files/open-input.ts'
import { partsOfBlob } from '../../src/files/wkb-parts.ts'
import { randomOf } from '../../scripts/bench/random.ts'
import { hasGdal, runOracle } from '../cli/oracle.ts'
import { buildTestPack, featuresIn, workFolder } from '../build-packs/build-test-pack.ts'

if (!hasGdal) console.warn('GDAL is not installed (gdal-bin): skipping the tests of file geodatabases.')
const soon_ms = 60_000
const { folder, file, remove } = workFolder()
const geodatabase = join(folder, 'made.gdb')
afterAll(remove)

type Position = number[]
type GeoJson = { type: string; properties: Record<string, unknown>; geometry: unknown }

/** A ring of some corners; clockwise if the radius is negative. */
function ring(x: number, y: number, radius: number, corners: number): Position[] {
  const points = Array.from({ length: corners }, (_, i) => {
    const angle = (2 * Math.PI * i) / corners
    return [x + Math.abs(radius) * Math.cos(angle), y + radius * Math.sin(angle)]
  })
  return [...points, points[0]!]
}

const polygonCount = 2_600
const polygons = Array.from({ length: polygonCount }, (_, i): GeoJson => {
  const [x, y] = [-120 + (i % 61) / 2, 30 + (i % 37) / 3]
  const withHole = [ring(x, y, 0.01, 9), ring(x, y, -0.004, 5)]
  const geometry =
    i % 97 === 3
      ? null
      : i % 5 === 2
        ? { type: 'MultiPolygon', coordinates: [withHole, [ring(x + 0.05, y, 0.01, 6)]] }
        : { type: 'Polygon', coordinates: i % 5 === 1 ? withHole : [ring(x, y, 0.01, 7)] }
  const properties = {
    number: i,
    name: i % 7 === 0 ? null : `Añ ${i} ☃`,
    share: i / 7,
    day: `2019-0${(i % 9) + 1}-1${i % 10}`,
    at: `1996-01-02T03:04:${String(i % 60).padStart(2, '0')}Z`,
    isOdd: i % 2 === 1,
    text: 'x'.repeat(i % 300),
  }
  return { type: 'Feature', properties, geometry }
})
const shapeOf = (i: number, type: string, coordinates: unknown): GeoJson => ({
  type: 'Feature',
  properties: { n: i },
  geometry: { type, coordinates },
})
const layers: { name: string; type: string; crs: string; features: GeoJson[] }[] = [
  { name: 'Polygons', type: 'MULTIPOLYGON', crs: 'EPSG:4269', features: polygons },
  {
    name: 'Lines',
    type: 'MULTILINESTRINGZ',
    crs: 'EPSG:5070',
    features: Array.from({ length: 9 }, (_, i) => {
      const lines = [
        [
          [-100, 40, 5],
          [-100.5 + i / 100, 41, 6],
        ],
        [
          [-90, 30, 1],
          [-91, 31, 2],
          [-92, 31, 2],
        ],
      ]
      return shapeOf(i, 'MultiLineString', i % 2 ? lines : lines.slice(1))
    }),
  },
  {
    name: 'Multipoints',
    type: 'MULTIPOINT',
    crs: 'EPSG:4326',
    features: Array.from({ length: 5 }, (_, i) =>
      shapeOf(i, 'MultiPoint', [
        [-100 - i, 40],
        [-50, 20 + i],
      ]),
    ),
  },
  { name: 'Rates', type: 'NONE', crs: 'EPSG:4326', features: [1, 2].map((i) => shapeOf(i, 'Point', [0, 0])) },
  {
    name: 'Points',
    type: 'POINTZ',
    crs: 'EPSG:4326',
    features: Array.from({ length: 5 }, (_, i) => shapeOf(i, 'Point', [-100 - i, 40, i])),
  },
]

/** Writes a geodatabase with GDAL. Rows are deleted, one block of rows completely. */
async function writeGeodatabase(): Promise<void> {
  for (const { name, type, crs, features } of layers) {
    const input = file(`${name}.json`, JSON.stringify({ type: 'FeatureCollection', features }))
    await runOracle([
      'ogr2ogr',
      '-update',
      '-append',
      '-f',
      'OpenFileGDB',
      geodatabase,
      input,
      '-nln',
      name,
      '-nlt',
      type,
      '-t_srs',
      crs,
    ])
  }
  await runOracle([
    'ogrinfo',
    geodatabase,
    '-dialect',
    'SQLite',
    '-sql',
    'DELETE FROM Polygons WHERE number < 1100 OR number = 2000',
  ])
}

const optionsFor = (layer: string) => ({ layer, expectedLayer: 'shapes', lat: null, lng: null })

async function readLayer(path: string, layer: string) {
  const input = await openInput(path, optionsFor(layer), folder)
  const features = []
  for await (const batch of input.batches()) features.push(...batch.features)
  input.close()
  return { input, features }
}

/** The same layer in a GeoPackage that GDAL makes of the geodatabase. */
async function convertByGdal(layer: string) {
  const path = join(folder, `${layer}.gpkg`)
  await runOracle(['ogr2ogr', '-f', 'GPKG', path, geodatabase, layer, '-lco', 'FID=fid', '-lco', 'GEOMETRY_NAME=geom'])
  using db = new Database(path, { readonly: true })
  return db
    .query<Record<string, unknown>, []>(`SELECT * FROM "${layer}" ORDER BY fid`)
    .all()
    .map(({ geom = null, ...row }) => {
      const { fid, ...properties } = row
      expect(fid).toBeNumber()
      return { parts: partsOfBlob(geom as Uint8Array | null), properties }
    })
}

/** Numbers with nine digits, and times as we write them. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, it: unknown) =>
    typeof it === 'number' ? Number(it.toPrecision(9)) : typeof it === 'string' ? it.replace('.000Z', 'Z') : it,
  )

describe.skipIf(!hasGdal)('A file geodatabase', () => {
  beforeAll(writeGeodatabase, soon_ms)

  test(
    'gives a 32-bit number the digits that were written, also a whole number with eight of them',
    async () => {
      const written = [0.1, -2.5e-7, 12_345_678, 16_777_215, 3.4028235e38, 1.1754944e-38, 0]
      const rows = written.map((rate, i) => `${rate},${i}\n`)
      const table = file('floats.csv', `rate,n\n${rows.join('')}`)
      file('floats.csvt', '"Real(Float32)","Integer"')
      const path = join(folder, 'floats.gdb')
      await runOracle(['ogr2ogr', '-f', 'OpenFileGDB', path, table])
      const { features } = await readLayer(path, 'floats')
      expect(features.map(({ properties }) => properties.rate)).toEqual(written)
    },
    soon_ms,
  )

  test.each(layers.map(({ name }) => name))(
    'is read as GDAL reads it: %s',
    async (layer) => {
      const { features, input } = await readLayer(geodatabase, layer)
      const expected = await convertByGdal(layer)
      expect(input.format).toBe(`File geodatabase (${layer})`)
      expect(features.length).toBe(expected.length)
      if (layer === 'Polygons') expect(features.length).toBe(polygonCount - 1_101)
      for (const [i, { parts, properties }] of features.entries()) {
        expect([i, rounded(properties)]).toEqual([i, rounded(expected[i]!.properties)])
        expect([i, rounded(parts)]).toEqual([i, rounded(expected[i]!.parts)])
      }
    },
    soon_ms,
  )

  test('is built as it is from an archive with other files, by the name of its layer', async () => {
    const input = file('state.zip', zipOf(geodatabase, { 'readme.txt': Buffer.from('Read me.') }))
    const requirements = { dataset: 'd', attributes: ['name'], layers: ['Polygons'], needsPolygons: true, tables: [] }
    const built = await buildTestPack([input], folder, { layer: 'Polygons', requirements })
    const { features: rows } = await readLayer(geodatabase, 'Polygons')
    expect(built.features).toBe(rows.length)
    const stored = featuresIn(built.path, 'Polygons')
    const numbersOf = (list: { properties: Properties }[]) => list.map(({ properties }) => Number(properties.number))
    expect(numbersOf(stored).toSorted((a, b) => a - b)).toEqual(numbersOf(rows))
  })

  test('with several layers, or several geodatabases in an archive, is not chosen by chance', async () => {
    expect(buildTestPack([geodatabase], folder)).rejects.toThrow(
      'has several layers (Polygons, Lines, Multipoints, Rates, Points).',
    )
    const one = zipEntriesOf(geodatabase, 'one.gdb')
    const two = file('two.zip', zipSync({ ...one, ...zipEntriesOf(geodatabase, 'two.gdb') }))
    expect(buildTestPack([two], folder)).rejects.toThrow('has several geodatabases (one.gdb, two.gdb).')
  })
})

/** The files of a geodatabase as they are in an archive. */
function zipEntriesOf(path: string, name: string): Record<string, Uint8Array> {
  return Object.fromEntries(readdirSync(path).map((it) => [`${name}/${it}`, readFileSync(join(path, it))]))
}

function zipOf(path: string, others: Record<string, Uint8Array>): Uint8Array {
  return zipSync({ ...others, ...zipEntriesOf(path, 'CO_made_up.gdb') })
}

describe.skipIf(!hasGdal)('A geodatabase that is not intact is refused with what is wrong', () => {
  /** The table of the layer with the polygons. */
  const table = join(geodatabase, 'a00000009.gdbtable')
  const tables = { table, offsets: `${table.slice(0, -'table'.length)}tablx` }

  /** A copy of the geodatabase, changed. */
  function spoil(name: string, change: (path: (it: string) => string) => void): string {
    const copy = join(folder, name)
    cpSync(geodatabase, copy, { recursive: true })
    change((it) => join(copy, it.slice(geodatabase.length + 1)))
    return copy
  }
  const patch = (path: string, change: (bytes: Buffer) => void) => {
    const bytes = readFileSync(path)
    change(bytes)
    writeFileSync(path, bytes)
  }
  const halve = (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2))

  const cases: [what: string, change: (path: (it: string) => string) => void, message: RegExp][] = [
    ['a table that is cut', (path) => halve(path(tables.table)), /truncated or corrupt|different number/],
    ['offsets that are cut', (path) => halve(path(tables.offsets)), /\.gdbtablx is truncated or wrong/],
    ['no offsets', (path) => rmSync(path(tables.offsets)), /has no file \.gdbtablx/],
    ['no table', (path) => rmSync(path(tables.table)), /has no file for the table Polygons .* It may be compressed/],
    [
      'offsets beyond the end',
      (path) => patch(path(tables.offsets), (bytes) => bytes.fill(0x7f, 16, 16 + 5 * 1_024)),
      /truncated or corrupt: it declares \d+ bytes at byte/,
    ],
    [
      'offsets that lead to one row again and again',
      (path) =>
        patch(path(tables.offsets), (bytes) => {
          const size = bytes.readUInt32LE(12)
          const content = readFileSync(path(tables.table))
          const lengthAt = (at: number) => (at === 0 ? 0 : content.readUInt32LE(at))
          const rows = Array.from({ length: 2_600 }, (_, i) => bytes.readUIntLE(16 + i * size, size))
          const longest = rows.toSorted((a, b) => lengthAt(b) - lengthAt(a))[0]!
          for (let i = 0; i < rows.length; i++) bytes.writeUIntLE(longest, 16 + i * size, size)
        }),
      /declares \d+ rows but has a different number/,
    ],
    [
      'an unknown version',
      (path) => patch(path(tables.table), (bytes) => bytes.writeUInt32LE(4, 0)),
      /table version 4\. Expected 3/,
    ],
    [
      'a description of columns beyond the end',
      (path) => patch(path(tables.table), (bytes) => bytes.writeBigUInt64LE(2n ** 40n, 32)),
      /truncated or corrupt/,
    ],
    [
      'a catalog that is no table',
      (path) => writeFileSync(path(join(geodatabase, 'a00000001.gdbtable')), 'nothing'),
      /The catalog of .* is truncated or corrupt/,
    ],
  ]
  test.each(cases)('%s', async (what, change, message) => {
    const copy = spoil(`${what.replaceAll(' ', '_')}.gdb`, change)
    expect(readLayer(copy, 'Polygons')).rejects.toThrow(message)
    expect(readLayer(copy, 'Polygons')).rejects.toThrow(FileError)
  })

  test('random bytes in any file, in little time and without another error', async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e6)
    const random = randomOf(seed)
    for (let round = 0; round < 60; round++) {
      const copy = spoil('random.gdb', (path) => {
        const spoiled = [tables.table, tables.offsets, join(geodatabase, 'a00000001.gdbtable')][round % 3]!
        patch(path(spoiled), (bytes) => {
          for (let i = 0; i < 1 + 20 * random(); i++)
            bytes[Math.floor(random() ** 3 * bytes.length)] = Math.floor(256 * random())
        })
      })
      const outcome = await readLayer(copy, 'Polygons').then(
        () => null,
        (error: unknown) => error,
      )
      expect([seed, round, outcome === null || outcome instanceof FileError || outcome]).toEqual([seed, round, true])
      rmSync(copy, { recursive: true })
    }
  })
})
