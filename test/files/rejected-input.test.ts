import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { buildTestPack, featuresIn, workFolder } from '../build-packs/build-test-pack.ts'

const { folder, file, remove } = workFolder()
afterAll(remove)

const point = (properties: object, coordinates: unknown = [-100, 40]): object => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates },
})
const collection = (...features: object[]): string => JSON.stringify({ type: 'FeatureCollection', features })
const zipOf = (name: string, contents: string, method = 8): Buffer => {
  const packed = method === 8 ? deflateRawSync(contents) : Buffer.from(contents)
  const [local, central, end] = [Buffer.alloc(30), Buffer.alloc(46), Buffer.alloc(22)]
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(name.length, 26)
  central.writeUInt32LE(0x02014b50, 0)
  central.writeUInt32LE(crc32(contents), 16)
  central.writeUInt16LE(method, 10)
  central.writeUInt32LE(packed.length, 20)
  central.writeUInt32LE(contents.length, 24)
  central.writeUInt16LE(name.length, 28)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(46 + name.length, 12)
  end.writeUInt32LE(30 + name.length + packed.length, 16)
  return Buffer.concat([local, Buffer.from(name), packed, central, Buffer.from(name), end])
}

/** The header of a FlatGeobuf file: a table whose only member is the coordinate system EPSG:4326. */
const headerOf4326 = Buffer.from(
  '200000001a000800000000000000000000000000000000000000000004000000' +
    '1c000000100000000800080000000400000000000c000000e6100000',
  'hex',
)

describe('an unreadable input is rejected with what it is', () => {
  const cases: [what: string, contents: string | Uint8Array, sentence: RegExp][] = [
    ['empty', '', /is empty \(0 bytes\)/],
    ['xml', '<?xml version="1.0"?><kml/>', /is XML or HTML\. Expected GeoJSON/],
    ['pdf', '%PDF-1.4', /is PDF/],
    ['tiff', 'II*\0        ', /a TIFF \(a raster\)/],
    ['gzip', Uint8Array.from([0x1f, 0x8b, 8, 0]), /gzip cannot be unpacked: it is damaged/],
    ['noise', Uint8Array.from([1, 2, 0, 3, 4]), /starts with the bytes 0102000304/],
    ['cut json', collection(point({}), point({})).slice(0, -30), /is truncated: it ends within an object/],
    ['bad json', '{"type":"Feature","properties":{"a":tru},"geometry":null}', /is not valid JSON/],
    ['esri json', '{"features":[{"attributes":{"a":1},"geometry":{"x":1,"y":2}}]}', /is Esri JSON\. Expected GeoJSON/],
    ['no features', collection(), /has no features/],
    [
      'a cut zip',
      zipOf('a.geojson', collection(point({}))).subarray(0, 60),
      /a_cut_zip is damaged or not a ZIP archive/,
    ],
    ['a zip of nothing', zipOf('a.pdf', 'x'), /contains no file in a supported format/],
    ['a zip of a geodatabase', zipOf('a.gdb/a00000001.gdbtable', 'x'), /The catalog of .* is truncated or corrupt/],
    ['a zip packed otherwise', zipOf('a.geojson', 'x', 9), /uses compression method 9/],
    [
      'csv without coordinates',
      'name,value\na,1\n',
      /None of the 1 features .* has a geometry\. The columns are name, value\. .*--lat and --lng/,
    ],
    [
      'another coordinate system',
      collection(point({}, [500_000, 4_000_000])),
      /1 of the 1 features of .* are not on the earth \(first: feature 1, with x 500000 and y 4000000\)\. .*--crs/,
    ],
    [
      'a cut FlatGeobuf',
      Buffer.concat([Buffer.from('fgb\x03fgb\x00'), Buffer.from([100, 0, 0, 0, 1])]),
      /truncated or corrupt/,
    ],
    [
      'a FlatGeobuf with a feature beyond its end',
      Buffer.concat([Buffer.from('fgb\x03fgb\x00<\0\0\0'), headerOf4326, Buffer.from('04000000ffffffff', 'hex')]),
      /is a corrupt FlatGeobuf: a feature cannot be read/,
    ],
    [
      'a CSV file with a quote that is not closed',
      `lat,lon,note\n${'40,-100,a\n'.repeat(10_000)}40,-100,"${'x'.repeat(9 * 1024 ** 2)}`,
      /Line 10002 of .* is invalid: it has an unclosed quote.* or more than 4194304 characters\./,
    ],
    [
      'a CSV file that begins with a quote that is not closed',
      `"${'x'.repeat(100_000)}`,
      /Line 1 of .* is invalid: it has an unclosed quote/,
    ],
    [
      'GeoJSON with one object of 33 MB',
      `{"features":[{"type":"Feature","properties":{"a":"${'x'.repeat(33 * 1024 ** 2)}"}}]}`,
      /contains an object of more than 33554432 bytes/,
    ],
    ['a bad Parquet', 'PAR1 no parquet', /cannot be read as Parquet/],
  ]
  test.each(cases)('%s', async (what, contents, sentence) => {
    expect(buildTestPack([file(what.replaceAll(' ', '_'), contents)], folder)).rejects.toThrow(sentence)
  })

  test('but a large file of small rows is not', async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => `40.${i},-100,"street ${i}, town"\n`)
    const { path } = await buildTestPack([file('large.csv', `lat,lon,note\n${rows.join('')}`)], folder)
    expect(featuresIn(path)).toHaveLength(rows.length)
  })

  test('a missing file, a folder, a geodatabase without files', () => {
    mkdirSync(join(folder, 'x.gdb'), { recursive: true })
    expect(buildTestPack([join(folder, 'nothing')], folder)).rejects.toThrow('does not exist')
    expect(buildTestPack([folder], folder)).rejects.toThrow('is a folder.')
    expect(buildTestPack([join(folder, 'x.gdb')], folder)).rejects.toThrow('is a folder.')
  })

  test('a coordinate system that is unknown or NAD27, but not one that is declared at the end', () => {
    const crs = (name: string) =>
      `{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"${name}"}},"features":[${JSON.stringify(point({}))}]}`
    expect(buildTestPack([file('unknown.json', crs('urn:ogc:def:crs:EPSG::2056'))], folder)).rejects.toThrow(
      'is in an unknown coordinate system',
    )
    expect(buildTestPack([file('nad27.json', crs('EPSG:4267'))], folder)).rejects.toThrow('NAD27')
    expect(
      buildTestPack(
        [
          file(
            'late.json',
            `{"features":[${JSON.stringify(point({}))}],"crs":{"type":"name","properties":{"name":"EPSG:5070"}}}`,
          ),
        ],
        folder,
      ),
    ).resolves.toBeDefined()
  })
})

test('missing columns are listed with the columns of the input', () => {
  const input = file('names.geojson', collection(point({ Name: 'a', other: 1 })))
  expect(buildTestPack([input], folder, { attributes: ['NAME', 'MTFCC', 'OID'] })).rejects.toThrow(
    /The layer shapes needs MTFCC, OID, .* The columns of the input: Name, other\. .*--rename/,
  )
})

test('--rename maps a column to the catalog name, ignoring case', async () => {
  const { path } = await buildTestPack([file('rename.geojson', collection(point({ LinearId: 'x' })))], folder, {
    attributes: ['OID'],
    renames: [['LINEARID', 'OID']],
  })
  expect(featuresIn(path).map(({ properties }) => properties)).toEqual([{ OID: 'x' }])
})

test('several inputs become one layer with all columns', async () => {
  const inputs = [
    file('one.geojson', collection(point({ a: 1 }))),
    file('two.geojson', collection(point({ a: 2.5, b: true }))),
  ]
  const { path, features } = await buildTestPack(inputs, folder)
  expect(features).toBe(2)
  expect(featuresIn(path).map(({ properties }) => properties)).toEqual([
    { a: 1, b: null },
    { a: 2.5, b: 1 },
  ])
})

test('a CSV column is numeric only if every value is a number, and values with a leading zero stay text', async () => {
  const csv = 'lat,lng,fips,zip,count,share,mixed,none\n40,-100,01001,00501,12,1.5,1,\n41,-101,48201,99950,-3,2,x,\n'
  const { path } = await buildTestPack([file('numbers.csv', csv)], folder)
  expect(
    featuresIn(path)
      .map(({ properties: { fips, zip, count, share, mixed, none } }) => [fips, zip, count, share, mixed, none])
      .toSorted((a, b) => Number(a[1]) - Number(b[1])),
  ).toEqual([
    ['01001', '00501', 12, 1.5, '1', null],
    ['48201', '99950', -3, 2, 'x', null],
  ])
})

describe('the location of a CSV is found as that of a run:', () => {
  const rows = [
    ['names in use', 'GEOID,INTPTLAT,INTPTLONG', '1,+39.7392,-104.9903'],
    ['a vertical bar and a comment', '# made today\nid|decimalLatitude|decimalLongitude', '1|39.7392|-104.9903'],
    ['one column', 'id,Location', '1,"(39.7392, -104.9903)"'],
    ['degrees, minutes and seconds', 'id,lat,lng', `1,"39 44 21.12 N","104 59 25.08 W"`],
    ['well-known text', 'id,the_geom', '1,POINT (-104.9903 39.7392)'],
  ] as const
  test.each(rows)('%s', async (name, header, row) => {
    const csv = file(`${name.replaceAll(/\W/g, '_')}.csv`, `${header}\n${row}\n`)
    const { box } = await buildTestPack([csv], folder)
    expect(box!.map((side) => Number(side.toFixed(4)))).toEqual([-104.9903, 39.7392, -104.9903, 39.7392])
  })

  test('a shape comes before the coordinate of a point, unless its columns are chosen', async () => {
    const csv = file('shape.csv', 'lat,lng,wkt\n40,-100,"POLYGON((-101 41,-100.9 41,-100.9 41.1,-101 41))"\n')
    expect((await buildTestPack([csv], folder)).box).toEqual([-101, 41, -100.9, 41.1])
    const source = { layer: null, lat: 'lat', lng: 'lng' }
    expect((await buildTestPack([csv], folder, { source })).box).toEqual([-100, 40, -100, 40])
  })

  test('northings and eastings of the system that --crs names', async () => {
    const csv = file('utm.csv', 'northing,easting\n4398768,500834\n')
    const { box } = await buildTestPack([csv], folder, { crs: 'EPSG:26913' })
    expect(box!.map((side) => Number(side.toFixed(3)))).toEqual([-104.99, 39.739, -104.99, 39.739])
  })

  test.each([
    [
      'two pairs with other values',
      'lat,lng,y,x\n39.7,-105,40.1,-103\n',
      /Several columns can have the coordinates: "lat" and "lng"; "y" and "x"\. Choose with --lat and --lng\./,
    ],
    ['longitudes without a minus sign', 'lat,lng\n39.7,105\n', /have no minus sign.* Write them with a minus sign\./],
    ['a row that is not valid', 'lat,lng,note\n39.7,-105,"a"b\n', /Line 2 of row.*is invalid/],
  ])('%s: refused', async (name, csv, message) => {
    const path = file(`row_${name.replaceAll(/\W/g, '_')}.csv`, csv)
    expect(buildTestPack([path], folder)).rejects.toThrow(message)
  })

  test('a table without locations may have two pairs', async () => {
    const csv = file('pairs.csv', 'county_fips,lat,lng,y,x\n48201,1,2,3,4\n')
    const { features } = await buildTestPack([csv], folder, { keys: [['county_fips']] })
    expect(features).toBe(1)
  })
})

test('a CSV in Windows-1252 with a title line above the column names is read', async () => {
  const bytes = Buffer.from(
    'Last updated 2026-01-01\r\n"NAME","Latitude","Longitude"\r\n"Doña Ana",32.3,-106.8\r\n',
    'latin1',
  )
  expect(
    featuresIn((await buildTestPack([file('windows.csv', bytes)], folder)).path).map(
      ({ properties }) => properties.NAME,
    ),
  ).toEqual(['Doña Ana'])
})

test('--lat and --lng name the coordinate columns', async () => {
  const csv = file('own.csv', 'breite,laenge\n40,-100\n')
  expect(
    featuresIn((await buildTestPack([csv], folder, { source: { layer: null, lat: 'breite', lng: 'laenge' } })).path)[0]!
      .parts[0]!.paths,
  ).toEqual([[-100, 40]])
  expect(buildTestPack([csv], folder, { source: { layer: null, lat: 'x', lng: 'y' } })).rejects.toThrow(
    'has no columns x and y. Its columns: breite, laenge',
  )
})

test('a table has its rows in order, an index on its key, and no geometry', async () => {
  const { path, box } = await buildTestPack([file('table.csv', 'county_fips|value\n48201|2\n01001|1\n')], folder, {
    keys: [['county_fips']],
    attributes: ['value'],
  })
  expect(box).toBeNull()
  expect(featuresIn(path).map(({ properties }) => properties)).toEqual([
    { county_fips: '48201', value: 2 },
    { county_fips: '01001', value: 1 },
  ])
  expect(
    buildTestPack([file('keyless.csv', 'a,b\n1,2\n')], folder, { keys: [['county_fips'], ['state', 'county']] }),
  ).rejects.toThrow('a key (county_fips or state with county)')
})

test('--where excludes features by the names and types in the pack', async () => {
  const csv = file('where.csv', 'lat,lng,mw\n40,-100,9\n41,-101,10\n42,-102,100\n')
  const { features, excluded } = await buildTestPack([csv], folder, {
    where: 'capacity >= 10',
    renames: [['mw', 'capacity']],
  })
  expect([features, excluded]).toEqual([2, 1])
  expect(buildTestPack([csv], folder, { where: 'no_such > 1' })).rejects.toThrow(
    '--where no_such > 1 cannot be evaluated',
  )
  expect(buildTestPack([csv], folder, { where: 'mw > 1000' })).rejects.toThrow('No feature passes the condition')
})

test('empty and invalid geometries are counted and kept as rows that match nothing', async () => {
  const ring = [
    [0, 0],
    [0, 1],
    [0, 0],
  ]
  const features = [
    point({ n: 1 }),
    { type: 'Feature', properties: { n: 2 }, geometry: null },
    point({ n: 3 }, ['a', 1]),
    { type: 'Feature', properties: { n: 4 }, geometry: { type: 'Polygon', coordinates: [ring] } },
    point({ n: 5 }, []),
  ]
  const made = await buildTestPack([file('broken.geojson', collection(...features))], folder)
  expect([made.features, made.empty, made.invalid]).toEqual([5, 2, 2])
})

test('a few features that are not on the earth are counted and kept; a majority means another coordinate system', async () => {
  const csv = (...lats: number[]) => `lat,lng,n\n${lats.map((lat, i) => `${lat},-97,${i + 1}`).join('\n')}\n`
  const made = await buildTestPack([file('few.csv', csv(40, 425, 41))], folder)
  expect(made.features).toBe(3)
  expect(made.invalid).toBe(0)
  expect(made.outOfRange).toEqual({ count: 1, first: 'feature 2, with x -97 and y 425' })
  expect(made.box).toEqual([-97, 40, -97, 41])
  expect(buildTestPack([file('most.csv', csv(40, 425, 426))], folder)).rejects.toThrow(
    '2 of the 3 features of most.csv are not on the earth (first: feature 2, with x -97 and y 425). Check the coordinate system (--crs).',
  )
})

test('a table without geometries is rejected if the layer needs them', async () => {
  const { path } = await buildTestPack([file('bare.csv', 'county_fips,value\n48201,2\n')], folder, {
    keys: [['county_fips']],
    attributes: ['value'],
  })
  expect(buildTestPack([path], folder)).rejects.toThrow(
    'made.gpkg (GeoPackage (shapes)) is a table without geometries, but shapes needs them. Expected a layer with a geometry column. Its columns: fid, county_fips, value.',
  )
})

test('other layers of an existing pack stay, and the same layer is replaced', async () => {
  const input = file('layer.geojson', collection(point({ n: 1 })))
  const expected = (layer: string) => ({
    layer,
    requirements: { dataset: layer, attributes: [], layers: [layer], needsPolygons: false, tables: [] },
  })
  const one = await buildTestPack([input], folder, expected('one'))
  const two = await buildTestPack([input, input], folder, { ...expected('two'), existingPack: one.path })
  const again = await buildTestPack([input, input, input], folder, { ...expected('one'), existingPack: two.path })
  expect([featuresIn(again.path, 'one').length, featuresIn(again.path, 'two').length]).toEqual([3, 2])
})

test('a file in an archive stays in the work folder, whatever its name in the archive', async () => {
  const path = file('one.zip', zipOf('folder/../../a.geojson', collection(point({ n: 1 }))))
  expect((await buildTestPack([path], folder)).features).toBe(1)
  expect(readdirSync(folder).filter((name) => name === 'a.geojson')).toEqual([])
})
