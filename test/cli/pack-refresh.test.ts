import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { hasStrace } from '../support/strace.ts'
import type { SimulatedService } from '../upstreams/service.ts'
import { services } from '../upstreams/services.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The day on which the services changed their data; null: they do not say. */
let edited_ms: number | null = null
/** The publishers, with this day instead of their own. */
const editedServices = services.map(({ host, answer }): SimulatedService => ({
  host,
  async answer(request) {
    const reply = await answer(request)
    if (reply?.headers?.['last-modified'] !== undefined && edited_ms !== null)
      return { ...reply, headers: { ...reply.headers, 'last-modified': new Date(edited_ms).toUTCString() } }
    if (typeof reply?.body !== 'string' || !reply.body.includes('"editingInfo"')) return reply
    const body = JSON.parse(reply.body) as Record<string, unknown>
    return { ...reply, body: JSON.stringify({ ...body, editingInfo: edited_ms && { lastEditDate: edited_ms } }) }
  },
}))
const upstreams = openUpstreams({ services: editedServices })
const folder = temporaryFolder()
afterAll(() => upstreams.close())
const online = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }
const ran = (words: string[], { under, data = 'data' }: { under?: string[]; data?: string } = {}) =>
  startFieldstone(['pack', ...words, '--data', data], online, folder, under).end()

const dataset = 'nlr_alt_fuel_stations'
const part = `${dataset}/08013`
const packPath = (data = 'data') => join(folder, data, 'packs', `${part}.gpkg`)
const manifestPath = (data = 'data') => join(folder, data, 'packs', `${part}.json`)
const readManifest = (path = manifestPath()) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>

/** Makes the pack older, as if it had been fetched some days ago. */
function age(days: number, path = manifestPath()): void {
  const fetched_at = new Date(Date.now() - days * 86_400_000).toISOString()
  writeFileSync(path, JSON.stringify({ ...readManifest(path), fetched_at }))
}

/** Changes the content of the pack, as if the publisher had another edition then. */
function changePack(statements: string[]): void {
  const db = new Database(packPath())
  // They call functions of SpatiaLite.
  const triggers = db.query<{ name: string }, []>(`SELECT name FROM sqlite_master WHERE type = 'trigger'`).all()
  for (const { name } of triggers) db.run(`DROP TRIGGER "${name}"`)
  for (const statement of statements) db.run(statement)
  db.close()
}

describe('`pack refresh` of a part that was copied from a service', () => {
  test('keeps what is current, and asks the service only for its last edit', async () => {
    expect((await ran(['fetch', dataset, '--area', '08013', '--verify', '0'])).code).toBe(0)
    const before = upstreams.calls.length
    const { code, out } = await ran(['refresh', '--all'])
    expect([code, out]).toEqual([0, expect.stringContaining(`${part}.gpkg: ${dataset} is current, from 20`)])
    expect(upstreams.calls.slice(before).map(({ path }) => path.endsWith('/query'))).toEqual([false])
  })

  test('says at once which publishers do not answer, without a network', async () => {
    const withoutNetwork = { ...online, FIELDSTONE_MIRROR: `http://127.0.0.1:${freePort()}` }
    const { code, err } = await startFieldstone(['pack', 'refresh', '--all'], withoutNetwork, folder).end()
    expect([code, err]).toEqual([
      1,
      `${part}.gpkg: services.arcgis.com did not answer, so it is not known whether the data has changed. The pack stays as it is.\n`,
    ])
  })

  test('prints with --dry-run what is out of date and why, and changes nothing', async () => {
    const file = readFileSync(packPath())
    age(40)
    expect((await ran(['refresh', dataset, '--dry-run'])).out).toMatch(
      /would fetch nlr_alt_fuel_stations again, because it is from \d{4}-\d\d-\d\d, and its data stays valid for \d+ days?\./,
    )
    age(0.5)
    edited_ms = Date.now()
    expect((await ran(['refresh', dataset, '--dry-run'])).out).toMatch(/because the publisher changed the data on 20/)
    edited_ms = Date.now() - 86_400_000
    expect((await ran(['refresh', dataset, '--dry-run'])).out).toContain('is current')
    expect(readFileSync(packPath()).equals(file)).toBe(true)
  })

  test('fetches it again, and reports the features that were added, removed and changed', async () => {
    const file = readFileSync(packPath())
    const { hash } = readManifest().obtained as { hash: string }
    const key = String(readManifest().key)
    const table = `"${dataset}"`
    const columns = (new Database(packPath(), { readonly: true }).query(`SELECT * FROM ${table} LIMIT 1`).get() ??
      {}) as Record<string, unknown>
    const text = Object.keys(columns).find((name) => name !== key && typeof columns[name] === 'string')!
    changePack([
      `DELETE FROM ${table} WHERE "${key}" = (SELECT MIN("${key}") FROM ${table})`,
      `UPDATE ${table} SET "${text}" = 'an earlier name' WHERE "${key}" = (SELECT MAX("${key}") FROM ${table})`,
      `INSERT INTO ${table} ("${key}", geom) SELECT 999999, geom FROM ${table} LIMIT 1`,
    ])
    age(40)
    const { code, out, err } = await ran(['refresh', dataset])
    expect([code, err.replaceAll(/^.* \d+ % .*$/gm, '').trim()]).toEqual([0, ''])
    expect(out).toContain(`${part}.gpkg: 1 added, 1 removed, 1 changed; 8 features now.`)
    expect(readFileSync(packPath()).equals(file)).toBe(true)
    expect((readManifest().obtained as { hash: string }).hash).toEqual(hash)
    expect((await ran(['verify'])).code).toBe(0)
    // `pack fetch` takes the refreshed part for the same copy.
    expect((await ran(['fetch', dataset, '--area', '08013', '--verify', '0'])).out).toContain('is there already.')
  })

  test('keeps the earlier file if the service fails, or suddenly has nothing', async () => {
    age(40)
    const file = readFileSync(packPath())
    upstreams.fault({ path: /NLR|nlr|alt_fuel|Alternative/i }, 'arcgis_400')
    const failed = await ran(['refresh', dataset])
    upstreams.heal()
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('The pack stays as it is.')])
    expect(readFileSync(packPath()).equals(file)).toBe(true)
  })

  test.skipIf(!hasStrace)(
    'killed at any of its last renames, the earlier or the new pack is there with its manifest',
    async () => {
      changePack([`DELETE FROM "${dataset}" WHERE rowid = 1`])
      age(40)
      const trace = (end: string[]) => ['strace', '-f', '-qq', '-e', 'signal=none', '-e', 'trace=rename', ...end]
      const attempt = async (end: string[]) => {
        rmSync(join(folder, 'killed'), { recursive: true, force: true })
        cpSync(join(folder, 'data'), join(folder, 'killed'), { recursive: true })
        await ran(['refresh', dataset], { data: 'killed', under: trace(end) })
      }
      const log = join(folder, 'renames')
      await attempt(['-o', log])
      const renames = readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes('rename(')).length
      const [earlier, current] = [readFileSync(packPath()), readFileSync(packPath('killed'))]
      const found = new Set<string>()
      for (let nth = renames - 5; nth <= renames; nth++) {
        await attempt(['-o', '/dev/null', '-e', `inject=rename:signal=SIGKILL:when=${nth}`])
        const { out } = await ran(['list', '--json'], { data: 'killed' })
        const bytes = readFileSync(packPath('killed'))
        const state = bytes.equals(earlier) ? 'earlier' : bytes.equals(current) ? 'new' : 'half'
        found.add(state)
        const { fetched_at } = JSON.parse(readFileSync(manifestPath('killed'), 'utf8')) as { fetched_at: string }
        expect([nth, Date.now() - Date.parse(fetched_at) > 86_400_000]).toEqual([nth, state === 'earlier'])
        expect(JSON.parse(out)[0].state).toBe('ok')
      }
      expect([...found].toSorted()).toEqual(['earlier', 'new'])
    },
    120_000,
  )
})

test('`pack refresh` copies a raster again when its files were changed', async () => {
  const data = 'raster'
  const place = ['--at', '40.016,-105.2721', '--radius', '1km', '--verify', '0']
  expect((await ran(['fetch', 'jrc_gsw', ...place], { data })).code).toBe(0)
  const [name] = readdirSync(join(folder, data, 'packs', 'jrc_gsw')).filter((it) => it.endsWith('.tif'))
  const path = join(folder, data, 'packs', 'jrc_gsw', name!)
  const bytes = readFileSync(path)
  age(1, path.replace('.tif', '.json'))
  edited_ms = Date.now() - 2 * 86_400_000
  expect((await ran(['refresh', 'jrc_gsw'], { data })).out).toContain('jrc_gsw is current')
  edited_ms = Date.now() - 3_600_000
  const { code, out } = await ran(['refresh', 'jrc_gsw'], { data })
  edited_ms = null
  expect(out).toMatch(/publisher changed the data on 20.*\n.*\n.*tif: its cells were/)
  expect(code).toBe(0)
  expect(readFileSync(path).equals(bytes)).toBe(true)
  expect((await ran(['verify'], { data })).code).toBe(0)
})

describe('`pack refresh` of a pack of publisher files', () => {
  const zip = 'EPA_Sole_Source_Aquifers.zip'
  const id = 'epa_sole_source_aquifers'

  test('downloads the files again when they are out of date, and reports what changed', async () => {
    const data = 'files'
    expect((await ran(['fetch', id], { data })).code).toBe(0)
    const current = await ran(['refresh', id], { data })
    expect([current.code, current.out]).toEqual([0, expect.stringContaining(`${id} is current`)])
    const download = join(folder, data, 'downloads', zip)
    expect(existsSync(download)).toBe(true)
    const packs = join(folder, data, 'packs')
    const [manifest] = readdirSync(packs).filter((name) => name.endsWith('.json'))
    const path = join(packs, manifest!)
    const old = readFileSync(path, 'utf8').replaceAll(/"modified": "[^"]+"/g, '"modified": "2020-01-01T00:00:00.000Z"')
    writeFileSync(path, old)
    utimesSync(download, new Date(0), new Date(0))
    const { code, out } = await ran(['refresh', id], { data })
    expect([code, out]).toEqual([0, expect.stringMatching(/gpkg: no change in \d+ features?\./)])
    expect(readFileSync(path, 'utf8')).not.toContain('2020-01-01')
  })

  test('leaves a pack alone that was built from another file', async () => {
    writeFileSync(
      join(folder, 'own.geojson'),
      JSON.stringify({
        type: 'Feature',
        properties: { SSA_NAME: 'own' },
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [-105, 40],
              [-105, 40.1],
              [-104.9, 40.1],
              [-105, 40],
            ],
          ],
        },
      }),
    )
    const data = 'own'
    const built = await ran(['build', id, 'own.geojson', '--rename', 'SSA_NAME=SSA_NAME'], { data })
    expect([built.code, built.err]).toEqual([0, expect.anything()])
    const { code, out } = await ran(['refresh', '--all'], { data })
    expect([code, out]).toEqual([0, expect.stringContaining('was built from a file, so it cannot be fetched again.')])
  })
})

test('`pack refresh` needs datasets or --all, and a network', async () => {
  const offline = (words: string[]) => startFieldstone(['pack', ...words], {}, folder).end()
  expect(await offline(['refresh'])).toMatchObject({ code: 64, err: expect.stringContaining('Name the datasets') })
  expect((await offline(['refresh', '--all'])).err).toContain('FIELDSTONE_OFFLINE=1')
  expect((await offline(['refresh', 'epa_tri'])).err).toContain('There is no pack epa_tri in ')
})
