import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import type { UpstreamCode } from '../../src/model/error.ts'
import type { FaultKind } from '../upstreams/faults.ts'
import { remoteFieldsByDriver, remoteFieldNames, driverOf } from './remote-fields.ts'
import { fetchFields, openSingleOptionService, type OnlineHouse } from './single-option-service.ts'

/** How a field comes out: `ok`, `absent`, or the code of its failure. */
type Fate = UpstreamCode | 'ok' | 'absent'
type Row = {
  fault: FaultKind
  fate: Fate
  /** What comes out otherwise, by driver or by field, and why. */
  but?: Record<string, Fate>
  /** The time each dataset has. */
  budget_ms?: number
}

const noFile = 'absent' // a tile that is not there, a stream that is nowhere near, a county without a table: the publisher says 404
const posted = {
  stac: 'upstream_rejected',
  sda: 'upstream_rejected',
  overpass: 'upstream_rejected',
  listed_species_count: 'upstream_rejected',
} as const

/** Drivers that know the errors ArcGIS puts into a 200; the others see a document of another kind. */
const strangers = [
  'cog',
  'stac_point',
  'rest_text',
  'sda',
  'geojson_file',
  'wms_feature_info',
  'cropscape',
  'table',
  'overpass',
] as const
const strange = Object.fromEntries(strangers.map((driver) => [driver, 'bad_response'])) as Record<
  (typeof strangers)[number],
  Fate
>

const rows: Row[] = [
  { fault: 'hang', fate: 'timeout', budget_ms: 1000 },
  { fault: 'drip', fate: 'timeout', budget_ms: 1000 },
  { fault: 'reset', fate: 'connection_failed' },
  { fault: 'close_early', fate: 'connection_failed' },
  { fault: 'truncated', fate: 'connection_failed' },
  { fault: 'html_200', fate: 'bad_response' },
  {
    fault: 'empty_200',
    fate: 'bad_response',
    but: { nhdplus_comid: 'absent' /* NLDI says so where there is no stream */ },
  },
  { fault: 'bad_json', fate: 'bad_response' },
  { fault: 'wrong_type', fate: 'bad_response' },
  { fault: 'arcgis_400', fate: 'upstream_rejected', but: strange },
  { fault: 'arcgis_498', fate: 'upstream_rejected', but: strange },
  { fault: 'arcgis_499', fate: 'upstream_rejected', but: strange },
  { fault: 'arcgis_no_code', fate: 'upstream_rejected', but: strange },
  { fault: 'arcgis_500', fate: 'upstream_5xx', but: strange },
  { fault: { status: 400 }, fate: 'upstream_rejected' },
  { fault: { status: 401 }, fate: 'upstream_rejected', but: { air_quality_index_current: 'entitlement_missing' } },
  { fault: { status: 403 }, fate: 'upstream_rejected' },
  {
    fault: { status: 404 },
    fate: 'upstream_rejected',
    but: {
      elevation: noFile,
      nhdplus_comid: noFile,
      county_employment_total: noFile,
      stac_point: 'bad_response' /* its 404 is a document */,
    },
  },
  { fault: { status: 429, retry_after: 0 }, fate: 'rate_limited' },
  { fault: { status: 500 }, fate: 'upstream_5xx' },
  { fault: { status: 502 }, fate: 'upstream_5xx' },
  { fault: { status: 503 }, fate: 'upstream_5xx' },
  { fault: { status: 504 }, fate: 'upstream_5xx' },
  {
    fault: 'redirect_same',
    fate: 'ok',
    but: posted /* a POST that is sent elsewhere by 302 becomes a GET without its question */,
  },
  { fault: 'redirect_other', fate: 'bad_redirect' },
  { fault: 'redirect_private', fate: 'bad_redirect' },
  { fault: 'redirect_loop', fate: 'bad_redirect' },
  { fault: 'bomb', fate: 'too_large' },
  { fault: { bomb: 'zstd' }, fate: 'bad_response' },
  { fault: { encoding: 'gzip' }, fate: 'ok' },
  { fault: { encoding: 'gzip, gzip' }, fate: 'bad_response' },
  { fault: 'endless', fate: 'too_large' },
  { fault: { slow_ms: 200 }, fate: 'ok' },
]

const retryable: ReadonlySet<string> = new Set([
  'timeout',
  'connection_failed',
  'upstream_5xx',
  'bad_response',
  'rate_limited',
])

/** What goes on after who asked has been told: a download of a whole file, the list of the years of a service. It is not begun anew while it hangs. */
const goesOn = new Set([
  ...remoteFieldsByDriver.imageserver,
  ...remoteFieldsByDriver.geojson_file,
  'nearest_tide_station_name',
  ...remoteFieldsByDriver.table.filter((name) => name !== 'county_employment_total'),
] as string[])

let sound: FetchAnswer

beforeAll(async () => {
  const house = openSingleOptionService()
  sound = await fetchFields(house, remoteFieldNames)
  house.close()
})

test('without a fault every field of the matrix is answered through its driver', () => {
  expect(Object.fromEntries(remoteFieldNames.map((name) => [name, sound.fields[name]!.driver]))).toEqual(
    Object.fromEntries(remoteFieldNames.map((name) => [name, driverOf(name)])),
  )
  expect(sound.partial_failures).toEqual([])
})

describe.each(
  rows.map((row): [string, Row] => [
    typeof row.fault === 'string' ? row.fault : Object.entries(row.fault).flat().join(' '),
    row,
  ]),
)('%s', (_name, { fault, fate, but = {}, budget_ms }) => {
  let house: OnlineHouse
  const fateOf = (name: string) => but[name] ?? but[driverOf(name)] ?? fate
  let faulty: Awaited<ReturnType<typeof fetchFields>>
  beforeAll(() => {
    house = openSingleOptionService(budget_ms === undefined ? {} : { budget_ms })
  })
  afterAll(() => house.close())

  test('has its own code at each driver, and is no value and no absence', async () => {
    house.upstreams.fault({}, fault)
    faulty = await fetchFields(house, remoteFieldNames)
    expect(faulty.http).toBe(200)
    expect(fatesIn(faulty)).toEqual(
      Object.fromEntries(
        remoteFieldNames.map((name) => [name, fateOf(name) === 'ok' ? fatesIn(sound)[name]! : fateOf(name)]),
      ),
    )
    const answered = remoteFieldNames.filter((name) => fateOf(name) === 'ok')
    expect(outcomesIn(faulty, answered)).toEqual(outcomesIn(sound, answered))
  })

  test('is told with its flag and its sentence, and listed among the failures', () => {
    const failures = remoteFieldNames.flatMap((name) => {
      const field = faulty.fields[name]!
      if (field.status !== 'failed') return []
      expect([name, field.value, field.driver, field.retryable]).toEqual([
        name,
        null,
        null,
        retryable.has(codeOf(field.error)),
      ])
      expect(field.error).toMatch(/^[a-z_0-9]+: [^]{10,400}$/)
      return [{ field: name, source: field.source, error: field.error, retryable: field.retryable }]
    })
    expect(faulty.partial_failures).toEqual(failures)
  })

  test('leaves nothing behind: when it is over, the same question is answered', async () => {
    house.upstreams.heal()
    const asked = remoteFieldNames.filter(
      (name) => fateOf(name) !== 'absent' && !(budget_ms !== undefined && goesOn.has(name)),
    )
    expect(outcomesIn(await fetchFields(house, asked))).toEqual(outcomesIn(sound, asked))
  })
})

function codeOf(error: string): string {
  return error.slice(0, error.indexOf(':'))
}

function fatesIn({ fields }: FetchAnswer): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.status === 'failed' ? codeOf(field.error) : field.status,
    ]),
  )
}

function outcomesIn({ fields }: FetchAnswer, names = Object.keys(fields)): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, [fields[name]!.status, fields[name]!.value]]))
}
