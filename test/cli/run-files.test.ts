import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputPathOf } from '../../src/cli/run/run-input.ts'
import { xlsxOf } from '../upstreams/tables/xlsx.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { startFieldstone } from './fieldstone.ts'
import { createProcessGroup, waitForAddress } from './process-group.ts'

const { root, start } = createProcessGroup()
const upstreams = openUpstreams()
afterEach(upstreams.heal)
afterAll(upstreams.close)
const online = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }

let count = 0
let folder = ''
beforeEach(() => {
  folder = `case-${++count}`
  mkdirSync(join(root, folder))
})

const path = (name: string) => join(folder, name)
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(root, path(name)), content)
const read = (name: string) => readFileSync(join(root, path(name)), 'utf8')
const run = (name: string, words: string[], env: Record<string, string> = {}) =>
  start(['run', path(name), '--data', path('data'), ...words], env).end()
const sites = 'name,lat,lng\nCity park,39.7392,-104.9903\nBeach,25.79,-80.13\n'

describe('the output file', () => {
  test('is never the input file, not even by another name or with --force', async () => {
    write('a.csv', sites)
    linkSync(join(root, path('a.csv')), join(root, path('b.csv')))
    for (const out of ['a.csv', 'b.csv']) {
      const { code, err } = await run('a.csv', ['--fields', 'county', '--out', path(out), '--force'])
      expect(err).toBe(`${path(out)} is the input file, which is never overwritten. Set --out to another file.\n`)
      expect(code).toBe(64)
    }
    expect([read('a.csv'), readdirSync(join(root, folder)).toSorted()]).toEqual([sites, ['a.csv', 'b.csv']])
  })

  test('has the name of the input with the preset, or with "result"', () => {
    const nameOf = (flags: Record<string, string>) => outputPathOf('sites/a.geojson.gz', flags, null)
    expect(nameOf({ preset: 'place_context' })).toBe('a.place_context.csv')
    expect(nameOf({ fields: 'county' })).toBe('a.result.csv')
    expect(nameOf({ kind: 'lookup_batch' })).toBe('a.lookup_batch.csv')
  })

  test('does not replace another file without --force, and leaves no other file behind', async () => {
    write('a.csv', sites)
    write('out.csv', 'mine')
    write('out.csv.part', 'mine too')
    const words = ['--fields', 'county', '--out', path('out.csv')]
    const refused = await run('a.csv', words)
    expect([refused.code, refused.err, read('out.csv')]).toEqual([
      64,
      `${path('out.csv')} exists. To replace it, add --force. To keep it, set --out to another file.\n`,
      'mine',
    ])
    expect((await run('a.csv', [...words, '--force'])).code).toBe(0)
    expect(read('out.csv')).toStartWith('name,lat,lng,index,ok,')
    const files = readdirSync(join(root, folder)).filter((name) => name !== 'data')
    expect([read('out.csv.part'), files.toSorted()]).toEqual(['mine too', ['a.csv', 'out.csv', 'out.csv.part']])
  })

  test('of the same command is replaced only while it is unchanged', async () => {
    write('a.csv', sites)
    const words = ['--fields', 'county', '--out', path('out.csv')]
    for (let i = 0; i < 2; i++) expect((await run('a.csv', words)).code).toBe(0)
    write('out.csv', `${read('out.csv')}# my note\n`)
    expect((await run('a.csv', words)).code).toBe(64)
    expect(read('out.csv')).toEndWith('# my note\n')
  })

  test('can be GeoJSON, or standard output', async () => {
    write('a.csv', sites)
    expect((await run('a.csv', ['--fields', 'county', '--out', path('out.geojson')])).code).toBe(0)
    const { features } = JSON.parse(read('out.geojson')) as { features: { properties: { name: string } }[] }
    expect(features.map(({ properties }) => properties.name)).toEqual(['City park', 'Beach'])
    const { code, out, err } = await run('a.csv', ['--fields', 'county', '--out', '-'])
    expect(out.split('\r\n')[1]).toBe('City park,39.7392,-104.9903,0,true,39.7392,-104.9903,coordinate,,Denver County,')
    expect(code).toBe(0)
    expect(err).toMatch(/^a\.csv: 2 rows: all 2 values$/m)
  })
})

describe('the summary', () => {
  test('counts values, names what is missing and how to get it, and the exit code says what failed', async () => {
    write('a.csv', sites)
    const words = ['--fields', 'county,nwi_wetland_type', '--out', path('out.csv')]
    const { code, out, err } = await run('a.csv', words)
    expect(out).toMatch(/: 2 rows: 2 of 4 values; 2 failed \((offline_no_data|no_local_data)\)\n {2}Read as .*\n$/)
    expect(code).toBe(0)
    expect(err).toContain('Missing: National Wetlands Inventory (2 values, ')
    const places = `--sites ${path('out.csv')} --radius 1km`
    expect(err).toContain(
      `To get them, run \`fieldstone pack fetch --fields nwi_wetland_type ${places}\` on a machine with a network, then `,
    )
    const ofPreset = await run('a.csv', ['--preset', 'solar_siting', '--out', path('solar.csv')])
    expect(ofPreset.err).toMatch(/^Missing: [^;]+; [^;]+; [^;]+; and \d+ more \(\d+ values, /m)
    expect(ofPreset.err).toContain('run `fieldstone pack fetch --preset solar_siting --sites ')
    // A field that is computed from others needs the data of those.
    expect(ofPreset.err).not.toContain('Formulas and classes over other fields')
    const computed = await run('a.csv', ['--fields', 'grading_difficulty_class', '--out', path('computed.csv')])
    expect(computed.err).toContain('run `fieldstone pack fetch --fields grading_difficulty_class --sites ')
    expect(computed.err).toContain('on a machine with a network, then ')
    expect((await run('a.csv', [...words, '--strict'])).code).toBe(2)
    write('b.csv', `${sites}Nowhere,x,y\n`)
    expect((await run('b.csv', [...words, '--strict', '--force'])).code).toBe(1)
    // The command reads the result of the run, also its rows without a coordinate.
    const plan = [
      'pack',
      'plan',
      '--fields',
      'nwi_wetland_type',
      ...places.split(' '),
      '--json',
      '--data',
      path('data'),
    ]
    const planned = await start(plan, {}).end()
    expect(JSON.parse(planned.out)).toMatchObject({
      area: '2 sites of out.csv, 1 km around',
      datasets: [{ dataset: 'usfws_nwi', how: 'file' }],
    })
  })

  test('counts the rows of each class, with what it means', async () => {
    write('a.csv', `${sites}Beach again,25.79,-80.13\n`)
    const { out } = await run('a.csv', ['--fields', 'county,fema_flood_zone', '--out', path('out.csv')], online)
    const zones = read('out.csv')
      .split('\r\n')
      .filter((line) => /,(?:AE|VE|X),/.test(line)).length
    expect(out).toMatch(new RegExp(`\\n {2}fema_flood_zone: (?:AE|VE|X) \\([a-z][^;]+\\): ${zones} rows?`))
    expect(out).not.toContain('county:')
  })

  test('is the report of the run with --json, and an error is the error object of the API', async () => {
    write('a.csv', sites)
    const { code, out } = await run('a.csv', ['--fields', 'county,elevation', '--out', path('out.csv'), '--json'])
    expect(JSON.parse(out)).toMatchObject({ out: path('out.csv'), report: { values: { total: 4, ok: 2, failed: 2 } } })
    expect(code).toBe(0)
    const unknown = await run('a.csv', ['--fields', 'countty', '--out', path('other.csv'), '--json'])
    const [error = ''] = unknown.err.split('\n').filter((line) => line.startsWith('{'))
    expect([unknown.code, JSON.parse(error)]).toMatchObject([1, { detail: { error: 'fields_unknown' } }])
    const words = ['--fields', 'county', '--out', path('third.csv'), '--json', '--server', 'http://127.0.0.1:1']
    const unreachable = await run('a.csv', words)
    expect(unreachable.code).toBe(1)
    expect(JSON.parse(unreachable.err)).toMatchObject({ detail: { error: 'server_unreachable', retryable: true } })
    expect((await run('a.csv', ['--fields', 'county', '--out', '-', '--json'])).code).toBe(64)
  })

  test('of lookups counts rows', async () => {
    write('a.csv', 'input\n"39.7392, -104.9903"\nnowhere at all\n')
    const { out } = await run('a.csv', ['--kind', 'lookup_batch', '--out', path('out.csv')])
    expect(out).toMatch(/: 2 rows: \d answered/)
  })

  test('of standard input names no file, and --include reasons says why each value is missing', async () => {
    write('a.csv', sites)
    const words = ['run', '-', '--fields', 'county,nwi_wetland_type', '--include', 'reasons', '--data', path('data')]
    const withInput = ['sh', '-c', `exec "$@" < ${path('a.csv')}`, 'sh']
    const { code, out, err } = await startFieldstone(words, {}, root, withInput).end()
    expect([code, out.split('\r\n').slice(0, 2)]).toEqual([
      0,
      [
        'name,lat,lng,index,ok,fieldstone_lat,fieldstone_lng,source,error,county,nwi_wetland_type,failed_fields,county_status,county_reason,nwi_wetland_type_status,nwi_wetland_type_reason',
        expect.stringMatching(/,0,true,.*,nwi_wetland_type,ok,,failed,(offline_no_data|no_local_data)$/),
      ],
    ])
    expect(err).toMatch(/^standard input: 2 rows: 2 of 4 values; 2 failed/m)
  })
})

describe('the input file', () => {
  const rows = async (name: string, words: string[], env = {}) => {
    const { code, err } = await run(name, ['--fields', 'county', '--out', path('out.csv'), '--force', ...words], env)
    return code === 0 ? read('out.csv').trimEnd().split('\r\n').slice(1) : err
  }

  test('can be a workbook with one sheet, or with a sheet that --sheet names, here and on a server', async () => {
    const sheet = (lat: number): (string | number)[][] => [
      ['Niño', 'Latitude', 'Longitude'],
      ['007', lat, -104.9903],
    ]
    write('one.xlsx', xlsxOf([['Sites', sheet(39.7392)]]))
    write(
      'two.xlsx',
      xlsxOf([
        ['Notes', [['x']]],
        ['Sites', sheet(39.7392)],
      ]),
    )
    const expected = ['007,39.7392,-104.9903,0,true,39.7392,-104.9903,coordinate,,Denver County,']
    expect(await rows('one.xlsx', [])).toEqual(expected)
    expect(await rows('two.xlsx', [])).toBe(
      'two.xlsx: The workbook has 2 sheets: Notes, Sites. Name one of them with --sheet.\n',
    )
    expect(await rows('two.xlsx', ['--sheet', 'Sites'])).toEqual(expected)
    expect(await rows('two.xlsx', ['--sheet', 'Site'])).toContain('has no sheet "Site". Its sheets are Notes, Sites.')
    const server = await waitForAddress(start(['serve', '--data', path('there')], { FIELDSTONE_AUTH: 'off' }))
    expect(await rows('two.xlsx', ['--sheet', 'Sites', '--server', server])).toEqual(expected)
  })

  test('can have any columns, an encoding and a decimal comma, here and on a server', async () => {
    write(
      'a.csv',
      Uint8Array.from('sep=;\r\nPe\u00f1a;N;E\r\n\u00f1;39,7392;-104,9903\r\n', (it) => it.charCodeAt(0)),
    )
    const expected = ['ñ,"39,7392","-104,9903",0,true,39.7392,-104.9903,coordinate,,Denver County,']
    const words = ['--lat', 'N', '--lng', 'E']
    expect(await rows('a.csv', words)).toEqual(expected)
    expect(await rows('a.csv', [...words, '--encoding', 'windows-1252'])).toEqual(expected)
    expect(await rows('a.csv', ['--lat', 'North'])).toContain(
      'The file has no column "North". Its columns are Peña, N, E.',
    )
    const server = await waitForAddress(start(['serve', '--data', path('there')], { FIELDSTONE_AUTH: 'off' }))
    expect(await rows('a.csv', [...words, '--server', server])).toEqual(expected)
  })

  test('has no limit of rows here, and one of 250,000 rows on a server', async () => {
    write('a.csv', `lat,lng\n${'0,0\n'.repeat(250_001)}`)
    const here = await run('a.csv', ['--fields', 'timezone', '--out', path('out.csv')])
    expect([here.code, here.out]).toEqual([1, expect.stringContaining('250,001 rows: 0 of 250,001 values')])
    const server = await waitForAddress(start(['serve', '--data', path('there')], { FIELDSTONE_AUTH: 'off' }))
    expect(await rows('a.csv', ['--server', server])).toBe('a.csv: 250,001 rows; the limit is 250,000.\n')
    write('b.csv', 'lat,lng\n')
    expect(await rows('b.csv', [])).toBe('b.csv: No rows under the header.\n')
  })
})

describe('the same command again', () => {
  test.each(['here', 'on a server'])('asks what failed before, and nothing else, %s', async (where) => {
    write('a.csv', 'name,lat,lng\na,25.7901,-80.1301\nb,x,y\nc,25.7902,-80.1302\n')
    const server =
      where === 'here' ? null : start(['serve', '--data', path('data')], { ...online, FIELDSTONE_AUTH: 'off' })
    const there = server ? ['--server', await waitForAddress(server)] : []
    const words = ['--fields', 'county,fema_flood_zone', '--out', path('out.csv'), ...there]
    const calls = () => upstreams.callsTo('hazards.fema.gov')
    // Both rows and one retry.
    upstreams.fault({ host: 'hazards.fema.gov', times: 3 }, { status: 503 })
    const first = await run('a.csv', words, online)
    expect([first.code, first.out]).toEqual([1, expect.stringContaining('3 rows: 2 of 6 values; 4 failed (')])
    expect(first.err).toContain('To try again, run the same command again.')
    const before = calls()
    const second = await run('a.csv', words, online)
    expect(second.code).toBe(1)
    expect(second.out).toContain('3 rows: 4 of 6 values; 2 failed (row_invalid); 2 retried')
    expect(calls() - before).toBe(2)
    expect(read('out.csv').split('\r\n')).toEqual([
      'name,lat,lng,index,ok,fieldstone_lat,fieldstone_lng,source,error,county,fema_flood_zone,failed_fields',
      expect.stringMatching(/^a,25\.7901,-80\.1301,0,true,.*,Miami-Dade County,\w+,$/),
      'b,x,y,1,false,,,,row_invalid,,,county;fema_flood_zone',
      expect.stringMatching(/^c,25\.7902,-80\.1302,2,true,.*,Miami-Dade County,\w+,$/),
      '',
    ])
    const third = await run('a.csv', words, online)
    expect([third.code, third.out, calls() - before]).toEqual([1, expect.not.stringContaining('retried'), 2])
  })

  test('asks addresses again once there is a geocoder', async () => {
    write('a.csv', 'address\n"1777 Broadway, Boulder, CO 80302"\n')
    const words = ['--fields', 'timezone', '--out', path('out.csv')]
    expect(await run('a.csv', words)).toMatchObject({ code: 1, out: expect.not.stringContaining('retried') as string })
    expect((await run('a.csv', words)).out).not.toContain('retried')
    expect(await run('a.csv', words, online)).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 row: all 1 value; 1 retried') as string,
    })
  })

  test('asks addresses again once there is an address pack', async () => {
    write('a.csv', 'address\n"1777 Broadway, Boulder, CO 80302"\n')
    const words = ['--fields', 'county', '--out', path('out.csv')]
    const first = await run('a.csv', words)
    expect([first.code, first.out]).toEqual([1, expect.stringContaining('geocoder_not_configured')])
    expect((await start(['sample', folder]).end()).code).toBe(0)
    expect((await start(['pack', 'build', 'addresses', path('nad.txt'), '--data', path('data')]).end()).code).toBe(0)
    const again = await run('a.csv', words)
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('1 row: all 1 value; 1 retried')])
    expect(read('out.csv')).toContain('Boulder County')
  })

  test('asks what had no source before, once it has one; --fresh asks everything', async () => {
    write('a.csv', sites)
    const words = ['--fields', 'county,fema_flood_zone', '--out', path('out.csv')]
    expect((await run('a.csv', words)).out).toContain('2 of 4 values')
    expect((await run('a.csv', words)).out).not.toContain('retried')
    const again = await run('a.csv', words, online)
    expect(again.out).toContain('2 rows: 3 of 4 values; 1 absent; 2 retried')
    expect((await run('a.csv', words, online)).out).not.toContain('retried')
    const fresh = await run('a.csv', [...words, '--fresh', '--force'], online)
    expect(fresh.out).toMatch(/: 2 rows: 3 of 4 values; 1 absent\n/)
    expect((await run('a.csv', words, online)).out).toMatch(/: 2 rows: 3 of 4 values; 1 absent\n/)
  })
})
