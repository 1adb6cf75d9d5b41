import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableFromIPC, tableToIPC, tableFromArrays } from 'apache-arrow'
import { strFromU8, unzipSync } from 'fflate'
import { parquetReadObjects } from 'hyparquet'
import { startFilter } from './fieldstone.ts'
import { createProcessGroup } from './process-group.ts'

const { root, start } = createProcessGroup()
const addresses = [
  '929 Harbor Blvd, Bradenton, FL 34205',
  '929 Harbor Blvd, Bradenton, FL 34209',
  '929 Harbor Blvd E, Bradenton, FL 34205',
  '5 Harbor Blvd E, Bradenton, FL 34205',
]
const direction = 'direction_changed: The match is on Harbor Blvd E, not Harbor Blvd.'
const zip = 'zip_changed: The match has ZIP code 34205, not 34209.'
const score = 'low_score: The only match has a score of 0.7. Confirm the address.'
/** The last row is not found. */
const listed = [[direction], [zip, direction, score], [], null]
const joined = listed.map((texts) => texts?.join(';') ?? null)
const csv = `address\n${addresses.map((it) => `"${it}"\n`).join('')}`

beforeAll(async () => {
  const header = 'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH'
  writeFileSync(join(root, 'points.csv'), `${header}\n-82.5748,27.4989,929,Harbor Blvd E,,Bradenton,,FL,34205,,\n`)
  writeFileSync(join(root, 'rows.csv'), csv)
  expect((await start(['pack', 'build', 'addresses', 'points.csv']).end()).code).toBe(0)
})

async function resultOf(out: string, words: string[] = [], input = 'rows.csv'): Promise<Buffer> {
  const { code, err } = await start(['run', input, '--fields', 'county', '--out', out, '--quiet', ...words]).end()
  expect([code, err]).toEqual([input === 'rows.csv' ? 1 : 0, ''])
  return readFileSync(join(root, out))
}

async function filter(input: string | Uint8Array, format: string, ...words: string[]): Promise<Buffer> {
  const process = startFilter(['run', '-', '--format', format, ...words], root)
  await process.write(input)
  const { code, out } = await process.end()
  expect(code).toBe(0)
  return out
}

const csvRows = (text: Buffer) => text.toString().trimEnd().split('\r\n')
const csvWarnings = (text: Buffer) =>
  csvRows(text)
    .slice(1)
    .map((row) => /(?:^|,)(?:"([^"]*)"|([^",]*))$/.exec(row)!.slice(1).join(''))

describe('the warnings of each address are a column', () => {
  test('in CSV, after ours, also with the other columns of geocodes', async () => {
    const plain = await resultOf('plain.csv')
    expect(csvRows(plain)[0]).toBe('address,index,ok,lat,lng,source,error,county,failed_fields,warnings')
    expect(csvWarnings(plain)).toEqual(joined.map((it) => it ?? ''))
    const all = await resultOf('all.csv', ['--include', 'geocodes'])
    expect(csvRows(all)[0]).toEndWith(',geocode_provider,warnings')
    expect(csvWarnings(all)).toEqual(csvWarnings(plain))
  })

  test('in JSON lines and GeoJSON, as lists', async () => {
    const lines = (await resultOf('out.ndjson')).toString().trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { warnings: unknown }).warnings)).toEqual(listed)
    const { features } = JSON.parse((await resultOf('out.geojson')).toString()) as {
      features: { properties: { warnings: unknown } }[]
    }
    expect(features.map(({ properties }) => properties.warnings)).toEqual(listed)
  })

  test('in GeoParquet, a GeoPackage and a workbook', async () => {
    const { buffer, byteOffset, byteLength } = await resultOf('out.parquet')
    const file = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
    expect((await parquetReadObjects({ file })).map(({ warnings }) => warnings as unknown)).toEqual(joined)
    await resultOf('out.gpkg')
    using db = new Database(join(root, 'out.gpkg'), { readonly: true })
    expect(db.query('SELECT warnings FROM result').all()).toEqual(joined.map((warnings) => ({ warnings })))
    const sheet = strFromU8(unzipSync(new Uint8Array(await resultOf('out.xlsx')))['xl/worksheets/sheet1.xml']!)
    const cells = [...sheet.matchAll(/<c r="J\d+"[^>]*><is><t xml:space="preserve">([^<]*)/g)].map(([, text]) => text)
    expect(cells.filter((text) => text !== '')).toEqual(['warnings', joined[0]!, joined[1]!])
  })

  test('of a filter', async () => {
    expect(csvWarnings(await filter(csv, 'csv', '--fields', 'county'))).toEqual(joined.map((it) => it ?? ''))
    const lines = addresses.map((address) => `${JSON.stringify({ address })}\n`).join('')
    const answered = (await filter(lines, 'ndjson', '--fields', 'county')).toString().trim().split('\n')
    expect(answered.map((line) => (JSON.parse(line) as { warnings: unknown }).warnings)).toEqual(listed)
    const table = tableToIPC(tableFromArrays({ address: addresses }), 'stream')
    const result = tableFromIPC(await filter(table, 'arrow', '--fields', 'county'))
    expect([...result.getChild('warnings')!]).toEqual(joined)
  })
})

test('ours is fieldstone_warnings beside a column warnings of the file', async () => {
  writeFileSync(join(root, 'mine.csv'), `warnings,address\nmine,"${addresses[0]}"\n`)
  const [header, row] = csvRows(await resultOf('mine-out.csv', [], 'mine.csv'))
  expect(header).toEndWith(',failed_fields,fieldstone_warnings')
  expect([row!.startsWith('mine,'), row!.endsWith(`,"${direction}"`)]).toEqual([true, true])
})

test('rows without an address have no such column', async () => {
  writeFileSync(join(root, 'points-only.csv'), 'lat,lng\n27.4989,-82.5748\n')
  expect(csvRows(await resultOf('points-out.csv', [], 'points-only.csv'))[0]).toEndWith(',failed_fields')
})

test('a filter of another kind has the warnings of its answers once', async () => {
  const flags = ['--kind', 'geocode_batch', '--include', 'geocodes']
  const [header] = csvRows(await filter(csv, 'csv', ...flags))
  expect(header).toEndWith(',provider,cached,warnings,failed_fields')
})

test('a filter of lookups has them beside the confidence', async () => {
  const [header, row] = csvRows(await filter(csv, 'csv', '--kind', 'lookup_batch'))
  expect(header).toContain(',confidence,warnings,reason,hint,')
  expect(row).toContain(`,geocode_rooftop,0.8,"${direction}",`)
})
