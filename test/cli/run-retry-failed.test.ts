import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProcessGroup } from './process-group.ts'

const { root, start } = createProcessGroup()
const write = (name: string, text: string) => writeFileSync(join(root, name), text)
const lines = (name: string) => readFileSync(join(root, name), 'utf8').trimEnd().split('\r\n')
const run = (file: string, out: string, ...words: string[]) =>
  start(['run', file, '--fields', 'county,nearest_airport_name', '--out', out, ...words]).end()

const sites = [
  ['name', 'lat', 'lng', 'note'],
  ['a', '39.7392', '-104.9903', '=1'],
  ['b', 'x', '-80.13', '"two\nlines"'],
  ['c', '25.79', '-80.13', ''],
  ['d', '40.0', '-80,1,extra', ''],
]
const csvOf = (rows: string[][]) => `${rows.map((row) => row.join()).join('\n')}\n`
const corrected = sites.map((row) => (row[0] === 'b' ? ['b', '25.79', '-80.13', row[3]!] : row))

describe('fieldstone run --retry-failed', () => {
  test('answers the failed rows and the changed ones of a corrected file, and keeps the others as they are', async () => {
    write('sites.csv', csvOf(sites))
    const first = await run('sites.csv', 'out.csv')
    expect(first.code).toBe(1)
    expect(first.err).toContain('correct them in sites.csv and add --retry-failed to the command.')
    // The value of a row that is kept is not read again from anywhere else.
    write(
      'out.csv',
      lines('out.csv')
        .map((line) => line.replace(',Denver County,', ',kept,'))
        .join('\r\n') + '\r\n',
    )
    write('copy.csv', csvOf(corrected.map((row) => (row[0] === 'c' ? ['c', '39.7392', '-104.9903', 'moved'] : row))))
    const second = await run('copy.csv', 'out.csv', '--retry-failed')
    expect(second.code).toBe(1)
    expect(second.out).toContain('4 rows: 6 of 8 values; 2 failed (row_invalid); 3 retried')
    const [header, a, b, c, d] = lines('out.csv')
    expect(header).toStartWith('name,lat,lng,note,index,ok,')
    expect(a).toStartWith('a,39.7392,-104.9903,=1,0,true,39.7392,-104.9903,coordinate,,kept,')
    expect(b).toStartWith('b,25.79,-80.13,"two\nlines",1,true,25.79,-80.13,coordinate,,Miami-Dade County,')
    expect(c).toStartWith('c,39.7392,-104.9903,moved,2,true,39.7392,-104.9903,coordinate,,Denver County,')
    expect(d).toContain(',3,false,')
    expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('has the bytes of a run of the corrected file', async () => {
    write('b.csv', csvOf(sites))
    expect((await run('b.csv', 'b.out.csv', '--quiet')).code).toBe(1)
    write('b.csv', csvOf(corrected))
    expect((await run('b.csv', 'b.out.csv', '--quiet', '--retry-failed')).code).toBe(1)
    expect((await run('b.csv', 'whole.csv', '--quiet')).code).toBe(1)
    expect(lines('b.out.csv')).toEqual(lines('whole.csv'))
  })

  test.each([
    ['a file with another number of rows', csvOf(sites.slice(0, 3)), 'more rows than the input'],
    ['a file with more rows', csvOf([...sites, ['e', '1', '2', '']]), 'fewer rows than the input'],
    ['a file with other columns', csvOf(sites).replace('note', 'remark'), 'other columns than the result'],
  ])('rejects %s, and changes nothing', async (_what, text, message) => {
    write('c.csv', csvOf(sites))
    await run('c.csv', 'c.out.csv', '--quiet', '--force')
    const before = lines('c.out.csv')
    write('c.csv', text)
    const { code, err } = await run('c.csv', 'c.out.csv', '--quiet', '--retry-failed')
    expect([code, err, lines('c.out.csv')]).toEqual([64, expect.stringContaining(message), before])
  })

  test('needs an earlier result in CSV', async () => {
    write('d.csv', csvOf(sites))
    for (const [out, message] of [
      ['none.csv', 'none.csv does not exist.'],
      ['none.gpkg', '--out must be its CSV file.'],
      ['-', '--out must be its CSV file.'],
    ] as const)
      expect(await run('d.csv', out, '--quiet', '--retry-failed')).toMatchObject({
        code: 64,
        err: expect.stringContaining(message) as string,
      })
  })
})
