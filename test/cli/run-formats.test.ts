import { beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer'
import { createProcessGroup } from './process-group.ts'
import { hasPythonModules, python } from '../support/python.ts'

const { root, start } = createProcessGroup()
let count = 0
let folder = ''
beforeEach(() => {
  folder = `case-${++count}`
  mkdirSync(join(root, folder))
})

const path = (name: string) => join(folder, name)
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(root, path(name)), content)
const read = (name: string) => readFileSync(join(root, path(name)), 'utf8')
const files = () => readdirSync(join(root, folder)).toSorted()
const run = (name: string, words: string[]) => start(['run', path(name), '--quiet', ...words]).end()
const county = ['--fields', 'county', '--out']

function wkbPoint(lng: number, lat: number): Uint8Array {
  const wkb = Buffer.alloc(21)
  wkb.writeUInt8(1, 0)
  wkb.writeUInt32LE(1, 1)
  wkb.writeDoubleLE(lng, 5)
  wkb.writeDoubleLE(lat, 13)
  return new Uint8Array(wkb)
}

function parquetOf(columnData: ColumnSource[], geo?: object): Uint8Array {
  const kvMetadata = geo ? [{ key: 'geo', value: JSON.stringify(geo) }] : []
  return new Uint8Array(parquetWriteBuffer({ columnData, kvMetadata }))
}

async function readParquet(name: string) {
  const bytes = readFileSync(join(root, path(name)))
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const metadata = parquetMetadata(file)
  return { metadata, rows: await parquetReadObjects({ file, metadata }) }
}

describe('the input of a run without a server', () => {
  test('can have a JSON object in each line, with different members', async () => {
    write(
      'a.ndjson',
      '{"id":1,"lat":39.7392,"lng":-104.9903,"tags":["a"]}\n\n{"lat":25.79,"lng":-80.13,"note":"say \\"hi\\"\\nthere"}\n{"lat":"x","lng":1}',
    )
    expect((await run('a.ndjson', [...county, path('out.csv')])).code).toBe(1)
    expect(read('out.csv').split('\r\n')).toEqual([
      'id,lat,lng,tags,note,index,ok,fieldstone_lat,fieldstone_lng,source,error,county,failed_fields',
      '1,39.7392,-104.9903,"[""a""]",,0,true,39.7392,-104.9903,coordinate,,Denver County,',
      ',25.79,-80.13,,"say ""hi""\nthere",1,true,25.79,-80.13,coordinate,,Miami-Dade County,',
      ',x,1,,,2,false,,,,row_invalid,,county',
      '',
    ])
  })

  test.each([
    ['{"lat":1,"lng":2}\n{"lat":\n', 'a.ndjson is truncated: it ends within an object.'],
    ['{"lat":1,"lng":2}\n[1,2]\n', 'a.ndjson has a member of its list that is not an object.'],
    ['{"lat":1,"lng":2}\n7\n', 'a.ndjson has text that is not a JSON object: "7'],
  ])('is rejected as a whole if a line is malformed: %#', async (text, message) => {
    write('a.ndjson', text)
    const { code, err } = await run('a.ndjson', [...county, path('out.csv')])
    expect([code, err, files()]).toEqual([1, expect.stringContaining(message), ['a.ndjson']])
  })

  test('can be Parquet, with columns for the coordinate', async () => {
    const parquet = parquetOf([
      { name: 'id', data: [1, 2, 3], type: 'INT32' },
      { name: 'lat', data: [39.7392, 25.79, null], type: 'DOUBLE' },
      { name: 'lng', data: [-104.9903, -80.13, 1], type: 'DOUBLE' },
      { name: 'note', data: ['a,b', null, 'c'], type: 'STRING' },
    ])
    write('a.parquet', parquet)
    expect((await run('a.parquet', [...county, path('out.csv')])).code).toBe(1)
    expect(read('out.csv').split('\r\n').slice(1, 4)).toEqual([
      '1,39.7392,-104.9903,"a,b",0,true,39.7392,-104.9903,coordinate,,Denver County,',
      '2,25.79,-80.13,,1,true,25.79,-80.13,coordinate,,Miami-Dade County,',
      '3,,1,c,2,false,,,,row_invalid,,county',
    ])
  })

  test('can be GeoParquet with points, and a file that is cut off is rejected', async () => {
    const geometry = [wkbPoint(-104.9903, 39.7392), wkbPoint(-80.13, 25.79)]
    const columns: ColumnSource[] = [
      { name: 'name', data: ['a', 'b'], type: 'STRING' },
      { name: 'geometry', data: geometry, type: 'BYTE_ARRAY' },
    ]
    const geo = { version: '1.1.0', primary_column: 'geometry', columns: { geometry: { encoding: 'WKB' } } }
    const parquet = parquetOf(columns, geo)
    write('a.parquet', parquet)
    expect((await run('a.parquet', [...county, path('out.csv')])).code).toBe(0)
    expect(read('out.csv').split('\r\n')[1]).toBe(
      'a,39.7392,-104.9903,0,true,39.7392,-104.9903,coordinate,,Denver County,',
    )
    write('cut.parquet', parquet.subarray(0, 100))
    const cut = await run('cut.parquet', [...county, path('cut.csv')])
    expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('cannot be read as Parquet')])
  })
})

describe('the result of a run without a server', () => {
  const rows = 'name,lat,lng\nCity park,39.7392,-104.9903\nNowhere,x,y\n'
  const words = ['--fields', 'county,nearest_airport_distance_m', '--out']

  test('can be GeoParquet with the types of the fields', async () => {
    write('a.csv', rows)
    expect((await run('a.csv', [...words, path('out.parquet')])).code).toBe(1)
    const { metadata, rows: found } = await readParquet('out.parquet')
    expect(found).toMatchObject([
      {
        index: 0n,
        ok: true,
        lat: '39.7392',
        fieldstone_lat: 39.7392,
        county: 'Denver County',
        nearest_airport_distance_m: expect.any(Number) as number,
        failed_fields: '',
        name: 'City park',
        geometry: { type: 'Point', coordinates: [-104.9903, 39.7392] },
      },
      { index: 1n, ok: false, fieldstone_lat: null, error: 'row_invalid', county: null, geometry: null },
    ])
    expect(JSON.parse(metadata.key_value_metadata!.find(({ key }) => key === 'geo')!.value!)).toEqual({
      version: '1.1.0',
      primary_column: 'geometry',
      columns: { geometry: { encoding: 'WKB', geometry_types: ['Point'] } },
    })
    expect(files()).toEqual(['a.csv', 'out.parquet'])
  })

  test('in GeoParquet is the same when the command is repeated, and another file is not replaced', async () => {
    write('a.csv', rows)
    const command = [...words, path('out.parquet')]
    expect((await run('a.csv', command)).code).toBe(1)
    const first = read('out.parquet')
    expect((await run('a.csv', command)).code).toBe(1)
    expect(read('out.parquet')).toBe(first)
    appendFileSync(join(root, path('out.parquet')), 'x')
    const { code, err } = await run('a.csv', command)
    expect([code, err]).toEqual([64, expect.stringContaining('exists. To replace it, add --force.')])
    expect(files()).toEqual(['a.csv', 'out.parquet'])
    expect((await run('a.csv', [...command, '--force'])).code).toBe(1)
    expect(read('out.parquet')).toBe(first)
  })

  const hasPyarrow = hasPythonModules('pyarrow')
  test.skipIf(!hasPyarrow)('in GeoParquet is read by pyarrow (needs the Python package pyarrow)', async () => {
    write('a.csv', rows)
    await run('a.csv', [...words, path('out.parquet')])
    const script =
      'import sys, pyarrow.parquet as p; t = p.read_table(sys.argv[1]); print(t.num_rows, t.column("county")[0], t.schema.field("ok").type)'
    const { stdout } = Bun.spawnSync([python, '-c', script, join(root, path('out.parquet'))])
    expect(stdout.toString()).toBe('2 Denver County bool\n')
  })
})
