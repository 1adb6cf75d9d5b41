import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, strToU8, zipSync } from 'fflate'
import { openBulkInput } from '../../src/bulk/bulk-input.ts'
import { openRunInput, parseRunJob } from '../../src/cli/run/run-input.ts'
import { describeUploadReading } from '../../src/runs/upload/upload-reading.ts'
import { nad83, shapefileOf } from '../upstreams/bulk/shapefile.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

/** Opens a file as `fieldstone run` does: its kind of run, its table without `sep=,`, and what the summary says. */
async function open(content: string | Uint8Array, flags: Record<string, string | boolean> = {}) {
  const path = join(folder, 'places.dat')
  writeFileSync(path, content)
  return openFile(path, flags)
}

async function openFile(path: string, flags: Record<string, string | boolean> = {}) {
  const input = await openRunInput(path, flags)
  try {
    const job = parseRunJob(input, flags)
    const { reading, rows } = await openBulkInput(job.input, job)
    const table = readFileSync(input.path, 'utf8')
      .replace(/^sep=,\n/, '')
      .trimEnd()
      .split('\n')
    return { kind: job.kind, ignored: input.ignored, table, rows, reading, says: describeUploadReading(reading) }
  } finally {
    input.remove()
  }
}

const pointOf = (properties: object, more: object = {}) => ({
  type: 'Feature',
  ...more,
  properties,
  geometry: { type: 'Point', coordinates: [-104.9903, 39.7392] },
})
const collection = (...features: object[]) => JSON.stringify({ type: 'FeatureCollection', features })
const square = [
  [-105, 39],
  [-104, 39],
  [-104, 40],
  [-105, 39],
]
const area = { type: 'Feature', properties: { name: 'A' }, geometry: { type: 'Polygon', coordinates: [square] } }
const placemark = (name: string, rest: string) => `<Placemark id="p-${name}"><name>${name}</name>${rest}</Placemark>`
const kmlPoint = '<Point><coordinates>-104.9903,39.7392,0</coordinates></Point>'
const kml = (body: string, encoding = 'UTF-8') =>
  `<?xml version="1.0" encoding="${encoding}"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>${body}</Document></kml>`

describe('a file of places is read by its content, whatever its ending', () => {
  test('JSON: an array, and objects one after the other, with members of members', async () => {
    const objects = [
      '{"name":"A","at":{"lat":39.7392,"lng":-104.9903},"tags":["a"]}',
      '{"name":"B","at":{"lat":41.9,"lng":-87.6}}',
    ]
    for (const text of [`[${objects.join()}]`, objects.join('\n'), `\uFEFF[\n  ${objects.join(',\n  ')}\n]`]) {
      const { kind, table } = await open(text)
      expect(kind).toBe('fetch_batch')
      expect(table).toEqual(['name,at.lat,at.lng,tags', 'A,39.7392,-104.9903,"[""a""]"', 'B,41.9,-87.6,""'])
    }
  })

  test('the list of a JSON object', async () => {
    const text = '{"meta":{"lat":1},"results":[{"lat":39.7392,"lng":-104.9903}]}'
    expect((await open(text, { layer: 'results' })).table).toEqual(['lat,lng', '39.7392,-104.9903'])
  })

  test('numbers of JSON keep their text', async () => {
    const { table } = await open(
      '{"lat":39.7392,"lng":-104.9903,"id":12345678901234567890,"z":1.0,"list":[1.50,12345678901234567]}\n',
    )
    expect(table[1]).toBe('39.7392,-104.9903,12345678901234567890,1.0,"[1.50,12345678901234567]"')
  })

  test('points of GeoJSON, with their ids', async () => {
    const { kind, table, says } = await open(
      collection(pointOf({ lat: 'north', n: 1.0 }, { id: '08031' }), pointOf({ id: 7 }, { id: 8 })),
    )
    expect([kind, table]).toEqual([
      'fetch_batch',
      ['id,lat,n,feature_id,geometry_lat,lng', '08031,north,1,"",39.7392,-104.9903', '7,"","",8,39.7392,-104.9903'],
    ])
    expect(says).toBe('Read as GeoJSON: latitude "geometry_lat", longitude "lng", geometry; EPSG:4326')
  })

  test('points and polygons: the polygons, unless the points are chosen', async () => {
    const text = collection(area, pointOf({ name: 'P' }))
    expect(await open(text)).toMatchObject({ kind: 'area_batch', ignored: 1, rows: 1 })
    expect(await open(text, { kind: 'fetch_batch' })).toMatchObject({ kind: 'fetch_batch', ignored: 1, rows: 1 })
  })

  test('KML, with the description, the folder and the time of each placemark', async () => {
    const body = `<Folder><name>Parks</name><Folder><name>East</name>${placemark('A', `<description><![CDATA[<b>Owner</b>: Smith]]></description><TimeStamp><when>2020-01-01</when></TimeStamp>${kmlPoint}`)}</Folder>${placemark('B', `<ExtendedData><Data name="name"><value>Bee</value></Data></ExtendedData>${kmlPoint}`)}</Folder>`
    const { kind, table } = await open(kml(body))
    expect([kind, table]).toEqual([
      'fetch_batch',
      [
        'id,folder,name,description,time,kml_name,lat,lng',
        'p-A,"Parks / East",A,"<b>Owner</b>: Smith",2020-01-01,"",39.7392,-104.9903',
        'p-B,Parks,Bee,"","",B,39.7392,-104.9903',
      ],
    ])
  })

  test('a shapefile: long numbers, and text without a declared code page', async () => {
    const files = shapefileOf(
      'sites',
      [{ kind: 'point', points: [[-104.9903, 39.7392]], row: { NAME: 'Canon~', N: 12 } }],
      nad83,
    )
    const dbf = Buffer.from(files['sites.dbf']!)
    // The tilde becomes ñ in Windows-1252, and the number a long one.
    dbf[dbf.indexOf('~')] = 0xf1
    dbf.write('123456789012345678', dbf.indexOf('12.000000') - 8, 'latin1')
    const { table } = await open(zipSync({ ...files, 'sites.dbf': new Uint8Array(dbf) }))
    expect(table[1]).toStartWith('"Canonñ",12345678901234567')
  })

  test.each([
    ['MS-DOS 437 by the language driver', 0x01, null, [0xa4, 0x8f]],
    ['MS-DOS 850 by the language driver', 0x02, null, [0xa4, 0x8f]],
    ['Windows-1252 by the language driver', 0x03, null, [0xf1, 0xc5]],
    ['UTF-8 by the .cpg file', 0x57, 'UTF-8', [0xc3, 0xb1, 0xc3, 0x85]],
    ['Latin-1 by the .cpg file', 0x00, 'ISO-8859-1', [0xf1, 0xc5]],
    ['Windows-1252 by the .cpg file', 0xc8, 'ANSI 1252', [0xf1, 0xc5]],
    ['MS-DOS 850 by the .cpg file', 0x00, 'OEM 850', [0xa4, 0x8f]],
    ['UTF-8 without a declaration', 0x00, null, [0xc3, 0xb1, 0xc3, 0x85]],
  ])('a dBASE table in %s', async (_, driver, cpg, text) => {
    const files = shapefileOf(
      'sites',
      [{ kind: 'point', points: [[-104.9903, 39.7392]], row: { NAME: '~'.repeat(text.length) } }],
      nad83,
    )
    const dbf = Buffer.from(files['sites.dbf']!)
    dbf[29] = driver
    dbf.set(text, dbf.indexOf('~'))
    const codePage = cpg === null ? {} : { 'sites.cpg': strToU8(cpg) }
    const { table } = await open(zipSync({ ...files, ...codePage, 'sites.dbf': new Uint8Array(dbf) }))
    expect(table[1]).toBe('"ñÅ",39.7392,-104.9903')
  })

  test.skipIf(Bun.which('ogr2ogr') === null).each([
    ['FlatGeobuf', 'fgb'],
    ['GPKG', 'gpkg'],
    ['ESRI Shapefile', 'shp'],
    ['OpenFileGDB', 'gdb'],
  ])('%s of points, lines and polygons, in degrees and in State Plane feet', async (format, ending) => {
    const line = { type: 'LineString', coordinates: square.slice(0, 2) }
    const shapes = { point: pointOf({ name: 'A' }), line: { ...area, geometry: line }, polygon: area }
    for (const [name, shape] of Object.entries(shapes))
      for (const system of ['EPSG:4326', 'EPSG:2232']) {
        const stem = join(folder, `${name}-${system.slice(5)}`)
        writeFileSync(`${stem}.geojson`, collection(shape, shape))
        await Bun.$`ogr2ogr -f ${format} -t_srs ${system} ${`${stem}.${ending}`} ${`${stem}.geojson`}`.quiet()
        const { kind, rows, table } = await openFile(`${stem}.${ending}`)
        expect([kind, rows]).toEqual([name === 'point' ? 'fetch_batch' : 'area_batch', 2])
        const numbers = (table[1]!.match(/-?\d+\.\d+|-?\d{2,}/g) ?? []).slice(0, 2).map(Number)
        const at = name === 'point' ? [39.7392, -104.9903] : [39, -105]
        if (name === 'polygon') expect(table[1]).toContain('polygon:')
        else expect(numbers.map((number) => Math.round(number * 1e6) / 1e6)).toEqual(at)
        expect(table[1]).toContain('A')
      }
  })

  test.skipIf(Bun.which('ogr2ogr') === null)('a FlatGeobuf that is cut anywhere is refused', async () => {
    const [source, whole] = [join(folder, 'cut.geojson'), join(folder, 'whole.fgb')]
    writeFileSync(source, collection(...Array.from({ length: 20 }, (_, i) => pointOf({ i }))))
    await Bun.$`ogr2ogr -f FlatGeobuf ${whole} ${source}`.quiet()
    const bytes = readFileSync(whole)
    expect((await open(bytes)).rows).toBe(20)
    for (let length = 20; length < bytes.length; length += 61)
      expect(open(bytes.subarray(0, length))).rejects.toThrow(/truncated|corrupt/)
  })

  test('a GeoPackage table with several layers needs the name of one', async () => {
    const path = join(folder, 'layers.gpkg')
    const db = new Database(path)
    db.run('PRAGMA application_id = 1196444487')
    db.run(
      'CREATE TABLE gpkg_contents (table_name TEXT, data_type TEXT, identifier TEXT, last_change TEXT, srs_id INTEGER)',
    )
    db.run(
      'CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT, srs_id INTEGER)',
    )
    db.run(
      'CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER, organization TEXT, organization_coordsys_id INTEGER, definition TEXT)',
    )
    for (const name of ['a', 'b']) {
      db.run(`CREATE TABLE ${name} (fid INTEGER PRIMARY KEY, lat REAL, lng REAL, big INTEGER)`)
      db.run(`INSERT INTO ${name} VALUES (1, 39.7392, -104.9903, 1234567890123456789)`)
      db.run(`INSERT INTO gpkg_contents VALUES ('${name}', 'attributes', '${name}', '', 0)`)
    }
    db.close()
    const bytes = readFileSync(path)
    expect(open(bytes)).rejects.toThrow('has several layers: a, b. Choose a layer with --layer.')
    expect((await open(bytes, { layer: 'b' })).table.at(-1)).toEndWith('39.7392,-104.9903,1234567890123456789')
  })

  test('well-known text, one geometry in each line', async () => {
    const { kind, rows } = await open('POINT (-104.99 39.74)\nPOINT Z (-87.6 41.9 1)\n')
    expect([kind, rows]).toEqual(['fetch_batch', 2])
    expect(await open(`POLYGON ((${square.map((at) => at.join(' ')).join()}))`)).toMatchObject({ kind: 'area_batch' })
    expect(await open('POINT_X,POINT_Y\n-104.99,39.74\n')).toMatchObject({ kind: 'fetch_batch', rows: 1 })
  })
})

describe('archives and encodings', () => {
  const csv = 'name,lat,lng\nA,39.7392,-104.9903\n'

  test('gzip and ZIP around a file, also inside each other', async () => {
    const zipped = zipSync({
      'data/a.csv': strToU8(csv),
      'README.txt': strToU8('Sites'),
      '__MACOSX/data/._a.csv': strToU8('x'),
    })
    for (const bytes of [
      gzipSync(strToU8(csv)),
      zipped,
      gzipSync(zipped),
      zipSync({ 'a.csv.gz': gzipSync(strToU8(csv)) }),
    ])
      expect(await open(bytes)).toMatchObject({ rows: 1, reading: { format: 'delimited text' } })
    const points = collection(pointOf({}))
    expect(await open(gzipSync(strToU8(points)))).toMatchObject({ rows: 1, reading: { format: 'GeoJSON' } })
    const several = zipSync({ 'a.csv': strToU8(csv), 'b.csv': strToU8(csv.repeat(2)) })
    expect(open(several)).rejects.toThrow('has several layers: a, b. Choose a layer with --layer.')
    expect(await open(several, { layer: 'b.csv' })).toMatchObject({ rows: 3 })
    expect(open(gzipSync(strToU8(csv)).subarray(0, 20))).rejects.toThrow(
      'places.dat cannot be unpacked: it is damaged.',
    )
  })

  test('UTF-16 with and without a mark, Windows-1252 and Latin-1', async () => {
    const json = JSON.stringify([{ lat: 39.7392, lng: -104.9903, name: 'Cañón' }])
    const latin1 = (text: string) => Uint8Array.from(text, (it) => it.charCodeAt(0))
    const texts: [string | Uint8Array, Record<string, string>?][] = [
      [Buffer.from(`\uFEFF${json}`, 'utf16le')],
      [Buffer.from(json, 'utf16le')],
      [latin1(json)],
      [latin1(json), { encoding: 'latin1' }],
      [latin1(kml(placemark('Cañón', kmlPoint), 'ISO-8859-1'))],
      [Buffer.from(`lat\tlng\tname\n39.7392\t-104.9903\tCañón\n`, 'utf16le'), { lat: 'lat' }],
    ]
    for (const [bytes, flags] of texts.slice(0, 5)) expect((await open(bytes, flags)).table[1]).toContain('Cañón')
    expect((await open(...texts[5]!)).says).toBe(
      'Read as delimited text (utf-16le, tab): latitude "lat", longitude "lng", as chosen; EPSG:4326',
    )
  })
})

test('the summary says which line, delimiter and columns were read, and why', async () => {
  const text = '# export\nid|northing|easting\n1|4398000|500000\n'
  expect((await open(text, { crs: 'EPSG:26913' })).says).toBe(
    'Read as delimited text (utf-8, "|", header in line 2): latitude "northing", longitude "easting", by name; EPSG:26913',
  )
  expect((await open('who,where\nA,"39.7, -104.9"\n')).says).toEndWith('coordinate "where", by their values; EPSG:4326')
})

test('the coordinate system of a file without one is given', async () => {
  const { 'sites.prj': _, ...files } = shapefileOf(
    'sites',
    [{ kind: 'point', points: [[500_000, 4_398_000]], row: { N: 1 } }],
    nad83,
  )
  expect(open(zipSync(files))).rejects.toThrow('--crs')
  expect((await open(zipSync(files), { crs: 'EPSG:26913' })).table[1]).toMatch(/,39\.7\d+,-10[45]\.?\d*$/)
})
