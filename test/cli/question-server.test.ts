import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const server = startFieldstone(['serve', '--data', 'server'], {}, folder)
const [, url = ''] = await server.waitForOutput(/answers at (http:\S+)/)
const [, token = ''] = await server.waitForOutput(/Owner token, shown only once: (\S+)/)
afterAll(async () => {
  server.signal('SIGTERM')
  await server.end()
})
writeFileSync(join(folder, 'a.csv'), 'lat,lng\n39.7392,-104.9903\n')
writeFileSync(join(folder, 'addresses.csv'), 'address\n"1437 Bannock St, Denver, CO 80202"\n')
const run = (words: string[], env: Record<string, string> = {}) => startFieldstone(words, env, folder).end()
const at = ['--at', '39.7392,-104.9903']

describe('a question to a server', () => {
  test('is answered by it, with the token of the flag or the environment', async () => {
    const words = ['fetch', ...at, '--fields', 'county', '--server', url]
    for (const { code, out } of [
      await run([...words, '--token', token]),
      await run(words, { FIELDSTONE_TOKEN: token }),
    ]) {
      expect([code, JSON.parse(out)]).toMatchObject([0, { fields: { county: { value: 'Denver County' } } }])
    }
    const { code, out, err } = await run([...words, '--json'])
    const message = `Token missing. Run \`fieldstone login --server ${url}\`, or set --token.`
    expect([code, out, JSON.parse(err)]).toMatchObject([1, '', { detail: { error: 'auth_missing', message } }])
    const submitted = await run(['run', 'a.csv', '--fields', 'county', '--server', url, '--out', '-'])
    expect([submitted.code, submitted.err]).toEqual([1, `${message}\n`])
  })

  test.each([
    [['lookup', '39.7392,-104.9903'], 'Denver County'],
    [['geocode', 'Denver'], 'address_too_coarse'],
    [['ask', 'Which county is this?', ...at], 'Denver County'],
  ])('%j also works with --server', async (words, said) => {
    const { out, err } = await run([...words, '--server', url, '--token', token])
    expect(`${out}${err}`).toContain(said)
  })

  test('is suggested when its data folder is in use', async () => {
    for (const words of [
      ['fetch', ...at, '--fields', 'county'],
      ['run', 'addresses.csv', '--fields', 'county', '--out', '-'],
    ])
      expect(await run([...words, '--data', 'server'])).toMatchObject({
        code: 78,
        err: expect.stringContaining('If it is a server, you can send the request to it with --server.') as string,
      })
  })

  test('that does not respond is reported in one line', async () => {
    const { code, err } = await run(['fetch', ...at, '--fields', 'county', '--server', 'http://127.0.0.1:1'])
    expect([code, err]).toEqual([1, 'No response from http://127.0.0.1:1: connection refused.\n'])
    expect(await run(['lookup', 'Denver', '--token', 'x'])).toMatchObject({
      code: 64,
      err: '--token requires --server.\n',
    })
  })
})

describe('--at reads what the search box reads', () => {
  test.each([
    [['--at', '39.7392,', '-104.9903']],
    [['--at', '39.7392', '-104.9903']],
    [['--at', `39°44'21"N 104°59'25"W`]],
    [['--at', '39.7392 N 104.9903 W']],
    [['--at', '85FQP2Q5+M4']],
  ])('%j', async (words) => {
    const { code, out } = await run(['fetch', ...words, '--fields', 'county', '--json'])
    expect([code, JSON.parse(out)]).toMatchObject([0, { fields: { county: { value: 'Denver County' } } }])
  })
})

describe('the catalog on the command line', () => {
  test('fields finds fields by words, and says when there is none', async () => {
    const { code, out } = await run(['fields', 'flood', 'zone'])
    expect([code, (JSON.parse(out) as { fields: { name: string }[] }).fields[0]!.name]).toEqual([0, 'fema_flood_zone'])
    expect(await run(['fields', 'qqqzzz'])).toMatchObject({ code: 1, err: expect.stringContaining('No field matches') })
  })

  test('presets lists the fields of each preset', async () => {
    const { presets } = JSON.parse((await run(['presets'])).out) as { presets: Record<string, string[]> }
    expect(presets.terrain![0]).toBe('elevation')
  })
})

describe('a name that is almost right is suggested', () => {
  test.each([
    [['fech'], 'Did you mean `fieldstone fetch`?'],
    [['fetch', '--filds', 'county'], 'Did you mean --fields?'],
    [['fetch', ...at, '--fields', 'elevaton'], 'Did you mean "elevation"?'],
    [['fetch', ...at, '--fields', 'elevaton'], '`fieldstone fields` lists all fields'],
    [['fetch', ...at, '--preset', 'terain'], 'The nearest are terrain, '],
    [['fetch', ...at, '--preset', 'hazards'], 'The nearest are natural_hazard, wildfire_hazard, '],
    [['fetch', ...at, '--preset', 'hazards'], '`fieldstone presets` lists all presets.'],
    [['help', 'setings'], 'Did you mean `fieldstone help settings`?'],
    [['pack', 'build', 'usfws_nw', 'x'], 'The nearest are usfws_nwi'],
    [['token', 'nw'], 'Did you mean `fieldstone token new`?'],
    [['pack', 'bild', 'x'], 'Did you mean `fieldstone pack build`?'],
    [['login', '--scopes', 'fech'], 'Did you mean fetch?'],
    [['run', 'a.csv', '--kind', 'lookup_bach'], 'Did you mean lookup_batch?'],
    [['doctor', '--live', 'fema_nfh'], '`fieldstone doctor --live` checks all datasets'],
  ])('%j', async (words, said) => {
    const { code, out, err } = await run(words)
    expect(code).not.toBe(0)
    expect(`${out}${err}`).toContain(said)
    expect(`${out}${err}`).not.toContain('GET /v1/')
  })
})

test('without a server, an answer names commands, not endpoints or pages of a server', async () => {
  const { code, out } = await run(['fetch', ...at, '--fields', 'fema_flood_zone,pm25_current_ug_m3'])
  expect([code, out]).toEqual([0, expect.stringContaining('See `fieldstone help pack`.')])
  expect(out).not.toContain('See /guide/')
})

test('ask --units metric states metric units first', async () => {
  const ask = async (units: string) =>
    (await run(['ask', 'How far is the coast?', ...at, '--units', units, '--json'])).out
  expect((JSON.parse(await ask('us')) as { answer: string }).answer).toMatch(/\d mi \([\d,.]+ km\)/)
  expect((JSON.parse(await ask('metric')) as { answer: string }).answer).toMatch(/\d km \([\d,.]+ mi\)/)
  expect(await run(['ask', 'How far?', ...at, '--units', 'furlongs'])).toMatchObject({
    code: 64,
    err: 'Unknown --units "furlongs". Use us or metric.\n',
  })
})

test('without a command the help is printed, and no server is started', async () => {
  const { code, out } = await run([])
  expect([code, out]).toEqual([0, expect.stringContaining('fieldstone serve')])
})
