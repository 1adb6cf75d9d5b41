import { Database } from 'bun:sqlite'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'bun:test'
import { parseString } from '@fast-csv/parse'
import { randomOf } from '../../scripts/bench/random.ts'
import { hedgeShare } from '../../src/net/hedge.ts'
import { RunAttempts } from '../../src/store/runs/run-attempts.ts'
import { startFieldstone } from '../cli/fieldstone.ts'
import { services } from '../upstreams/services.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { censusOf, realAddresses } from './real-addresses.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const seed = 20_261_121
const kills = 5
const shortestLife_ms = 150
const longestLife_ms = 900
const fields = ['county', 'timezone', 'fema_flood_zone']

const addresses = realAddresses(1000)
const upstreams = openUpstreams({ services: [censusOf(addresses), ...services] })
const folder = temporaryFolder()
const data = join(folder, 'data')
const env = {
  FIELDSTONE_OFFLINE: '0',
  FIELDSTONE_MIRROR: upstreams.url,
  FIELDSTONE_AUTH: 'off',
  FIELDSTONE_LOG: 'error',
}
afterAll(() => upstreams.close())

const csv = `site;street;city;state;zip\r\n${addresses.map(({ street, city, state, zip }, i) => `${String(i).padStart(5, '0')};${street};${city};${state};${zip}`).join('\r\n')}\r\n`
const numberOf = new Map(addresses.map(({ lat, lng }, i) => [placeOf(lng, lat), i]))

function placeOf(lng: number, lat: number): string {
  return `${lng.toFixed(5)},${lat.toFixed(5)}`
}

/** The addresses that FEMA was queried for, in order. */
function request(): number[] {
  return upstreams.calls
    .filter(({ host }) => host === 'hazards.fema.gov')
    .map(({ query }) => {
      const [lng, lat] = query.get('geometry')!.split(',').map(Number)
      return numberOf.get(placeOf(lng!, lat!))!
    })
}

/** The locations with an entry, and the number of started locations without one. */
function stored(): { written: Set<number>; begun: number } {
  using db = new Database(join(data, 'state.db'))
  const written = new Set(
    db
      .query<{ idx: number }, []>('SELECT idx FROM run_results')
      .all()
      .map(({ idx }) => idx),
  )
  const tried = db.query<{ attempts: string }, []>('SELECT attempts FROM runs').all()
  const indexes = tried.flatMap(({ attempts }) => RunAttempts.parse(attempts).indexes)
  return { written, begun: indexes.filter((idx) => !written.has(idx)).length }
}

async function started() {
  // Cached answers would hide repeated calls.
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(data, `cache.db${suffix}`), { force: true })
  const it = startFieldstone(['serve', '--data', data], env, folder)
  const [, address = ''] = await it.waitForOutput(/answers at (http:\S+)/)
  return { it, address }
}

/** Submits a run, is killed repeatedly at random moments, and continues to the end. */
async function survived() {
  const random = randomOf(seed)
  upstreams.delay(5)
  let { it, address } = await started()
  const response = await fetch(`${address}/v1/runs?fields=${fields.join()}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  })
  expect(response.status).toBe(202)
  const { run_id } = (await response.json()) as { run_id: string }
  const written: number[] = []
  let [requestsAfterward, begun] = [0, 0]
  let before = { written: new Set<number>(), calls: 0 }
  const look = () => {
    const now = stored()
    requestsAfterward += request()
      .slice(before.calls)
      .filter((place) => before.written.has(place)).length
    before = { written: now.written, calls: request().length }
    return now
  }
  for (let i = 0; i < kills; i++) {
    await Bun.sleep(shortestLife_ms + random() * (longestLife_ms - shortestLife_ms))
    it.signal('SIGKILL')
    await it.end()
    const now = look()
    written.push(now.written.size)
    begun += now.begun
    ;({ it, address } = await started())
  }
  const events = await (await fetch(`${address}/v1/runs/${run_id}/events`)).text()
  const files = await Promise.all(
    ['csv', 'geojson'].map(async (name) => (await fetch(`${address}/v1/runs/${run_id}/artifacts/${name}`)).text()),
  )
  it.signal('SIGTERM')
  await it.end()
  look()
  return {
    final: JSON.parse(/^event: final\nid: \d+\ndata: (.*)$/m.exec(events)![1]!) as {
      status: string
      progress: unknown
      result: { results: { index: number }[] }
    },
    csv: files[0]!,
    geojson: files[1]!,
    requestsAfterward,
    begun,
    written,
  }
}

function cellsOf(text: string): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    const rows: string[][] = []
    parseString<string[], string[]>(text, { headers: false })
      .on('error', reject)
      .on('data', (row: string[]) => rows.push(row))
      .on('end', () => resolve(rows))
  })
}

/** The output of ogrinfo for a file; null if it is not installed. */
function ogrinfo(name: string, text: string): { code: number; said: string } | null {
  if (!Bun.which('ogrinfo')) return null
  const path = join(folder, name)
  writeFileSync(path, text)
  const { exitCode, stdout, stderr } = Bun.spawnSync(['ogrinfo', '-ro', '-al', '-so', path])
  return { code: exitCode, said: `${stdout.toString()}${stderr.toString()}` }
}

const { final, csv: rows, geojson, requestsAfterward, begun, written } = await survived()

describe('a run of a thousand real addresses, killed five times', () => {
  test('has every row exactly once, in order, with its input columns', async () => {
    expect(final).toMatchObject({ status: 'done', progress: { total: 1000, done: 1000 } })
    expect(final.result.results.map(({ index }) => index)).toEqual(addresses.map((_, i) => i))
    const [header, ...lines] = await cellsOf(rows)
    const inputColumns = ['site', 'street', 'city', 'state', 'zip']
    const identityColumns = ['index', 'ok', 'lat', 'lng', 'source', 'error']
    expect(header).toEqual([...identityColumns, ...fields, 'failed_fields', ...inputColumns])
    const firstInput = header!.indexOf('site')
    expect(lines.map((cells) => [cells[0], ...cells.slice(firstInput, firstInput + 5)])).toEqual(
      addresses.map(({ street, city, state, zip }, i) =>
        [i, String(i).padStart(5, '0'), street, city, state, zip].map(String),
      ),
    )
    const found = lines.filter((cells) => cells[1] === 'true')
    expect(found.length).toBeGreaterThan(950)
    expect(
      found.filter((cells) => numberOf.get(placeOf(Number(cells[3]), Number(cells[2]))) !== Number(cells[0])),
    ).toEqual([])
  })

  test('was killed in the middle, and answers no location again whose result was written', () => {
    expect(written.filter((done) => done < 1000).length).toBeGreaterThanOrEqual(3)
    expect(requestsAfterward).toBe(0)
    const calls = request()
    const distinct = new Set(calls).size
    // Locations in progress at a kill may have been queried in vain, and slow calls may have been hedged.
    expect(calls.length - distinct).toBeLessThanOrEqual(begun + Math.ceil(distinct * hedgeShare))
    expect(upstreams.unknown).toEqual([])
  })

  test.skipIf(!Bun.which('ogrinfo'))('has a CSV and a GeoJSON that ogrinfo reads without warnings', () => {
    for (const it of [ogrinfo('run.csv', rows), ogrinfo('run.geojson', geojson)]) {
      expect(it!.code).toBe(0)
      expect(it!.said).toContain('Feature Count: 1000')
      expect(it!.said).not.toMatch(/^(ERROR|Warning) \d/m)
    }
  })
})
