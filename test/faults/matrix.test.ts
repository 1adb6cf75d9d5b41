import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import type { UpstreamCode } from '../../src/model/error.ts'
import type { FaultKind } from '../upstreams/faults.ts'
import { remoteFieldsByDriver, remoteFieldNames, driverOf } from './remote-fields.ts'
import { fetchFromOption, openSingleOptionService, type OnlineService } from './single-option-service.ts'

/** The expected result of a field: `ok`, `absent` or an error code. */
type ExpectedResult = UpstreamCode | 'ok' | 'absent'
type Row = {
  fault: FaultKind
  expected: ExpectedResult
  /** Different results by driver or field. */
  exceptions?: Record<string, ExpectedResult>
  /** The time limit of each dataset. */
  budget_ms?: number
}

const posted = {
  stac: 'upstream_rejected',
  sda: 'upstream_rejected',
  overpass: 'upstream_rejected',
  listed_species_count: 'upstream_rejected',
  // ArcGIS queries with a quote in their condition; without parameters, ArcGIS answers with a page.
  within_pm25_nonattainment_area: 'bad_response',
  is_nfip_participating: 'bad_response',
} as const

/** Drivers that do not recognize ArcGIS errors in a 200. They see an unexpected document. */
const otherDrivers = ['cog', 'rest_text', 'sda', 'cropscape', 'table'] as const
const unexpectedDocument = Object.fromEntries(otherDrivers.map((driver) => [driver, 'bad_response'])) as Record<
  (typeof otherDrivers)[number],
  ExpectedResult
>

const rows: Row[] = [
  { fault: 'hang', expected: 'timeout', budget_ms: 1000 },
  { fault: 'drip', expected: 'timeout', budget_ms: 1000 },
  { fault: 'reset', expected: 'connection_failed' },
  { fault: 'close_early', expected: 'connection_failed' },
  { fault: 'truncated', expected: 'connection_failed' },
  { fault: 'html_200', expected: 'bad_response' },
  {
    fault: 'empty_200',
    expected: 'bad_response',
  },
  { fault: 'bad_json', expected: 'bad_response' },
  { fault: 'wrong_type', expected: 'bad_response' },
  { fault: 'arcgis_400', expected: 'upstream_rejected', exceptions: unexpectedDocument },
  { fault: 'arcgis_498', expected: 'upstream_rejected', exceptions: unexpectedDocument },
  { fault: 'arcgis_499', expected: 'upstream_rejected', exceptions: unexpectedDocument },
  { fault: 'arcgis_no_code', expected: 'upstream_rejected', exceptions: unexpectedDocument },
  { fault: 'arcgis_500', expected: 'upstream_5xx', exceptions: unexpectedDocument },
  { fault: { status: 400 }, expected: 'upstream_rejected' },
  {
    fault: { status: 401 },
    expected: 'upstream_rejected',
    exceptions: { air_quality_index_current: 'entitlement_missing' },
  },
  { fault: { status: 403 }, expected: 'upstream_rejected' },
  {
    fault: { status: 404 },
    expected: 'upstream_rejected',
  },
  { fault: { status: 429, retry_after: 0 }, expected: 'rate_limited' },
  { fault: { status: 500 }, expected: 'upstream_5xx' },
  { fault: { status: 502 }, expected: 'upstream_5xx' },
  { fault: { status: 503 }, expected: 'upstream_5xx' },
  { fault: { status: 504 }, expected: 'upstream_5xx' },
  {
    fault: 'redirect_same',
    expected: 'ok',
    exceptions: posted /* a 302 turns a POST into a GET without a body */,
  },
  { fault: 'redirect_other', expected: 'bad_redirect' },
  { fault: 'redirect_private', expected: 'bad_redirect' },
  { fault: 'redirect_loop', expected: 'bad_redirect' },
  { fault: 'bomb', expected: 'too_large' },
  { fault: { bomb: 'zstd' }, expected: 'bad_response' },
  { fault: { encoding: 'gzip' }, expected: 'ok' },
  { fault: { encoding: 'gzip, gzip' }, expected: 'bad_response' },
  { fault: 'endless', expected: 'too_large' },
  { fault: { slow_ms: 200 }, expected: 'ok' },
]

const retryable: ReadonlySet<string> = new Set([
  'timeout',
  'connection_failed',
  'upstream_5xx',
  'bad_response',
  'rate_limited',
])

/**
 * Fields whose download continues after the request timed out: a complete file, or the list of years or layers of a
 * service.
 * While it hangs, it is not restarted.
 */
const continuingDownloads = new Set([
  ...remoteFieldsByDriver.imageserver,
  ...remoteFieldsByDriver.geojson_file,
  'nearest_tide_station_name',
  'within_slr_3ft_inundation',
  ...remoteFieldsByDriver.table.filter((name) => name !== 'county_employment_total'),
] as string[])

let faultless: FetchAnswer

beforeAll(async () => {
  const service = openSingleOptionService()
  faultless = await fetchFromOption(service, remoteFieldNames)
  await service.close()
})

test('without a fault every field has a value from its driver', () => {
  expect(Object.fromEntries(remoteFieldNames.map((name) => [name, faultless.fields[name]!.driver]))).toEqual(
    Object.fromEntries(remoteFieldNames.map((name) => [name, driverOf(name)])),
  )
  expect(faultless.partial_failures).toEqual([])
})

describe.each(
  rows.map((row): [string, Row] => [
    typeof row.fault === 'string' ? row.fault : Object.entries(row.fault).flat().join(' '),
    row,
  ]),
)('%s', (_name, { fault, expected, exceptions = {}, budget_ms }) => {
  let service: OnlineService
  const expectedFor = (name: string) => exceptions[name] ?? exceptions[driverOf(name)] ?? expected
  let faulty: Awaited<ReturnType<typeof fetchFromOption>>
  beforeAll(() => {
    service = openSingleOptionService(budget_ms === undefined ? {} : { budget_ms })
  })
  afterAll(() => service.close())

  test('has its code at each driver, and is neither a value nor an absence', async () => {
    service.upstreams.fault({}, fault)
    faulty = await fetchFromOption(service, remoteFieldNames)
    expect(faulty.http).toBe(200)
    expect(resultsIn(faulty)).toEqual(
      Object.fromEntries(
        remoteFieldNames.map((name) => [
          name,
          expectedFor(name) === 'ok' ? resultsIn(faultless)[name]! : expectedFor(name),
        ]),
      ),
    )
    const answered = remoteFieldNames.filter((name) => expectedFor(name) === 'ok')
    expect(outcomesIn(faulty, answered)).toEqual(outcomesIn(faultless, answered))
  })

  test('is reported with `retryable` and a sentence, and listed in partial_failures', () => {
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

  test('leaves no trace: afterwards, the same request succeeds', async () => {
    service.upstreams.heal()
    const names = remoteFieldNames.filter(
      (name) => expectedFor(name) !== 'absent' && !(budget_ms !== undefined && continuingDownloads.has(name)),
    )
    expect(outcomesIn(await fetchFromOption(service, names))).toEqual(outcomesIn(faultless, names))
  })
})

function codeOf(error: string): string {
  return error.slice(0, error.indexOf(':'))
}

function resultsIn({ fields }: FetchAnswer): Record<string, string> {
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
