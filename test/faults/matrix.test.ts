import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { asTooLarge, namedFaultRows, type ExpectedResult } from './fault-rows.ts'
import { remoteFieldsByDriver, remoteFieldNames, driverOf } from './remote-fields.ts'
import { fetchFromOption, openSingleOptionService, type OnlineService } from './single-option-service.ts'

/** Requests that are sent as a form or a statement: a 302 turns their POST into a GET without a body. */
const posted: Record<string, ExpectedResult> = {
  stac: 'upstream_rejected',
  sda: 'upstream_rejected',
  overpass: 'upstream_rejected',
  listed_species_count: 'upstream_rejected',
  // ArcGIS queries with a quote in their condition; without parameters, ArcGIS answers with a page.
  is_nfip_participating: 'bad_response',
}

/** Drivers that do not recognize ArcGIS errors in a 200. They see an unexpected document. */
const otherDrivers = ['cog', 'rest_text', 'sda', 'cropscape', 'table'] as const
const unexpectedDocument = Object.fromEntries(
  otherDrivers.map((driver): [string, ExpectedResult] => [driver, 'bad_response']),
)

/** Different results by driver or field. */
const exceptionsByFault: Record<string, Record<string, ExpectedResult>> = {
  arcgis_400: unexpectedDocument,
  arcgis_498: unexpectedDocument,
  arcgis_499: unexpectedDocument,
  arcgis_no_code: unexpectedDocument,
  arcgis_500: unexpectedDocument,
  'status 401': { air_quality_index_current: 'entitlement_missing' },
  redirect_same: posted,
}

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

/** On a busy machine, the first answers can miss the deadline of the request. */
const attempts = 5

beforeAll(async () => {
  for (let attempt = 0; attempt === 0 || (attempt < attempts && faultless.partial_failures.length > 0); attempt++) {
    const service = openSingleOptionService()
    faultless = await fetchFromOption(service, remoteFieldNames)
    await service.close()
  }
})

test('without a fault every field has a value from its driver', () => {
  expect(Object.fromEntries(remoteFieldNames.map((name) => [name, faultless.fields[name]!.driver]))).toEqual(
    Object.fromEntries(remoteFieldNames.map((name) => [name, driverOf(name)])),
  )
  expect(faultless.partial_failures).toEqual([])
})

describe.each(namedFaultRows)('%s', (faultName, { fault, expected, budget_ms }) => {
  const exceptions = exceptionsByFault[faultName] ?? {}
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
    const results = Object.entries(resultsIn(faulty))
    expect(Object.fromEntries(results.map(([name, it]) => [name, asTooLarge(it, expectedFor(name))]))).toEqual(
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
    const isDownloading = (name: string) =>
      continuingDownloads.has(name) && (budget_ms !== undefined || resultsIn(faulty)[name] === 'timeout')
    const names = remoteFieldNames.filter((name) => expectedFor(name) !== 'absent' && !isDownloading(name))
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
