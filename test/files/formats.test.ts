import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sampleOf } from '../support/sample-data.ts'
import { parquetPageMax_bytes } from '../../src/files/parquet/parquet-decompressors.ts'
import { buildTestPack, featuresIn, workFolder } from '../build-packs/build-test-pack.ts'

const { folder, file, remove } = workFolder()
afterAll(remove)

const hasGdal = Bun.which('ogr2ogr') !== null
if (!hasGdal) console.warn('ogr2ogr (Debian: gdal-bin) is not installed: skipping the comparison of formats.')

const ring = (x: number, y: number, size: number): number[][] => [
  [x, y],
  [x, y + size],
  [x + size, y + size],
  [x + size, y],
  [x, y],
]
const shapes = [
  { type: 'Polygon', coordinates: [ring(-100, 40, 2), ring(-99.5, 40.5, 0.5).toReversed()] },
  {
    type: 'MultiPolygon',
    coordinates: [[ring(-90, 35, 1), ring(-89.8, 35.2, 0.1).toReversed()], [ring(-88, 35, 1.123456789)]],
  },
  { type: 'Polygon', coordinates: [ring(-77.0365, 38.8977, 0.001)] },
]
const rows = [
  { id: 1, fips: '01001', name: 'Ærø, "Öst"', acres: 1.5 },
  { id: 2, fips: '00012', name: null, acres: -12.25 },
  { id: 3, fips: '48201', name: 'c', acres: 3 },
]
const source = file(
  'source.geojson',
  JSON.stringify({
    type: 'FeatureCollection',
    features: shapes.map((geometry, i) => ({ type: 'Feature', properties: rows[i], geometry })),
  }),
)

/** A polygon's vertices without the closing one, sorted, because programs rotate and reverse rings. */
const verticesOf = (parts: { paths: number[][] }[]): [number, number][] =>
  parts
    .flatMap(({ paths }) =>
      paths.flatMap((path) =>
        Array.from({ length: path.length / 2 - 1 }, (_, i): [number, number] => [path[2 * i]!, path[2 * i + 1]!]),
      ),
    )
    .toSorted((a, b) => Math.round((a[0] - b[0]) * 1e6) || a[1] - b[1])

const expected = new Map(
  shapes.map(({ coordinates, type }, i) => {
    const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as number[][][][]
    return [
      i + 1,
      {
        holes: polygons.map((rings) => rings.length).toSorted((a, b) => a - b),
        vertices: verticesOf(polygons.map((rings) => ({ paths: rings.map((it) => it.flat()) }))),
      },
    ]
  }),
)

async function ogr(...words: string[]): Promise<void> {
  const { exitCode, stderr } = await Bun.$`ogr2ogr ${words}`.nothrow().quiet()
  if (exitCode !== 0) throw new Error(stderr.toString())
}

async function expectSameFeatures(path: string): Promise<void> {
  const { path: pack, features, invalid, empty } = await buildTestPack([path], folder)
  expect([features, invalid, empty]).toEqual([3, 0, 0])
  const found = featuresIn(pack).toSorted((a, b) => Number(a.properties.id) - Number(b.properties.id))
  expect(found.map(({ properties: { id, fips, name, acres } }) => ({ id, fips, name, acres }))).toEqual(rows)
  for (const { parts, properties } of found) {
    const { holes, vertices } = expected.get(Number(properties.id))!
    expect(parts.map(({ paths }) => paths.length).toSorted((a, b) => a - b)).toEqual(holes)
    const got = verticesOf(parts)
    expect(got.length).toBe(vertices.length)
    for (const [i, [x, y]] of vertices.entries())
      expect(Math.max(Math.abs(got[i]![0] - x), Math.abs(got[i]![1] - y))).toBeLessThan(1e-7)
  }
}

test('GeoJSON features are read unchanged', () => expectSameFeatures(source))

describe.skipIf(!hasGdal)('a file written by ogr2ogr gives the same features', () => {
  const cases: [name: string, file: string, ...words: string[]][] = [
    ['GeoJSONSeq', 'seq.ndjson', '-f', 'GeoJSONSeq'],
    ['GeoJSONSeq with record separators', 'rs.geojsons', '-f', 'GeoJSONSeq', '-lco', 'RS=YES'],
    ['FlatGeobuf with an index', 'index.fgb', '-f', 'FlatGeobuf'],
    ['FlatGeobuf without an index', 'plain.fgb', '-f', 'FlatGeobuf', '-lco', 'SPATIAL_INDEX=NO'],
    ['a shapefile', 'shape.shp', '-f', 'ESRI Shapefile'],
    ['a shapefile in EPSG:5070', 'albers.shp', '-f', 'ESRI Shapefile', '-t_srs', 'EPSG:5070'],
    ['a shapefile with Z values', 'high.shp', '-f', 'ESRI Shapefile', '-dim', 'XYZ'],
    ['a zipped shapefile', 'zipped.shz', '-f', 'ESRI Shapefile'],
    ['a GeoPackage', 'package.gpkg', '-f', 'GPKG'],
    ['a GeoPackage in UTM', 'utm.gpkg', '-f', 'GPKG', '-t_srs', 'EPSG:26914'],
    ['FlatGeobuf in Web Mercator', 'mercator.fgb', '-f', 'FlatGeobuf', '-t_srs', 'EPSG:3857'],
    ['CSV with WKT', 'wkt.csv', '-f', 'CSV', '-lco', 'GEOMETRY=AS_WKT'],
    ['CSV with semicolons', 'semicolon.csv', '-f', 'CSV', '-lco', 'GEOMETRY=AS_WKT', '-lco', 'SEPARATOR=SEMICOLON'],
    ['GeoJSON in EPSG:5070', 'albers.geojson', '-f', 'GeoJSON', '-t_srs', 'EPSG:5070', '-lco', 'RFC7946=NO'],
  ]
  test.each(cases)('%s', async (_, name, ...words) => {
    const path = join(folder, name)
    await ogr(...words, '-nlt', 'PROMOTE_TO_MULTI', path, source)
    await expectSameFeatures(path)
  })

  test('points and lines', async () => {
    const input = file(
      'mixed.geojson',
      JSON.stringify({
        type: 'FeatureCollection',
        features: [
          {
            type: 'Feature',
            properties: { id: 1 },
            geometry: {
              type: 'MultiPoint',
              coordinates: [
                [-100, 40],
                [-101, 41],
              ],
            },
          },
          { type: 'Feature', properties: { id: 2 }, geometry: { type: 'MultiPoint', coordinates: [[-99, 39]] } },
        ],
      }),
    )
    for (const [name, format] of [
      ['points.fgb', 'FlatGeobuf'],
      ['points.shp', 'ESRI Shapefile'],
      ['points.gpkg', 'GPKG'],
    ] as const) {
      await ogr('-f', format, join(folder, name), input)
      const { path } = await buildTestPack([join(folder, name)], folder)
      expect(
        featuresIn(path)
          .map(({ parts }) => parts.map(({ kind, paths }) => [kind, ...paths[0]!]))
          .toSorted((a, b) => a.length - b.length),
      ).toEqual([
        [['point', -99, 39]],
        [
          ['point', -100, 40],
          ['point', -101, 41],
        ],
      ])
    }
  })

  test('and ogrinfo reports no problem with the pack', async () => {
    const { path } = await buildTestPack([source], folder)
    const said = await Bun.$`ogrinfo -ro -al -so ${path}`.quiet().text()
    for (const line of [
      'Layer name: shapes',
      'Geometry: Multi Polygon',
      'Feature Count: 3',
      'ID["EPSG",4326]',
      'fips: String',
      'acres: Real',
      'id: Integer64',
    ])
      expect(said).toContain(line)
    const found = await Bun.$`ogrinfo -ro -q -al -spat -77.0363 38.8978 -77.0362 38.8979 ${path}`.quiet().text()
    expect(found.match(/OGRFeature/g)).toHaveLength(1)
  })
})

const nwi = sampleOf('nwi_dc.zip')
if (!existsSync(nwi)) console.warn(`${nwi} is missing: skipping the wetlands of DC.`)
test.skipIf(!existsSync(nwi))(
  'the wetlands of DC are read from the publisher’s archive, and the layer is found by name',
  async () => {
    const { features, invalid, box } = await buildTestPack([nwi], folder, {
      layer: 'Wetlands',
      requirements: {
        dataset: 'usfws_nwi',
        attributes: ['WETLAND_TYPE', 'ACRES'],
        layers: ['Wetlands'],
        needsPolygons: true,
        tables: [],
      },
    })
    expect([features, invalid]).toEqual([1556, 0])
    expect(box!.map((it) => Math.round(it * 10) / 10)).toEqual([-77.1, 38.8, -76.9, 39])
  },
)

// Two rows, with and without a polygon, written by pyarrow 25: zstd, WKB geometry, geometry column named in the
// metadata.
const parquet =
  'UEFSMRUEFSAVMkwVBBUAEgAAKLUv/SAQgQAAAQAAAAAAAAACAAAAAAAAABUAFRIVJCwVBBUQFQYVBhwAAAAotS/9IAlJAAACAAAABAEBAwIVBBUkFTZMFQQVABIAACi1L/0gEpEAAAUAAAAwMTAwMQUAAAA0ODIwMRUAFRIVJCwVBBUQFQYVBhwAAAAotS/9IAlJAAACAAAABAEBAwIVBBUQFSJMFQIVABIAACi1L/0gCEEAAAAAAAAAAPg/FQAVEhUkLBUEFRAVBhUGHAAAACi1L/0gCUkAAAIAAAADAQECABUEFcIBFX5MFQIVABIAACi1L/0gYbUBAEQCXQAAAAEDAAAAAQAAAAUAWcAAREAARYBYRABZwAAAAAAAAERABwBgEKAiwDyTLLgB2vCCOhUAFRIVJCwVBBUQFQYVBhwAAAAotS/9IAlJAAACAAAAAwEBAgAVBBlcNQAYBnNjaGVtYRUIABUEJQIYAmlkABUMJQIYBGZpcHMlAEwcAAAAFQolAhgFYWNyZXMAFQwlAhgIZ2VvbWV0cnkAFgQZHBlMJgAcFQQZNQAGEBkYAmlkFQwWBBZ0FpgBJlYmCCksFQQVABUCABUAFRAVAgA8KQYZJgAEAAAAJgAcFQwZNQAGEBkYBGZpcHMVDBYEFngWnAEm8gEmoAEpLBUEFQAVAgAVABUQFQIAPBYUGQYZJgAEAAAAJgAcFQoZNQAGEBkYBWFjcmVzFQwWBBZkFogBJvoCJrwCKSwVBBUAFQIAFQAVEBUCADwpBhkmAgIAAAAmABwVDBk1AAYQGRgIZ2VvbWV0cnkVDBYEFpgCFuYBJuAEJsQDKSwVBBUAFQIAFQAVEBUCADwWugEZBhkmAgIAAAAW6AQWBCYIFqIFABksGANnZW8Yf3sidmVyc2lvbiI6ICIxLjAuMCIsICJwcmltYXJ5X2NvbHVtbiI6ICJnZW9tZXRyeSIsICJjb2x1bW5zIjogeyJnZW9tZXRyeSI6IHsiZW5jb2RpbmciOiAiV0tCIiwgImdlb21ldHJ5X3R5cGVzIjogWyJQb2x5Z29uIl19fX0AGAxBUlJPVzpzY2hlbWEY4AQvLy8vLzhBQkFBQVFBQUFBQUFBS0FBNEFCZ0FGQUFnQUNnQUFBQUFCQkFBUUFBQUFBQUFLQUF3QUFBQUVBQWdBQ2dBQUFMQUFBQUFFQUFBQUFRQUFBQXdBQUFBSUFBd0FCQUFJQUFnQUFBQ01BQUFBQkFBQUFIOEFBQUI3SW5abGNuTnBiMjRpT2lBaU1TNHdMakFpTENBaWNISnBiV0Z5ZVY5amIyeDFiVzRpT2lBaVoyVnZiV1YwY25raUxDQWlZMjlzZFcxdWN5STZJSHNpWjJWdmJXVjBjbmtpT2lCN0ltVnVZMjlrYVc1bklqb2dJbGRMUWlJc0lDSm5aVzl0WlhSeWVWOTBlWEJsY3lJNklGc2lVRzlzZVdkdmJpSmRmWDE5QUFNQUFBQm5aVzhBQkFBQUFLZ0FBQUJvQUFBQU5BQUFBQVFBQUFCNC8vLy9BQUFCQkJBQUFBQWNBQUFBQkFBQUFBQUFBQUFJQUFBQVoyVnZiV1YwY25rQUFBQUFxUC8vLzZULy8vOEFBQUVERUFBQUFCd0FBQUFFQUFBQUFBQUFBQVVBQUFCaFkzSmxjd0FHQUFnQUJnQUdBQUFBQUFBQ0FOVC8vLzhBQUFFRkVBQUFBQndBQUFBRUFBQUFBQUFBQUFRQUFBQm1hWEJ6QUFBQUFBUUFCQUFFQUFBQUVBQVVBQWdBQmdBSEFBd0FBQUFRQUJBQUFBQUFBQUVDRUFBQUFCd0FBQUFFQUFBQUFBQUFBQUlBQUFCcFpBQUFDQUFNQUFnQUJ3QUlBQUFBQUFBQUFVQUFBQUFBQUFBQQAYIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGUwcAAAcAAAcAAAcAAAAcgQAAFBBUjE='
test('GeoParquet features are read', async () => {
  const { path, empty } = await buildTestPack([file('two.parquet', Buffer.from(parquet, 'base64'))], folder)
  expect(empty).toBe(1)
  const found = featuresIn(path).toSorted((a, b) => Number(a.properties.id) - Number(b.properties.id))
  expect(found.map(({ properties }) => properties)).toEqual([
    { id: 1, fips: '01001', acres: 1.5 },
    { id: 2, fips: '48201', acres: null },
  ])
  expect(found.map(({ parts }) => parts)).toEqual([[{ kind: 'polygon', paths: [ring(-100, 40, 2).flat()] }], []])
})

test('a Parquet file that declares more rows than its groups have is rejected', () => {
  const bytes = Buffer.from(parquet, 'base64')
  // The number of rows, a zigzag varint after 0x16, is followed by the list of row groups.
  const at = bytes.indexOf(Buffer.from('1604191c194c', 'hex')) + 1
  const many = Buffer.concat([bytes.subarray(0, at), Buffer.from('80808080808010', 'hex'), bytes.subarray(at + 1)])
  many.writeUInt32LE(bytes.readUInt32LE(bytes.length - 8) + 6, many.length - 8)
  expect(buildTestPack([file('many.parquet', many)], folder)).rejects.toThrow(
    'many.parquet is a corrupt Parquet file: it declares 35184372088832 rows, but its groups have 2.',
  )
})

test.each([
  // The number of values in the header of the first data page, and the run length of its levels, as in pyarrow's file.
  ['page', 51, 'a page declares 63 values, but can have 2.'],
  ['run', 75, 'a run declares 63 values, but its page can have 2.'],
])('a Parquet %s that declares more values than its column has is rejected', (what, at, problem) => {
  const bytes = Buffer.from(parquet, 'base64')
  expect(bytes[at]).toBe(4)
  bytes[at] = 126
  expect(buildTestPack([file(`${what}.parquet`, bytes)], folder)).rejects.toThrow(
    `${what}.parquet cannot be read as Parquet: ${problem}`,
  )
})

test('a Parquet file with any damaged byte is read, or is rejected in words for its user', async () => {
  const bytes = Buffer.from(parquet, 'base64')
  const rejections = new Set<string>()
  for (let at = 0; at < bytes.length; at += 7) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 0xff
    const path = file('damaged.parquet', damaged)
    await buildTestPack([path], folder).catch((error: Error) => rejections.add(error.message))
  }
  expect(
    [...rejections].filter((it) => /undefined|\[object|not a function|is not an|null|NaN|Invalid/.test(it)),
  ).toEqual([])
  expect(rejections.size).toBeGreaterThan(5)
})

test('a Parquet page that declares 2 GB is rejected', () => {
  const bytes = Buffer.from(parquet, 'base64')
  // The header of the first page starts at byte 4. Byte 7 is its uncompressed size, a zigzag varint.
  const huge = Buffer.concat([bytes.subarray(0, 7), Buffer.from('feffffff0f', 'hex'), bytes.subarray(8)])
  expect(buildTestPack([file('huge.parquet', huge)], folder)).rejects.toThrow(
    `huge.parquet cannot be read as Parquet: a page declares 2147483647 bytes, and the maximum is ${parquetPageMax_bytes}.`,
  )
})
