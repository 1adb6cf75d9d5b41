import { afterAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf } from '../../scripts/bench/random.ts'
import { packArea, writeGoldenPacks } from '../fetch/golden-packs.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { startFilter } from './fieldstone.ts'
import { createProcessGroup, waitForAddress } from './process-group.ts'

const { root, start } = createProcessGroup()
const packs = writeGoldenPacks()
const upstreams = openUpstreams()
afterAll(() => {
  packs.remove()
  upstreams.close()
})

const env = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, FIELDSTONE_PACKS: packs.folder }
const fields = ['--fields', 'county,fema_flood_zone,timezone']
const read = (name: string) => readFileSync(join(root, name), 'utf8')

test('a pack answers the rows that it covers in blocks, and another server answers only the others', async () => {
  const random = randomOf(3)
  const covered = () => 0.01 + 0.88 * random()
  const lines = Array.from({ length: 700 }, (_, i) => {
    // The pack does not cover the places west of it.
    const [lat, lng] = [packArea.south + covered(), packArea.west + covered() - (i % 100 === 7 ? 1 : 0)]
    return `row ${i},${lat.toFixed(5)},${lng.toFixed(5)}`
  })
  writeFileSync(join(root, 'a.csv'), `name,lat,lng\n${lines.join('\n')}\n`)
  const run = (out: string, ...words: string[]) =>
    start(['run', 'a.csv', ...fields, '--data', 'data', '--out', out, ...words], env).end()
  expect((await run('here.csv', '--workers', '0')).code).toBe(0)
  const calls = upstreams.callsTo('hazards.fema.gov')
  expect(calls).toBeGreaterThan(0)
  expect(calls).toBeLessThanOrEqual(7)
  const filter = startFilter(['run', '-', '--format', 'csv', ...fields, '--data', 'data'], root, env)
  await filter.write(read('a.csv'))
  expect((await filter.end()).out.toString()).toBe(read('here.csv'))
  for (const workers of ['1', '2']) {
    expect((await run(`${workers}.csv`, '--workers', workers, '--restart')).code).toBe(0)
    expect(read(`${workers}.csv`)).toBe(read('here.csv'))
  }
  const server = await waitForAddress(start(['serve', '--data', 'there'], { ...env, FIELDSTONE_AUTH: 'off' }))
  expect((await run('server.csv', '--server', server)).code).toBe(0)
  expect(read('here.csv')).toBe(read('server.csv'))
}, 120_000)
