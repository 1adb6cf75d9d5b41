import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import type { DatasetInfo, DriverDeps } from '../../src/drivers/driver.ts'
import { parseInThisThread } from '../../src/drivers/table/parse-download.ts'
import { parseRowsByKey, requireSmallKey, type TableFormat } from '../../src/drivers/table/table-rows.ts'
import { tableDriver } from '../../src/drivers/table/table.ts'
import type { UpstreamError } from '../../src/model/error.ts'
import type { Budget, Properties } from '../../src/model/source.ts'
import { openHttpClient, type HttpClient } from '../../src/net/http-client.ts'
import { textAnswer } from '../upstreams/service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { peopleOf } from '../upstreams/tables/census-files.ts'
import { driverErrorCode } from './publisher.ts'

const upstreams = openUpstreams()
const budget: Budget = { signal: new AbortController().signal }
let folder: string
let net: HttpClient
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tables-'))
  net = openNet(upstreams.url)
})
afterEach(() => {
  upstreams.heal()
  upstreams.calls.length = 0
  net.close()
  rmSync(folder, { recursive: true, force: true })
})
afterAll(() => upstreams.close())

function openNet(mirror: string): HttpClient {
  return openHttpClient({
    mirror,
    userAgent: 'fieldstone-test',
    catalogHosts: new Set(),
    now: () => new Date(),
    random: () => 0,
    wait: async () => {},
  })
}

/** Opens the table of a catalog dataset, with its hourly job. */
function opened(id: string, { isOnline = true, now = () => new Date() } = {}) {
  const jobs: (() => void | Promise<void>)[] = []
  const { serve, ttl_seconds } = contents.datasets[id]!
  const { driver: _driver, ...settings } = serve.find(({ driver }) => driver === 'table')!
  const deps = {
    net: isOnline ? net : null,
    folder,
    now,
    parse: parseInThisThread,
    runHourly: (_name: string, work: () => Promise<void>) => jobs.push(work),
  } as unknown as DriverDeps
  const it = tableDriver.open(settings as never, 'document', deps, { id, key: null, ttl_seconds } satisfies DatasetInfo)
  const ask = it?.source as unknown as ((query: { key?: string }, budget: Budget) => Promise<Properties[]>) | undefined
  return { it, jobs, rows: (key: string) => ask!({ key }, budget) }
}

describe('a whole table', () => {
  test('is downloaded once, saved in the data folder, and read by key', async () => {
    const { rows, it } = opened('census_pep_county')
    const together = await Promise.all([rows('08013'), rows('35013'), rows('99999')])
    expect(together[0]).toMatchObject([
      {
        STATE: '08',
        COUNTY: '013',
        SUMLEV: '050',
        POPESTIMATE2025: String(peopleOf({ state: '08', county: '013' }, 2025)),
      },
    ])
    expect(together[1][0]!.CTYNAME).toBe('Doña Ana County')
    expect(together[2]).toEqual([])
    expect(upstreams.calls).toHaveLength(1)
    expect(readdirSync(join(folder, 'tables'))).toEqual(['census_pep_county.csv'])
    expect(it!.remote).toEqual({ host: 'www2.census.gov', cachesItself: true })
  })

  test('is saved beside the part that another process writes', async () => {
    mkdirSync(join(folder, 'tables'))
    const part = join(folder, 'tables', 'census_pep_county.csv.part')
    writeFileSync(part, 'a part')
    await opened('census_pep_county').rows('08013')
    expect(readFileSync(part, 'utf8')).toBe('a part')
  })

  test('is available after a restart, even without a network', async () => {
    await opened('census_pep_county').rows('08013')
    const { rows } = opened('census_pep_county', { isOnline: false })
    expect(await rows('08013')).toHaveLength(1)
    expect(upstreams.calls).toHaveLength(1)
  })

  test('does not open if it is neither on disk nor downloadable', () => {
    expect(opened('census_pep_county', { isOnline: false }).it).toBeNull()
  })

  test('is renewed when it expires, and the old one is served if that fails', async () => {
    const { rows, jobs } = opened('census_pep_county')
    await rows('08013')
    await jobs[0]!()
    expect(upstreams.calls).toHaveLength(1)
    const long_ago = new Date(Date.now() - 31 * 86_400_000)
    utimesSync(join(folder, 'tables', 'census_pep_county.csv'), long_ago, long_ago)
    upstreams.fault({}, { status: 503 })
    expect(await driverErrorCode(Promise.resolve(jobs[0]!()))).toBe('upstream_5xx')
    expect(await rows('08013')).toHaveLength(1)
    upstreams.heal()
    await jobs[0]!()
    expect(await rows('08013')).toHaveLength(1)
  })

  test('is read again when another process has renewed it', async () => {
    const [first, second] = [opened('census_pep_county'), opened('census_pep_county')]
    for (const { rows } of [first, second]) await rows('08013')
    const file = join(folder, 'tables', 'census_pep_county.csv')
    const long_ago = new Date(Date.now() - 31 * 86_400_000)
    utimesSync(file, long_ago, long_ago)
    await first.jobs[0]!()
    writeFileSync(file, readFileSync(file, 'utf8').replace('Boulder County', 'Bolder County'))
    await second.jobs[0]!()
    expect(upstreams.calls).toHaveLength(2)
    expect((await second.rows('08013'))[0]!.CTYNAME).toBe('Bolder County')
  })

  test('answers although it cannot be saved, and the hourly job reports this', async () => {
    writeFileSync(join(folder, 'tables'), 'no folder')
    const { rows, jobs } = opened('census_pep_county')
    expect([(await rows('08013')).length, (await rows('35013')).length]).toEqual([1, 1])
    expect(upstreams.calls).toHaveLength(1)
    expect(await Promise.resolve(jobs[0]!()).catch((error: Error) => error.message)).toContain('cannot be written to')
    expect(await rows('08013')).toHaveLength(1)
  })

  test('of two years, of which only the older was saved, is downloaded completely in the next hour', async () => {
    mkdirSync(join(folder, 'tables', `census_bps_county.txt.${process.pid}.part`), { recursive: true })
    const { rows, jobs } = opened('census_bps_county')
    expect(await rows('08013')).toHaveLength(1)
    expect(readdirSync(join(folder, 'tables')).filter((name) => name === 'census_bps_county.txt')).toEqual([])
    rmSync(join(folder, 'tables'), { recursive: true })
    await jobs[0]!()
    expect(readdirSync(join(folder, 'tables')).toSorted()).toEqual(['census_bps_county-1.txt', 'census_bps_county.txt'])
  })

  test('of two years has the columns of both years', async () => {
    const [row] = await opened('census_bps_county').rows('08013')
    expect(row).toMatchObject({
      name: 'Boulder County',
      units_1: expect.stringMatching(/^\d+$/),
      units_1_prior: expect.stringMatching(/^\d+$/),
    })
    expect(readdirSync(join(folder, 'tables')).toSorted()).toEqual(['census_bps_county-1.txt', 'census_bps_county.txt'])
  })

  test('in a workbook sheet is read below its preamble', async () => {
    expect((await opened('fhfa_hpi_county').rows('08013')).map(({ County, Year }) => [County, Year]).at(-1)).toEqual([
      'Boulder County',
      expect.stringMatching(/^20\d\d$/),
    ])
    expect(await opened('usda_ers_rucc').rows('08013')).toMatchObject([{ RUCC_2023: expect.stringMatching(/^[1-9]$/) }])
  })

  test('by names ignores case, accents, punctuation and the short form of Saint', async () => {
    const { rows } = opened('epa_radon_zones')
    expect(await rows('Colorado|Boulder County')).toMatchObject([{ Zone: '1' }])
    expect(await rows('COLORADO|BOULDER COUNTY')).toHaveLength(1)
    expect(await rows('Missouri|Saint Louis County')).toMatchObject([{ Zone: '2' }])
    expect(await rows('Texas|Boulder County')).toEqual([])
  })

  test('whose keys have another form fails: a key that it always has is missing', async () => {
    mkdirSync(join(folder, 'tables'))
    const rows = [{ STATE: 'CO', 'COUNTY LABEL': 'Boulder County', Zone: '1' }]
    writeFileSync(join(folder, 'tables', 'epa_radon_zones.json'), JSON.stringify({ data: rows }))
    const table = opened('epa_radon_zones', { isOnline: false })
    expect(await driverErrorCode(table.rows('Colorado|Boulder County'))).toBe('schema_changed')
  })

  test('that has a row for every key fails without it', async () => {
    expect(await driverErrorCode(opened('landfire_evt_classes').rows('99999'))).toBe('schema_changed')
  })
})

describe('a table with one file per key', () => {
  test('is requested for the newest published quarter, and may be cached', async () => {
    const { rows, it } = opened('bls_qcew_county')
    expect(await rows('08013')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ own_code: '0', industry_code: '10', month3_emplvl: expect.stringMatching(/^\d+$/) }),
      ]),
    )
    expect(upstreams.calls.length).toBeLessThanOrEqual(4)
    expect(it!.remote).toEqual({ host: 'data.bls.gov' })
  })

  test('steps back from a quarter that has only its header, as BLS serves an unpublished one', async () => {
    const [header, row] = ['"area_fips","own_code","month3_emplvl"', '"08013","0",193000']
    const paths: string[] = []
    const server = openUpstreams({
      services: [
        {
          host: 'data.bls.gov',
          answer: ({ path }) =>
            textAnswer(paths.push(path) === 1 ? `${header}\r\n` : `${header}\r\n${row}\r\n`, 'text/csv'),
        },
      ],
    })
    net.close()
    net = openNet(server.url)
    const { rows } = opened('bls_qcew_county', { now: () => new Date('2026-09-10') })
    expect(await rows('08013')).toMatchObject([{ month3_emplvl: '193000' }])
    expect(paths).toEqual(['/cew/data/api/2026/1/area/08013.csv', '/cew/data/api/2025/4/area/08013.csv'])
    server.close()
  })

  test('that is missing in every quarter fails: a county that is published has one', async () => {
    expect(await driverErrorCode(opened('bls_qcew_county').rows('99999'))).toBe('upstream_rejected')
    expect(upstreams.calls).toHaveLength(4)
  })
})

describe('an invalid table fails and is not saved:', () => {
  test.each([
    ['a server error', { status: 503 } as const, 'upstream_5xx'],
    ['a page instead of the table', 'html_200' as const, 'bad_response'],
    ['nothing', 'empty_200' as const, 'bad_response'],
    ['a truncated file', 'truncated' as const, 'connection_failed'],
    ['a missing file', { status: 404 } as const, 'upstream_rejected'],
  ])('%s', async (_name, fault, code) => {
    upstreams.fault({}, fault)
    const { rows } = opened('census_pep_county')
    expect(await driverErrorCode(rows('08013'))).toBe(code)
    upstreams.heal()
    net.close()
    net = openNet(upstreams.url)
    expect(await opened('census_pep_county').rows('08013')).toHaveLength(1)
  })

  test.each([
    ['census_pep_county', 'csv', 'a,b\r\n1,2\r\n', 'schema_changed'],
    ['fhfa_hpi_county', 'xlsx', 'no workbook', 'bad_response'],
    ['census_pep_county', 'csv', 'STATE,COUNTY\r\nColorado,Boulder\r\n', 'bad_response'],
    ['epa_radon_zones', 'json', '{"data": 7}', 'bad_response'],
    ['epa_radon_zones', 'json', '{"data": [', 'bad_response'],
  ])('an invalid file on disk, until it is downloaded again (%s, %s)', async (id, ending, text, code) => {
    await Bun.write(join(folder, 'tables', `${id}.${ending}`), '')
    writeFileSync(join(folder, 'tables', `${id}.${ending}`), text)
    expect(await driverErrorCode(opened(id, { isOnline: false }).rows('08013'))).toBe(code)
    expect(
      await driverErrorCode(opened(id).rows(id === 'epa_radon_zones' ? 'Colorado|Boulder County' : '08013')),
    ).toEqual({ gave: expect.arrayContaining([expect.any(Object)]) })
  })
})

describe('the rows of a key', () => {
  test('may be 50,000, and have 8 MB of names and values together, nested ones too', () => {
    const [half, whole] = ['x'.repeat(4 * 2 ** 20), 'x'.repeat(8 * 2 ** 20)]
    const codeOf = (...rows: Properties[]) => {
      try {
        return requireSmallKey('08013', rows)
      } catch (error) {
        return (error as UpstreamError).code
      }
    }
    expect(codeOf({ a: 'bcd', ef: null })).toBe(1 + 3 + 6 + 2 + 4 + 6)
    expect(codeOf({ a: { b: 1 } } as unknown as Properties)).toBe(1 + 7 + 6)
    expect(codeOf({ a: half })).toEqual(half.length + 7)
    expect(codeOf({ a: half }, { a: half })).toBe('too_large')
    expect(codeOf({ [whole]: 1 })).toBe('too_large')
    const rows = Array.from({ length: 50_000 }, () => ({ a: 1 }))
    expect(codeOf(...rows)).toBe(8 * 50_000)
    expect(codeOf(...rows, { a: 1 })).toBe('too_large')
  })

  test.each<[string, string, TableFormat, string]>([
    ['no rows', 'fips,value\n', {}, 'has no rows'],
    ['no column of codes', 'name,value\na,1\n', {}, 'Its columns: name, value.'],
    ['a key column less', 'fips,value\n08013,1\n', { key_columns: ['county'] }, 'county'],
    ['no code in its column', 'fips,value\nx,1\n', {}, 'has no code in fips'],
  ])('are an error in a table with %s', (_, csv, format, message) => {
    const bytes = new TextEncoder().encode(csv)
    expect(parseRowsByKey(bytes, 'a.csv', format)).rejects.toThrow(message)
  })

  test('a row of blanks is no row, as below the header of the building permits', async () => {
    const bytes = new TextEncoder().encode('fips,n\n \n  ,  \n08031,7\n\n')
    expect(await parseRowsByKey(bytes, 'a.csv', {})).toEqual(new Map([['08031', [{ fips: '08031', n: '7' }]]]))
  })
})
