import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { hasPythonModules, python } from '../support/python.ts'
import { createProcessGroup } from './process-group.ts'

const { root, start } = createProcessGroup()
const run = (file: string, out: string, words: string[] = ['--fields', 'county,nearest_airport_distance_m']) =>
  start(['run', file, ...words, '--out', out, '--quiet']).end()
const bytes = (name: string) => readFileSync(join(root, name))
const text = (name: string) => bytes(name).toString()

const header = 'Lat,lng,name,name,,county,note'
const rows = [
  '39.7392,-104.9903,"a,b",x,1,=1+1,00123',
  '25.79,-80.13,Miami\u2028é,\u0001_x0041_,2,-x,1.50',
  'bad,1,z,z,3,,12345678901234567890',
]
writeFileSync(join(root, 'a.csv'), `${header}\n${rows.join('\n')}\n`)
const ours =
  'index,ok,fieldstone_lat,fieldstone_lng,source,error,fieldstone_county,nearest_airport_distance_m,failed_fields'

async function readParquet(name: string) {
  const { buffer, byteOffset, byteLength } = bytes(name)
  const file = buffer.slice(byteOffset, byteOffset + byteLength)
  const metadata = parquetMetadata(file)
  const geo = metadata.key_value_metadata!.find(({ key }) => key === 'geo')!.value!
  return { rows: await parquetReadObjects({ file, metadata }), geo: JSON.parse(geo) as { columns: object } }
}

function readGeopackage<Row>(name: string, sql: string): Row[] {
  using db = new Database(join(root, name), { readonly: true })
  return db.query<Row, []>(sql).all()
}

const sheetOf = (name: string) => strFromU8(unzipSync(new Uint8Array(bytes(name)))['xl/worksheets/sheet1.xml']!)
/** The cells of a row as they are written. */
const cellsOf = (sheet: string, row: number) =>
  Object.fromEntries(
    [...sheet.matchAll(/<c r="([A-Z]+)(\d+)"[^>]*>(.*?)<\/c>/gs)].flatMap(([, column, at, cell]) =>
      Number(at) === row ? [[column!, cell!.replace(/^<is><t xml:space="preserve">(.*)<\/t><\/is>$/s, '"$1"')]] : [],
    ),
  )

describe('the result of a run', () => {
  test('in CSV has the columns of the file first, with the same names and texts', async () => {
    expect((await run('a.csv', 'out.csv')).code).toBe(1)
    const lines = text('out.csv').split('\r\n')
    expect(lines[0]).toBe(`${header},${ours}`)
    for (const [i, row] of rows.entries()) expect(lines[i + 1]).toStartWith(`${row},${i},`)
    expect(lines[1]).toEndWith(',0,true,39.7392,-104.9903,coordinate,,Denver County,21740.5,')
    expect(lines[3]).toEndWith(',2,false,,,,row_invalid,,,county;nearest_airport_distance_m')
  })

  test('in JSON lines and GeoJSON has unique names', async () => {
    expect((await run('a.csv', 'out.JSONL')).code).toBe(1)
    const [first] = text('out.JSONL').split('\n')
    const names = `Lat,lng,name,name_2,column_5,county,note,${ours}`
    expect(Object.keys(JSON.parse(first!) as object).join()).toBe(names)
    expect((await run('a.csv', 'out.geojson')).code).toBe(1)
    const { features } = JSON.parse(text('out.geojson')) as { features: { properties: object }[] }
    expect(features[0]!.properties).toMatchObject({
      Lat: '39.7392',
      county: '=1+1',
      fieldstone_county: 'Denver County',
    })
  })

  test('in a workbook shows each text of the file as it is, and has numbers where they are shown alike', async () => {
    expect((await run('a.csv', 'out.xlsx')).code).toBe(1)
    const sheet = sheetOf('out.xlsx')
    expect(
      Object.values(cellsOf(sheet, 1))
        .map((it) => it.slice(1, -1))
        .join(),
    ).toBe(`${header},${ours}`)
    expect(cellsOf(sheet, 2)).toMatchObject({
      A: '<v>39.7392</v>',
      C: '"a,b"',
      E: '<v>1</v>',
      F: '"=1+1"',
      G: '"00123"',
      I: '<v>1</v>',
      O: '<v>21740.5</v>',
    })
    expect(cellsOf(sheet, 3)).toMatchObject({ C: '"Miami\u2028é"', D: '"_x0001__x005F_x0041_"', G: '"1.50"' })
    expect(cellsOf(sheet, 4)).toMatchObject({ G: '"12345678901234567890"', M: '"row_invalid"' })
    // A workbook that is read again has the same texts.
    expect((await run('out.xlsx', 'again.csv', ['--fields', 'timezone', '--lat', 'Lat', '--lng', 'lng'])).code).toBe(1)
    expect(text('again.csv')).toContain(rows[0]!.slice('39.7392,-104.9903,'.length))
  })

  test('in a GeoPackage is a layer of points, whose names differ without their case', async () => {
    writeFileSync(join(root, 'fid.csv'), 'fid,geom,NAME,name,lat,lng\n7,g,a,b,39.7392,-104.9903\n')
    expect((await run('fid.csv', 'out.gpkg')).code).toBe(0)
    const [row] = readGeopackage<Record<string, unknown>>('out.gpkg', 'SELECT * FROM result')
    expect(row).toMatchObject({ fid: '7', geom: 'g', NAME: 'a', name_2: 'b', ok: 1, county: 'Denver County' })
    expect(
      Buffer.from(row!.geom_2 as Uint8Array)
        .subarray(45)
        .readDoubleLE(8),
    ).toBe(39.7392)
    expect(
      readGeopackage('out.gpkg', 'SELECT * FROM gpkg_contents JOIN gpkg_geometry_columns USING (table_name)'),
    ).toMatchObject([{ table_name: 'result', column_name: 'geom_2', geometry_type_name: 'POINT', min_x: -104.9903 }])
    expect(readGeopackage('out.gpkg', 'SELECT id FROM rtree_result_geom_2')).toEqual([{ id: 1 }])
    expect(readGeopackage('out.gpkg', 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  test('of areas has their geometry in GeoParquet and in a GeoPackage', async () => {
    const ring = [
      [-105, 39.7],
      [-104.9, 39.7],
      [-104.9, 39.8],
      [-105, 39.8],
      [-105, 39.7],
    ]
    const feature = { type: 'Feature', properties: { id: 1 }, geometry: { type: 'Polygon', coordinates: [ring] } }
    writeFileSync(join(root, 'areas.geojson'), JSON.stringify({ type: 'FeatureCollection', features: [feature] }))
    for (const out of ['areas.parquet', 'areas.gpkg'])
      expect((await run('areas.geojson', out, ['--fields', 'county'])).code).toBe(0)
    const parquet = await readParquet('areas.parquet')
    expect(parquet.geo.columns).toEqual({ geometry: { encoding: 'WKB', geometry_types: [] } })
    expect(parquet.rows).toMatchObject([
      { id: '1', ok: true, geometry: { type: 'MultiPolygon', coordinates: [[ring]] } },
    ])
    expect(
      readGeopackage(
        'areas.gpkg',
        'SELECT max_y, geometry_type_name FROM gpkg_contents JOIN gpkg_geometry_columns USING (table_name)',
      ),
    ).toEqual([{ max_y: 39.8, geometry_type_name: 'GEOMETRY' }])
  })

  test.each(['again.xlsx', 'again.gpkg'])('is the same when the command is repeated: %s', async (out) => {
    expect((await run('a.csv', out)).code).toBe(1)
    const first = bytes(out)
    expect((await run('a.csv', out)).code).toBe(1)
    expect(bytes(out).equals(first)).toBe(true)
    writeFileSync(join(root, out), 'mine')
    expect(await run('a.csv', out)).toMatchObject({
      code: 64,
      err: expect.stringContaining('To replace it, add --force'),
    })
    expect(text(out)).toBe('mine')
    expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test.each(['out.tsv', 'out.txt', 'out.csv.gz'])('has no ending that is not written: %s', async (out) => {
    const { code, err } = await run('a.csv', out)
    expect([code, err]).toEqual([64, expect.stringContaining('.csv, .xlsx, .ndjson, .jsonl, .geojson, .parquet')])
    expect(readdirSync(root)).not.toContain(out)
  })

  test('is no workbook if a text is too long for a cell', async () => {
    writeFileSync(join(root, 'long.csv'), `note,lat,lng\n${'x'.repeat(32_768)},39.7392,-104.9903\n`)
    const { code, err } = await run('long.csv', 'long.xlsx')
    expect([code, err]).toEqual([1, expect.stringContaining('32,768 characters in the column note')])
    expect(readdirSync(root).filter((name) => name.includes('long.xlsx'))).toEqual([])
  })
})

test.skipIf(!hasPythonModules('openpyxl'))('a workbook is read by openpyxl (needs the Python package openpyxl)', () => {
  const script =
    'import sys, openpyxl; s = openpyxl.load_workbook(sys.argv[1]).active; print(s.max_row, s["A2"].value, s["G2"].value)'
  const { stdout } = Bun.spawnSync([python, '-c', script, join(root, 'out.xlsx')])
  expect(stdout.toString()).toBe('4 39.7392 00123\n')
})
