import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AreaAnswer, AreaFieldResult } from '../../src/areas/area-answer.ts'
import type { FaultKind } from '../upstreams/faults.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { answerForShape, areaFieldNames, areaFieldsBySource, wrongFieldsOf } from './area-sources.ts'
import { asTooLarge, namedFaultRows, type ExpectedResult } from './fault-rows.ts'
import { openSingleOptionService } from './single-option-service.ts'

/** ArcGIS gets polygons as a form. A 302 turns it into a GET without parameters, which it answers with a page. */
const formFields = Object.fromEntries(
  [...areaFieldsBySource.arcgis, 'tract_population_acs5'].map((name): [string, ExpectedResult] => [
    name,
    'bad_response',
  ]),
)
/** Drivers that do not recognize ArcGIS errors in a 200. They see an unexpected document. */
const unexpectedDocument: Record<string, ExpectedResult> = Object.fromEntries(
  [...areaFieldsBySource.cog, 'county_population'].map((name) => [name, 'bad_response']),
)
const exceptionsByFault: Record<string, Record<string, ExpectedResult>> = {
  arcgis_400: unexpectedDocument,
  arcgis_498: unexpectedDocument,
  arcgis_499: unexpectedDocument,
  arcgis_no_code: unexpectedDocument,
  arcgis_500: unexpectedDocument,
  redirect_same: formFields,
}

let faultless: AreaAnswer

beforeAll(async () => {
  const service = openOnlineService()
  faultless = await answerForShape(service)
  await service.close()
})

test('without a fault every kind of source has a value', () => {
  expect(Object.values(faultless.fields).map(({ status }) => status)).toEqual(areaFieldNames.map(() => 'ok'))
})

describe.each(namedFaultRows)('%s of every call', (name, { fault, expected, budget_ms }) => {
  test('has its code at each kind of source, is no smaller share, and leaves no trace', async () => {
    const service = openSingleOptionService(budget_ms === undefined ? {} : { budget_ms })
    service.upstreams.fault({}, fault)
    const faulty = await answerForShape(service)
    const expectedFor = (field: string) => exceptionsByFault[name]?.[field] ?? expected
    const codes = Object.entries(codesOf(faulty.fields))
    expect(Object.fromEntries(codes.map(([field, code]) => [field, asTooLarge(code, expectedFor(field))]))).toEqual(
      Object.fromEntries(areaFieldNames.map((field) => [field, expectedFor(field)])),
    )
    expect(wrongFieldsOf(faulty, faultless)).toEqual([])
    expect(faulty.partial_failures.map(({ field }) => field)).toEqual(
      areaFieldNames.filter((field) => faulty.fields[field]!.status === 'failed'),
    )
    service.upstreams.heal()
    // The short deadline ends work that the second request needs.
    if (budget_ms === undefined)
      expect(codesOf((await answerForShape(service)).fields)).toEqual(codesOf(faultless.fields))
    await service.close()
  })
})

/** Faults of which each has another path through the client. The soak suite `areas` has all faults at each call. */
const laterFaults: FaultKind[] = ['cut_200', 'arcgis_500', { status: 404 }]
/** The most calls to one host. */
const callsMax = 13

describe.each(Array.from({ length: callsMax }, (_, i) => i))(
  'a fault after %d correct answers of each host',
  (skip) => {
    test('fails a field, or changes nothing', async () => {
      const service = openOnlineService()
      service.upstreams.fault({ skip }, laterFaults[skip % laterFaults.length]!)
      expect(wrongFieldsOf(await answerForShape(service), faultless)).toEqual([])
      await service.close()
    })
  },
)

test('there are not more calls to one host than these tests reach', async () => {
  const service = openOnlineService()
  await answerForShape(service)
  const counts = Map.groupBy(service.upstreams.calls, ({ host }) => host).values()
  expect(Math.max(...[...counts].map((calls) => calls.length))).toBeLessThanOrEqual(callsMax + 1)
  await service.close()
})

describe('the parcel of a location', () => {
  let service: OnlineService
  beforeAll(() => {
    service = openOnlineService()
  })
  afterAll(() => service.close())

  const faults = namedFaultRows.filter(([, { expected, budget_ms }]) => expected !== 'ok' && budget_ms === undefined)
  test.each(faults)('%s is an error of the request, and the billed call is not repeated', async (name, { fault }) => {
    const billed = () => service.upstreams.callsTo('app.regrid.com')
    service.upstreams.heal()
    service.upstreams.fault({ host: 'app.regrid.com' }, fault)
    const before = billed()
    const response = await service.post('/v1/areas', { parcel_of: testPlaces.boulder, fields: ['county'] })
    const { detail } = (await response.json()) as { detail: { error: string } }
    expect([response.status >= 500, detail.error]).toEqual([true, 'parcel_unavailable'])
    // The redirects of the host are followed.
    expect(billed() - before).toBeLessThanOrEqual(name === 'redirect_loop' ? 4 : 1)
  })
})

function codesOf(fields: Record<string, AreaFieldResult>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, it]) => [name, it.status === 'failed' ? it.error.split(':')[0]! : it.status]),
  )
}
