import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { createProcessGroup } from './process-group.ts'

const { root, start } = createProcessGroup()
const upstreams = openUpstreams()
afterAll(upstreams.close)
const online = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }

/** Boulder and Denver, with the same street in both. */
const points = [
  ...numbered('Pearl St', 'Boulder', 'CO', '80302', [40.0176, -105.2797]),
  ...numbered('Walnut St', 'Boulder', 'CO', '80302', [40.0163, -105.2785]),
  ...numbered('Pearl St', 'Denver', 'CO', '80203', [39.7392, -104.9903]),
]

function numbered(street: string, city: string, state: string, zip: string, [lat, lng]: [number, number]) {
  return Array.from({ length: 30 }, (_, i) => ({
    number: 1000 + 10 * i,
    street,
    city,
    state,
    zip,
    lat: lat + 0.0002 * i,
    lng: lng + 0.0002 * i,
  }))
}

const lines = [
  ...points.map((it) => `,,"${it.number} ${it.street}, ${it.city}, ${it.state} ${it.zip}",home`),
  ...points
    .slice(0, 20)
    .map((it) => `,,"${it.number} ${it.street.slice(0, 3)}${it.street.slice(4)}, ${it.city}, ${it.state} ${it.zip}",é`),
  '40.0150,-105.2705,,"a, b"',
  '48.85,2.35,,abroad',
  '-105.27,40.01,,swapped',
  ',,"99998 Pearl St, Boulder, CO 80302",no such number',
  ',,"1010 Pearl St, CO",two towns',
  ',,"PO Box 12, Boulder, CO 80302",box',
  ',,Boulder,only a town',
  ',,"10 Downing St, London, UK",foreign',
  ',,,nothing',
  'x,1,,not a number',
  ',,"1777 Broadway, Boulder, CO 80302",not in the pack',
]
const fields = ['county', 'timezone', 'nearest_airport_distance_m', 'h3_cell_res9'].join()

beforeAll(async () => {
  const rows = points.map((it) => `${it.lng},${it.lat},${it.number},${it.street},,${it.city},,${it.state},${it.zip},,`)
  const header = 'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH'
  writeFileSync(join(root, 'points.csv'), `${header}\n${rows.join('\n')}\n`)
  expect((await start(['pack', 'build', 'addresses', 'points.csv', '--data', 'packed']).end()).code).toBe(0)
  // Each line several times, so that there are several blocks.
  const text = Array.from({ length: 20 }, () => lines.join('\n')).join('\n')
  writeFileSync(join(root, 'many.csv'), `lat,lng,address,note\n${text}\n`)
  writeFileSync(join(root, 'few.csv'), `lat,lng,address,note\n${lines.join('\n')}\n`)
})

/** Runs a file in a data folder of its own, with the address pack. */
async function answersOf(input: string, out: string, words: string[], env: Record<string, string> = {}) {
  const data = `data-${out}`
  mkdirSync(join(root, data))
  await Bun.$`cp -a ${join(root, 'packed', 'packs')} ${join(root, data, 'packs')}`.quiet()
  const files = [input, '--data', data, '--out', out, '--fields', fields, '--include', 'geocodes,reasons', '--quiet']
  const { err, code } = await start(['run', ...files, ...words], env).end()
  using db = new Database(join(root, data, 'state.db'))
  const tables = db
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE name LIKE 'geocode_audit_____%'")
    .all()
  const counts = tables.map(
    ({ name }) => db.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${name}`).get()!.count,
  )
  return { text: readFileSync(join(root, out), 'utf8'), code, err, recorded: counts }
}

describe('rows with addresses', () => {
  test('have the same result in worker threads as one by one, and each address is one audit record', async () => {
    const single = await answersOf('few.csv', 'single.csv', ['--workers', '0'])
    expect(await answersOf('few.csv', 'threads.csv', ['--workers', '2'])).toEqual(single)
    expect(single.text).toContain('Boulder County')
    expect(single.text).toContain('address_too_coarse')
    expect(single.recorded).toEqual([lines.length - 5])
  })

  test('in several blocks keep their order', async () => {
    const one = await answersOf('many.csv', 'one.csv', ['--workers', '1'])
    expect(await answersOf('many.csv', 'two.csv', [])).toEqual(one)
    const rows = one.text.split('\r\n').slice(1, -1)
    expect(rows.map((row) => indexColumn.exec(row)?.[1])).toEqual(rows.map((_, i) => String(i)))
    expect(rows.slice(0, lines.length).map(withoutIndex)).toEqual(rows.slice(-lines.length).map(withoutIndex))
  })

  test('are left to the other geocoders if the packs do not know them', async () => {
    const single = await answersOf('few.csv', 'single-online.csv', ['--workers', '0'], online)
    const threads = await answersOf('few.csv', 'threads-online.csv', ['--workers', '2'], online)
    expect(threads).toEqual(single)
    expect(threads.text.split('\r\n').at(-2)).toContain('Boulder County')
  })

  test('as JSON and GeoJSON are the same too', async () => {
    for (const name of ['rows.ndjson', 'rows.geojson']) {
      const single = await answersOf('few.csv', `single-${name}`, ['--workers', '0'], online)
      const threads = await answersOf('few.csv', `threads-${name}`, ['--workers', '1'], online)
      expect(threads).toEqual(single)
    }
  })

  test('that had no geocoder are answered again in worker threads', async () => {
    const complete = await answersOf('few.csv', 'complete.csv', ['--workers', '1'], online)
    const files = [
      'few.csv',
      '--data',
      'later',
      '--out',
      'again.csv',
      '--fields',
      fields,
      '--include',
      'geocodes,reasons',
      '--workers',
      '1',
    ]
    expect((await start(['run', ...files]).end()).out).toContain('geocoder_not_configured')
    await Bun.$`cp -a ${join(root, 'packed', 'packs', '.')} ${join(root, 'later', 'packs')}`.quiet()
    expect((await start(['run', ...files], online).end()).out).toContain('retried')
    expect(readFileSync(join(root, 'again.csv'), 'utf8')).toBe(complete.text)
  })
})

/** The first column of ours, before the one that says whether the row was answered. */
const indexColumn = /,(\d+),(?=true|false)/

function withoutIndex(row: string): string {
  return row.replace(indexColumn, ',')
}
