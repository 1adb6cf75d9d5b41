import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Dictionary,
  Float64,
  Int32,
  Int64,
  Table,
  tableFromIPC,
  tableToIPC,
  TimestampMillisecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'
import { startFieldstone, startFilter } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

const fields = 'county,timezone,nearest_airport_distance_m'
const points = Array.from({ length: 2500 }, (_, i) => ({ id: `p${i}`, lat: 25 + (i % 23), lng: -120.5 + (i % 50) }))
const csvOf = (rows: typeof points) => `id,lat,lng\n${rows.map(({ id, lat, lng }) => `${id},${lat},${lng}\n`).join('')}`
const linesOf = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

async function resultOfFile(name: string, input: string, out: string): Promise<Buffer> {
  writeFileSync(join(folder, name), input)
  const words = ['run', name, '--fields', fields, '--out', out, '--quiet', '--force']
  await startFieldstone(words, {}, folder).end()
  return readFileSync(join(folder, out))
}

async function filter(input: string | Uint8Array, format: string, ...flags: string[]) {
  const process = startFilter(['run', '-', '--format', format, '--fields', fields, ...flags], folder)
  await process.write(input)
  return process.end()
}

test.each([
  ['csv', `${csvOf(points)}q,"95",1\nr,"39 44 21 N",-104.9\n"s ""x""",,\n`],
  ['ndjson', linesOf(points)],
])('a filter of %s writes the bytes of a run of the same file', async (format, input) => {
  const expected = await resultOfFile(`points.${format}`, input, `whole.${format}`)
  const { code, out } = await filter(input, format)
  expect([code, Buffer.compare(out, expected)]).toEqual([0, 0])
})

test('a block is written before the next rows arrive', async () => {
  const process = startFilter(['run', '-', '--format', 'csv', '--fields', 'county'], folder)
  await process.write('lat,lng\n')
  expect(await process.readLine()).toMatch(/^lat,lng,index,ok,/)
  for (const [i, lat] of [39.7, 39.8, 39.9].entries()) {
    await process.write(`${lat},-104.9\n`)
    expect(await process.readLine()).toStartWith(`${lat},-104.9,${i},true,${lat},-104.9,coordinate`)
  }
  expect((await process.end()).code).toBe(0)
})

test('each JSON object keeps its own members, and one without a location is an error of its row', async () => {
  const rows = [{ lat: 39.7, lng: -104.9 }, { lat: 39.7, lng: -104.9, note: 'x' }, { note: 'y' }]
  const { code, out } = await filter(linesOf(rows), 'ndjson')
  const answered = out.toString().trim().split('\n')
  expect(code).toBe(0)
  expect(answered.map((line) => JSON.parse(line) as object)).toMatchObject([
    { index: 0, ok: true, county: 'Denver County' },
    { index: 1, ok: true, county: 'Denver County', note: 'x' },
    { index: 2, ok: false, error: 'row_invalid', note: 'y' },
  ])
  expect(answered[0]).not.toContain('note')
})

test('a line that is no object is rejected by its number, after the rows before it', async () => {
  const process = startFilter(['run', '-', '--format', 'ndjson', '--fields', 'county'], folder)
  await process.write('{"lat":39.7,"lng":-104.9}\n')
  expect(await process.readLine()).toContain('"county":"Denver County"')
  await process.write('{"lat":39.7,\n')
  const { code, err } = await process.end()
  expect([code, err]).toEqual([1, 'standard input: Line 2 is not a JSON object.\n'])
})

test('an Arrow stream keeps its columns and their types, and gets typed fields', async () => {
  const table = new Table({
    id: vectorFromArray(
      points.map((_, i) => BigInt(i) * 10n ** 15n),
      new Int64(),
    ),
    lat: vectorFromArray(
      points.map(({ lat }, i) => (i === 5 ? null : lat)),
      new Float64(),
    ),
    lng: vectorFromArray(
      points.map(({ lng }) => lng),
      new Float64(),
    ),
    kind: vectorFromArray(
      points.map((_, i) => `kind ${i % 3}`),
      new Dictionary(new Utf8(), new Int32()),
    ),
    at: vectorFromArray(
      points.map((_, i) => new Date(i * 1000)),
      new TimestampMillisecond(),
    ),
  })
  const { code, out } = await filter(tableToIPC(table, 'stream'), 'arrow')
  expect(code).toBe(0)
  const answered = tableFromIPC(out)
  expect(answered.batches.length).toBeGreaterThan(1)
  const typesOf = (it: Table) => Object.fromEntries(it.schema.fields.map(({ name, type }) => [name, type.toString()]))
  expect(typesOf(answered)).toMatchObject({ ...typesOf(table), fieldstone_lat: 'Float64', county: 'Utf8' })
  expect(typesOf(answered).nearest_airport_distance_m).toBe('Float64')
  for (const name of ['id', 'kind', 'at'] as const)
    expect([...answered.getChild(name)!]).toEqual([...table.getChild(name)!])
  const expected = await resultOfFile('points.csv', csvOf(points), 'points.ndjson')
  const rows = expected.toString().trim().split('\n')
  const distances = rows.map((line) => (JSON.parse(line) as Record<string, unknown>).nearest_airport_distance_m)
  distances[5] = null
  expect([...answered.getChild('nearest_airport_distance_m')!]).toEqual(distances)
  expect(answered.get(5)!.toJSON()).toMatchObject({ ok: false, error: 'row_invalid', lat: null })
})

test('a partition without rows has the columns of the result, and one without bytes has nothing', async () => {
  const table = new Table({ lat: vectorFromArray([1], new Float64()), lng: vectorFromArray([1], new Float64()) })
  const { code, out } = await filter(tableToIPC(table.slice(0, 0), 'stream'), 'arrow')
  expect(tableFromIPC(out).numRows).toBe(0)
  expect(tableFromIPC(out).schema.names).toEqual(expect.arrayContaining(['lat', 'index', 'fieldstone_lat', 'county']))
  expect(code).toBe(0)
  expect((await filter('lat,lng\n', 'csv')).out.toString()).toMatch(/^lat,lng,index,.*,failed_fields\r?\n$/)
  for (const format of ['csv', 'ndjson', 'arrow']) expect(await filter('', format)).toMatchObject({ code: 0, err: '' })
})

test.each([
  ['half a stream', 0.6],
  ['no stream', 0],
])('Arrow that is %s is rejected', async (_, share) => {
  const vector = vectorFromArray([39.7, 39.8], new Float64())
  const bytes = tableToIPC(new Table({ lat: vector, lng: vector }), 'stream')
  const { code, err } = await filter(share === 0 ? 'lat,lng\n1,2\n' : bytes.subarray(0, bytes.length * share), 'arrow')
  expect([code, err]).toEqual([1, expect.stringContaining('not a complete stream of Arrow record batches')])
})

test('with --strict, failed rows and fields decide about the exit code', async () => {
  const codes = [
    await filter('lat,lng\n39.7,-104.9\n', 'csv', '--strict'),
    await filter('lat,lng\n99,-104.9\n', 'csv', '--strict'),
    await filter('lat,lng\n99,-104.9\n', 'csv'),
    await filter('a,b\n1,2\n', 'csv'),
  ].map(({ code }) => code)
  expect(codes).toEqual([0, 1, 0, 1])
})

test('a worker that stays answers batches, each with its exit code', async () => {
  const process = startFilter(['run', '-', '--format', 'csv', '--fields', fields, '--serve-stdin'], folder)
  expect(JSON.parse(await process.readLine())).toEqual({
    ready: true,
    version: expect.any(String),
    format: 'csv',
    fields: fields.split(','),
  })
  const whole = await resultOfFile('points.csv', csvOf(points), 'whole.csv')
  const batches = [csvOf(points), 'a,b\n1,2\n', 'lat,lng\n99,1\n']
  await process.write(batches.map((it) => `${it.length}\n${it}`).join(''))
  const first = JSON.parse(await process.readLine()) as { rows: number; bytes: number; exit_code: number }
  expect(first).toEqual({ rows: points.length, bytes: whole.length, exit_code: 0 })
  expect(Buffer.compare(await process.read(first.bytes), whole)).toBe(0)
  expect(JSON.parse(await process.readLine())).toMatchObject({
    rows: 0,
    bytes: 0,
    exit_code: 1,
    error: expect.stringContaining('no location column'),
  })
  expect(JSON.parse(await process.readLine())).toMatchObject({ rows: 1, exit_code: 0 })
  expect((await process.end()).code).toBe(0)
})

test.each(['12 bytes\n', '99999999999\n', '9\nlat,'])('a batch that begins with %j ends the worker', async (input) => {
  const { code, err } = await filter(input, 'csv', '--serve-stdin')
  expect([code, err]).toEqual([64, expect.stringMatching(/^(A batch begins with|Standard input ended after 4 of)/)])
})

test('a signal ends a filter that waits for rows', async () => {
  const process = startFilter(['run', '-', '--format', 'csv', '--fields', 'county'], folder)
  await process.write('lat,lng\n39.7,-104.9\n40,-1')
  expect(await process.readLine()).toMatch(/^lat,lng,index/)
  expect(await process.readLine()).toMatch(/^39.7,-104.9,0,true/)
  await process.stop('SIGTERM')
  const { code, out } = await process.end()
  expect([code, out.toString()]).toEqual([130, ''])
})

test.each([
  ['run - --format xml', 'Unknown --format "xml".'],
  ['run points.csv --format csv', '--format is for standard input'],
  ['run - --format csv --out a.csv', '--format is for standard input'],
  ['run - --format csv --shard 1/2', '--shard and --format cannot be combined.'],
  ['run - --format arrow --kind geocode_batch', '--format arrow and --kind geocode_batch cannot be combined.'],
  ['run - --serve-stdin', '--serve-stdin requires --format.'],
])('fieldstone %s is rejected', async (words, message) => {
  const { code, err } = await startFieldstone(words.split(' '), {}, folder).end()
  expect([code, err]).toEqual([64, expect.stringContaining(message)])
})
