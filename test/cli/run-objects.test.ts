import { afterAll, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startS3Server } from '../support/s3-server.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const s3 = startS3Server()
const folder = temporaryFolder()
afterAll(() => s3.close())
beforeEach(() => {
  s3.objects.clear()
  s3.faultOf = () => null
})

const fields = ['--fields', 'county,timezone']
const rowsOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `p${from + i},${30 + ((from + i) % 15)},-100\n`).join('')
const csv = (from: number, to: number) => `name,lat,lng\n${rowsOf(from, to)}`
const textOf = (key: string) => Buffer.from(s3.objects.get(key) ?? []).toString()
const keysBelow = (prefix: string) => [...s3.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted()

async function run(input: string, out: string, flags: string[] = [], env: Record<string, string> = {}) {
  const words = ['run', `s3://gis-packs/${input}`, ...fields, '--out', `s3://gis-packs/${out}`, ...flags]
  return startFieldstone(words, { FIELDSTONE_OFFLINE: '0', ...s3.environment, ...env }, folder).end()
}

async function wholeResult(): Promise<string> {
  writeFileSync(join(folder, 'whole.csv'), csv(0, 100))
  const words = ['run', 'whole.csv', ...fields, '--out', 'result.csv', '--quiet', '--force']
  await startFieldstone(words, {}, folder).end()
  return readFile(join(folder, 'result.csv'), 'utf8')
}

test('the pods of an indexed job answer the shards of an object, and the last one writes _SUCCESS', async () => {
  s3.put('in/sites.csv', csv(0, 100))
  for (const index of [2, 0, 1]) {
    expect(keysBelow('out/_SUCCESS')).toEqual([])
    const { code, out, err } = await run('in/sites.csv', 'out/', ['--shards', '3'], {
      JOB_COMPLETION_INDEX: `${index}`,
    })
    expect([code, err]).toEqual([0, expect.stringContaining('sites.csv')])
    if (index === 0) expect(out).toEndWith('2 of 3 parts are complete.\n')
  }
  const parts = [1, 2, 3].map((part) => textOf(`out/part-0000${part}-of-00003.csv`))
  const joined = parts.map((text, i) => (i === 0 ? text : text.slice(text.indexOf('\n') + 1))).join('')
  expect(joined).toBe(await wholeResult())
  expect(JSON.parse(textOf('out/_SUCCESS'))).toMatchObject({ parts: 3 })
})

test('each object below a prefix gets a result in its format, and the shards divide the objects', async () => {
  s3.put('in/b/2.csv', csv(50, 100))
  s3.put('in/a/1.ndjson', '{"lat":39.7,"lng":-104.9}\n')
  s3.put('in/c.csv', csv(0, 5))
  for (const name of ['_SUCCESS', '_old/part.csv', '.hidden.csv']) s3.put(`in/${name}`, 'not an input')
  expect((await run('in/', 'out/', ['--shard', '2/2'])).code).toBe(0)
  expect(keysBelow('out/')).not.toContain('out/_SUCCESS')
  expect((await run('in/', 'out/', ['--shard', '1/2'])).code).toBe(0)
  expect(keysBelow('out/').filter((key) => !key.includes('_parts'))).toEqual([
    'out/_SUCCESS',
    'out/a/1.ndjson',
    'out/b/2.csv',
    'out/c.csv',
  ])
  expect(JSON.parse(textOf('out/a/1.ndjson'))).toMatchObject({ county: 'Denver County' })
})

test('a repeated shard answers only what is not whole: a lost or changed result, or a changed input', async () => {
  s3.put('in/1.csv', csv(0, 5))
  s3.put('in/2.csv', csv(5, 9))
  await run('in/', 'out/')
  const results = ['out/1.csv', 'out/2.csv'].map(textOf)
  const writes = async () => {
    s3.requests.length = 0
    expect((await run('in/', 'out/')).code).toBe(0)
    expect(keysBelow('out/_SUCCESS')).toEqual(['out/_SUCCESS'])
    return s3.requests.filter(({ method, key }) => method === 'PUT' && /\/\d\.csv$/.test(key)).map(({ key }) => key)
  }
  expect(await writes()).toEqual([])
  s3.objects.delete('out/1.csv')
  s3.put('out/2.csv', results[1]!.slice(0, -9))
  expect(await writes()).toEqual(['out/1.csv', 'out/2.csv'])
  expect(['out/1.csv', 'out/2.csv'].map(textOf)).toEqual(results)
  s3.put('in/2.csv', csv(5, 10))
  expect(await writes()).toEqual(['out/2.csv'])
})

test('a part that another pod begins again while its record is read is not complete, and no failure', async () => {
  s3.put('in/sites.csv', csv(0, 10))
  await run('in/sites.csv', 'out/', ['--shard', '2/2'])
  const other = 'out/_parts/part-00002-of-00002.csv.json'
  const { result: _, ...begun } = JSON.parse(textOf(other)) as Record<string, unknown>
  s3.faultOf = ({ method, key, isList }) =>
    method === 'GET' && key === other && !isList
      ? { kind: 'before', run: () => s3.put(other, JSON.stringify(begun)) }
      : null
  const { code, out } = await run('in/sites.csv', 'out/', ['--shard', '1/2'])
  expect([code, out]).toEqual([0, expect.stringContaining('1 of 2 parts are complete.')])
  expect(keysBelow('out/_SUCCESS')).toEqual([])
})

test('_SUCCESS is gone while a part is answered again, and stays away if that fails', async () => {
  s3.put('in/1.csv', csv(0, 5))
  await run('in/', 'out/')
  s3.put('in/1.csv', 'a,b\n1,2\n')
  const { code, err } = await run('in/', 'out/')
  expect([code, err]).toEqual([1, expect.stringContaining('no location column')])
  expect(keysBelow('out/_SUCCESS')).toEqual([])
})

test.each([
  ['another run', async () => run('in/', 'out/', ['--include', 'reasons'])],
  ['another program', async () => s3.put('out/1.csv', 'precious')],
])('results of %s are replaced only with --force', async (_, write) => {
  s3.put('in/1.csv', csv(0, 5))
  await write()
  const before = textOf('out/1.csv')
  const { code, err } = await run('in/', 'out/')
  expect([code, err]).toEqual([64, expect.stringContaining('out/1.csv is not of this run.')])
  expect(textOf('out/1.csv')).toBe(before)
  expect((await run('in/', 'out/', ['--force'])).code).toBe(0)
  expect(textOf('out/1.csv')).toStartWith('name,lat,lng,')
})

test('a storage that loses bytes of a result gets no _SUCCESS, and the exit code says to try again', async () => {
  s3.put('in/1.csv', csv(0, 5))
  s3.faultOf = ({ method, key }) => {
    const lose = () => s3.objects.has('out/1.csv') && s3.put('out/1.csv', textOf('out/1.csv').slice(0, -9))
    return method === 'HEAD' && key === 'out/1.csv' ? { kind: 'before', run: lose } : null
  }
  const { code, err } = await run('in/', 'out/')
  expect([code, err]).toEqual([75, expect.stringMatching(/out\/1\.csv has \d+ bytes, but \d+ were written\./)])
  expect(keysBelow('out/_SUCCESS')).toEqual([])
})

test('errors of the storage are retried, and a rejection is reported without its message', async () => {
  s3.put('in/1.csv', csv(0, 5))
  const failed = new Set<string>()
  s3.faultOf = ({ method, key }) => {
    if (failed.has(`${method} ${key}`)) return null
    failed.add(`${method} ${key}`)
    return { kind: 'status', status: 503, code: 'SlowDown' }
  }
  expect((await run('in/', 'out/')).code).toBe(0)
  s3.faultOf = () => ({ kind: 'status', status: 403, code: 'AccessDenied' })
  const { code, err } = await run('in/', 'out/')
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('rejected the request for s3://gis-packs/in/ (AccessDenied)'),
  ])
  expect(err).not.toContain('test:reader')
})

test('rows that failed are complete results, and decide about the exit code only with --strict', async () => {
  s3.put('in/1.csv', 'lat,lng\n99,1\n')
  expect((await run('in/', 'out/')).code).toBe(0)
  expect(textOf('out/1.csv')).toContain('coord_out_of_bounds')
  expect((await run('in/', 'strict/', ['--strict'])).code).toBe(1)
  expect(keysBelow('strict/_SUCCESS')).toHaveLength(1)
})

test.each([
  ['in/', 'out', 'must end with a slash'],
  ['in/', 'in/out/', 'overlaps with the input'],
  ['in/', 'out/ --json', '--json cannot be combined with object storage'],
  ['nothing/', 'out/', 'There is no object at s3://gis-packs/nothing/.'],
])('run s3://…/%s --out s3://…/%s is rejected', async (input, out, message) => {
  const [target, ...flags] = out.split(' ')
  const { code, err } = await run(input, target!, flags)
  expect([code, err]).toEqual([64, expect.stringContaining(message)])
})
