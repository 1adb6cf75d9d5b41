import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const upstreams = openUpstreams()
const folder = temporaryFolder()
afterEach(() => upstreams.heal())
afterAll(() => upstreams.close())
const doctor = (...words: string[]) =>
  startFieldstone(['doctor', ...words], { FIELDSTONE_MIRROR: upstreams.url }, folder).end()

describe('doctor --live', () => {
  test('queries each dataset at known places and prints the results', async () => {
    const { code, out } = await doctor('--live', 'usgs_wbd_huc12', 'fema_nfhl_zones', 'usace_nld_leveed_areas')
    expect(code).toBe(0)
    const [head, ...lines] = out.trimEnd().split('\n')
    expect(head!.split(/ {2,}/)).toEqual(['dataset', 'host', 'status', 'ms', 'fields', 'place', 'remark'])
    expect(lines.slice(0, 4).map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['fema_nfhl_zones', 'hazards.fema.gov', 'ok'],
      ['usace_nld_leveed_areas', 'geospatial.sec.usace.army.mil', 'ok'],
      ['usgs_wbd_huc12', 'hydro.nationalmap.gov', 'ok'],
      ['3 ok, 0 absent everywhere, 0 failed, 0 off'],
    ])
    expect(lines[1]).toContain('New Orleans')
    const canaries = lines.slice(lines.indexOf('') + 1)
    expect(canaries[0]!.split(/ {2,}/)).toEqual(['dataset', 'canary', 'place', 'result', 'ms', 'remark'])
    expect(canaries.slice(1, -1).map((line) => line.split(/ {2,}/)[0])).toEqual([
      'fema_nfhl_zones',
      'usace_nld_leveed_areas',
      'usgs_wbd_huc12',
    ])
    expect(canaries.at(-1)).toEndWith('0 wrong, 0 changed, 0 failed')
  })

  test('names the failed source and its error, and ends with 1', async () => {
    upstreams.fault({ host: 'hazards.fema.gov' }, 'html_200')
    const { code, out } = await doctor('--live', '--json', 'fema_nfhl_zones', 'usgs_wbd_huc12')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject([
      { dataset: 'fema_nfhl_zones', status: 'failed', remark: expect.stringContaining('bad_response') },
      { dataset: 'usgs_wbd_huc12', status: 'ok' },
    ])
  })

  test('records the questions and answers of the canaries, without keys', async () => {
    const target = join(folder, 'recorded')
    const key = 'a-census-key'
    const { code } = await startFieldstone(
      ['doctor', '--live', 'census_acs5', 'usgs_wbd_huc12', '--record', target],
      { FIELDSTONE_MIRROR: upstreams.url, CENSUS_API_KEY: key },
      folder,
    ).end()
    expect(code).toBe(0)
    const [head, ...rows] = readFileSync(join(target, 'manifest.tsv'), 'utf8').trimEnd().split('\n')
    const names = head!.split('\t')
    const cells = rows.map((row) => Object.fromEntries(row.split('\t').map((cell, i) => [names[i], cell])))
    expect(cells.find((it) => it.case === 'usgs_wbd_huc12' && it.fields !== '')).toMatchObject({
      host: 'hydro.nationalmap.gov',
      lat: '40.015',
      fields: 'huc8_code',
      status: '200',
      expected: '{"huc8_code":"10190005"}',
    })
    expect(new Set(cells.filter((it) => it.case === 'census_acs5').map(({ host }) => host))).toEqual(
      new Set(['geocoding.geo.census.gov', 'api.census.gov']),
    )
    const bodies = cells.map(({ file }) => readFileSync(join(target, file), 'utf8'))
    expect(bodies.filter((body) => body.includes('10190005'))).not.toEqual([])
    expect([rows.join('\n'), ...bodies].filter((text) => text.includes(key))).toEqual([])
  })

  test('names what a dataset without a remote source is missing', async () => {
    const { code, out } = await doctor('--live', '--json', 'usgs_karst', 'airnow_current')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject([
      { dataset: 'airnow_current', status: 'off', remark: expect.stringContaining('AIRNOW_API_KEY') },
      { dataset: 'usgs_karst', status: 'off', remark: expect.stringContaining('pack fetch usgs_karst') },
    ])
  })
})

describe('doctor --canaries', () => {
  test('asks only the canaries, and ends with 1 if one is wrong', async () => {
    const { code, out } = await doctor('--canaries', '--json', 'usgs_wbd_huc12', 'fema_nfhl_zones')
    expect(code).toBe(0)
    expect((JSON.parse(out) as { dataset: string }[]).map((it) => it.dataset).toSorted()).toEqual([
      'fema_nfhl_zones',
      'usgs_wbd_huc12',
    ])
    upstreams.fault({ host: 'hazards.fema.gov' }, 'html_200')
    expect((await doctor('--canaries', 'fema_nfhl_zones')).code).toBe(1)
  })

  test('with --record writes everything to one file, without the keys and the mail address of the operator', async () => {
    const target = join(folder, 'monthly')
    const [key, contact] = ['a-secret-key', 'gis@city.example']
    const environment = { FIELDSTONE_MIRROR: upstreams.url, NLR_API_KEY: key, NLR_API_EMAIL: contact }
    await startFieldstone(
      ['doctor', '--canaries', 'usgs_wbd_huc12', 'nlr_nsrdb_tmy', '--record', target],
      { ...environment, FIELDSTONE_CONTACT: contact },
      folder,
    ).end()
    const files = await new Bun.Archive(await Bun.file(`${target}.tar`).bytes()).files()
    expect([...files.keys()]).toEqual(expect.arrayContaining(['canaries.json', 'manifest.tsv']))
    expect(files.size).toBeGreaterThan(3)
    const texts = await Promise.all([...files.values()].map((file) => file.text()))
    expect(texts.filter((text) => text.includes(key) || text.includes('city.example'))).toEqual([])
    const { canaries } = JSON.parse(await files.get('canaries.json')!.text()) as { canaries: { dataset: string }[] }
    expect(new Set(canaries.map(({ dataset }) => dataset))).toEqual(new Set(['usgs_wbd_huc12', 'nlr_nsrdb_tmy']))
  })
})

test.each([
  ['with a word and without --live', ['doctor', 'usgs_wbd_huc12'], '--live'],
  ['with --record and without --live', ['doctor', '--record', 'folder'], '--record'],
  ['with a dataset that is not there', ['doctor', '--live', 'usgs_wdb'], 'usgs_wdb'],
])('doctor %s prints the usage and ends with 64', async (_name, words, said) => {
  const { code, err } = await startFieldstone(words, {}, folder).end()
  expect([code, err]).toEqual([64, expect.stringContaining(said)])
})
