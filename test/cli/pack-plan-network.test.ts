import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { withoutNetworkText } from '../../src/catalog/missing-data.ts'
import { freePort } from '../support/free-port.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const upstreams = openUpstreams()
const folder = temporaryFolder()
beforeEach(() => upstreams.heal())
afterAll(() => upstreams.close())
const online = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }
const withoutNetwork = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: `http://127.0.0.1:${freePort()}` }
const boulder = ['--area', 'Boulder County, CO']
const start = (words: string[], env: Record<string, string>) => startFieldstone(['pack', ...words], env, folder)

describe('Without a network', () => {
  test('`pack plan` says which hosts did not answer, shows its progress, and exits with 75', async () => {
    const { code, out, err } = await start(
      ['plan', '--preset', 'flood_risk', '--fields', 'open_ocean_distance_m', ...boulder],
      withoutNetwork,
    ).end()
    expect(code).toBe(75)
    expect(out).toContain('fema_nfhl_zones: hazards.fema.gov did not answer, so the size is not known.')
    expect(out).toContain('census_tiger_coastline: www2.census.gov did not answer, so the size is not known.')
    expect(err).toMatch(/^Planning 100 % (\d+) of \1 datasets$/m)
    expect(err).toContain('No service answered. The first error was: ')
    expect(err).toContain('FIELDSTONE_MIRROR')
    expect(err).toContain(withoutNetworkText)
  })

  test('`pack plan --json` prints the plan, and only the error on standard error', async () => {
    const words = ['plan', '--preset', 'flood_risk', ...boulder, '--json']
    const { code, out, err } = await start(words, withoutNetwork).end()
    expect([code, JSON.parse(out).area]).toEqual([75, 'Boulder County, CO'])
    expect(err).toMatch(/^No service answered\..*\n$/)
  })

  test('`pack fetch` ends before it copies anything', async () => {
    const words = ['fetch', '--preset', 'flood_risk', ...boulder, '--data', 'empty']
    const { code, err } = await start(words, withoutNetwork).end()
    expect([code, existsSync(join(folder, 'empty', 'packs'))]).toEqual([75, false])
    expect(err).toContain('Nothing was copied.')
    const events = await start([...words, '--json'], withoutNetwork).end()
    expect(JSON.parse(events.out.trim().split('\n').at(-1)!)).toMatchObject({
      event: 'error',
      message: expect.stringContaining('No service answered.'),
    })
  })

  test('`pack fetch` succeeds if everything is there already', async () => {
    const words = ['fetch', 'usgs_qfaults', ...boulder, '--verify', '0', '--data', 'full']
    expect((await start(words, online).end()).code).toBe(0)
    const { code, out } = await start(words, withoutNetwork).end()
    expect([code, out.includes('usgs_qfaults/08013.gpkg is there already.')]).toEqual([0, true])
    const disabled = await start(words.with(1, 'usgs_3dep'), {}).end()
    expect([disabled.code, disabled.err]).toEqual([1, expect.stringContaining(withoutNetworkText)])
    const offline = await start([...words.slice(0, 4), '--data', 'full'], {}).end()
    expect([offline.code, offline.out]).toEqual([0, expect.stringMatching(/without a network\.\n$/)])
  })
})

test('`pack fetch` ends before it copies anything if all services answer with server errors', async () => {
  upstreams.fault({}, { status: 503 })
  const words = ['fetch', '--preset', 'flood_risk', ...boulder, '--data', 'failing']
  const { code, out, err } = await start(words, online).end()
  expect([code, existsSync(join(folder, 'failing', 'packs'))]).toEqual([75, false])
  expect(out).toContain('returned status 503')
  expect(err).toContain('No service answered.')
})

test('a plan goes on without a host that does not answer, and asks the others', async () => {
  upstreams.fault({ host: 'hazards.fema.gov' }, 'reset')
  const { code, out } = await start(['plan', '--preset', 'flood_risk', ...boulder, '--json'], online).end()
  const { datasets } = JSON.parse(out) as { datasets: { dataset: string; features: number; reason: string | null }[] }
  const planned = (id: string) => datasets.find(({ dataset }) => dataset === id)!
  expect([code, planned('fema_nfhl_zones').reason]).toEqual([
    0,
    "hazards.fema.gov did not answer, so the size is not known. The names of the publisher's files contain a date that is not known, so the service is copied.",
  ])
  expect(planned('usgs_3dhp_waterbody').features).toBeGreaterThan(0)
})

describe('Ctrl-C', () => {
  test('ends a plan that waits for a service at once, prints no plan, and leaves nothing behind', async () => {
    upstreams.fault({}, { slow_ms: 3_600_000 })
    const called = upstreams.nextCall()
    const planning = start(['plan', '--preset', 'flood_risk', ...boulder, '--data', 'interrupted'], online)
    await called
    planning.signal('SIGINT')
    const { code, out, err } = await planning.end()
    expect([code, out, err.replaceAll(/^Planning .*\n/gm, '')]).toEqual([130, '', ''])
    expect(existsSync(join(folder, 'interrupted', 'packs'))).toBe(false)
    upstreams.heal()
    const words = ['plan', '--preset', 'flood_risk', ...boulder, '--data', 'interrupted']
    expect((await start(words, online).end()).code).toBe(0)
  })
})

describe('`pack fetch` says what it waits for', () => {
  // The plan of a list sends no request.
  const words = ['fetch', 'gvp_holocene_volcanoes', ...boulder, '--verify', '0', '--data', 'waiting']

  test('when a host cannot be reached', async () => {
    upstreams.fault({}, 'reset')
    const fetching = start(words, online)
    const [line] = await fetching.waitForOutput(/^gvp_holocene_volcanoes: .*Trying again in \d+ s\.$/m)
    fetching.signal('SIGINT')
    expect(line).toMatch(
      /: The connection to webservices\.volcano\.si\.edu failed or was closed early \(\w+\)\. Trying again in 5 s\.$/,
    )
    expect((await fetching.end()).code).toBe(130)
  })

  test('outside of the hours of --between, in which it sends nothing', async () => {
    const hourIn = (hours: number) => `${String((new Date().getUTCHours() + hours) % 24).padStart(2, '0')}:00`
    const before = upstreams.calls.length
    const hours = `${hourIn(2)}-${hourIn(3)}`
    const fetching = start([...words, '--between', hours], { ...online, TZ: 'UTC' })
    const [, time] = await fetching.waitForOutput(
      /^gvp_holocene_volcanoes: Outside of the hours of --between\. Paused until (\S+) in the time zone UTC, in \S+ (?:min|h)\.$/m,
    )
    fetching.signal('SIGINT')
    const { code } = await fetching.end()
    expect([code, `${time}`, upstreams.calls.length - before]).toEqual([130, hours.slice(0, 5), 0])
  })

  test('and copies at once within them', async () => {
    const now = new Date().getUTCHours()
    const hours = `${String((now + 23) % 24).padStart(2, '0')}:00-${String((now + 2) % 24).padStart(2, '0')}:00`
    const { code, out } = await start([...words, '--between', hours], { ...online, TZ: 'UTC' }).end()
    expect([code, out]).toEqual([0, expect.stringContaining('gvp_holocene_volcanoes, ')])
  })

  test('and rejects hours that are not valid, and where they do not apply', async () => {
    expect((await start([...words, '--between', '22-6'], online).end()).err).toBe(
      '--between "22-6" is not valid. Use two times of the day, such as 22:00-06:00.\n',
    )
    expect((await start(['plan', '--all', ...boulder, '--between', '22:00-06:00'], online).end()).err).toBe(
      '`fieldstone pack plan` does not take --between. See `fieldstone help pack`.\n',
    )
  })
})

test('a plan that can fetch nothing says so last, and does not exit with 0', async () => {
  const offline = await start(['plan', '--preset', 'flood_risk', ...boulder], { FIELDSTONE_OFFLINE: '1' }).end()
  expect(offline.code).toBe(1)
  expect(offline.err).toMatch(/^Nothing can be fetched on this machine, .*\n$/)
  const words = ['plan', '--fields', 'active_weather_alerts_count', ...boulder]
  const impossible = await start(words, online).end()
  expect([impossible.code, impossible.err.trim().split('\n').at(-1)]).toEqual([
    1,
    'Nothing can be fetched: none of the missing data can be copied.',
  ])
  const builtIn = await start(['plan', '--fields', 'county', ...boulder], { FIELDSTONE_OFFLINE: '1' }).end()
  expect([builtIn.code, builtIn.err]).toEqual([0, ''])
})

test('`pack starter` makes one signed file of a county, continues when it is repeated, and another machine imports it', async () => {
  const words = [
    'starter',
    'Boulder County, CO',
    '--fields',
    'nearest_fault_distance_m,nearest_fault_age',
    '--verify',
    '0',
  ]
  const starter = ['--data', 'starter', '--out', join(folder, 'boulder.tar')]
  expect((await start([...words, ...starter], withoutNetwork).end()).code).toBe(75)
  expect(existsSync(join(folder, 'boulder.tar'))).toBe(false)
  const { code, out } = await start([...words, ...starter], online).end()
  expect([code, out]).toEqual([0, expect.stringMatching(/boulder\.tar: 1 pack and 0 layers, .* signed with/)])
  const again = await start([...words, ...starter], withoutNetwork).end()
  expect([again.code, again.out]).toEqual([0, expect.stringMatching(/is there already\.(.|\n)*boulder\.tar: 1 pack/)])
  const [, key = '', file = ''] = /`fieldstone pack key add (.*)` once, and then `fieldstone pack import (.*)`/.exec(
    out,
  )!
  expect((await start(['key', 'add', key, '--data', 'other'], {}).end()).code).toBe(0)
  const imported = await start(['import', file, '--data', 'other'], {}).end()
  expect(imported.code).toBe(0)
  expect(imported.out).toContain('usgs_qfaults/08013.gpkg: Boulder County, CO')
})
