import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { ReadSpec } from '../../src/catalog/records.ts'
import { readInputsOf } from '../../src/catalog/read-spec.ts'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { openOnlineService, testKeys, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { networkFields } from './network-fields.ts'
import { words } from '../support/words.ts'

setDefaultTimeout(120_000)

let service: OnlineService
beforeEach(() => {
  service = openOnlineService()
})
afterEach(() => service.close())

/** Fields that the embedded data answers without a network, less exactly, those of another state, and the constant. */
const answeredAllTheSame = words`
  air_district_name cbsa_code coast_distance_m easement_purpose fire_hazard_responsibility_area
  fire_hazard_severity_zone_class open_ocean_distance_m
`

test('when every host is down, every network field fails retryably, and a service started later answers again', async () => {
  service.upstreams.fault({}, { status: 503 })
  const { fields, partial_failures } = await everything(service)
  const down = [...networkFields(service.app)].filter((name) => isRequested(name))
  expect(down.length).toBeGreaterThan(280)
  expect(down.filter((name) => fields[name]!.status !== 'failed').toSorted()).toEqual(answeredAllTheSame)
  const failed = down.filter((name) => fields[name]!.status === 'failed')
  expect(
    failed
      .filter((name) => !respond(fields[name]!, ['upstream_5xx', 'source_suspended', 'fetch_busy'], true))
      .map((name) => `${name}: ${JSON.stringify(fields[name])}`),
  ).toEqual([])
  expect(failed.filter((name) => fields[name]!.value !== null || 'cache' in fields[name]!)).toEqual([])
  expect(failed.filter((name) => !partial_failures.has(name))).toEqual([])
  expect(service.logged.filter((line) => line.includes('field_error'))).toEqual([])

  service.upstreams.heal()
  const later = openTestService({
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: service.upstreams.url,
    FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter',
    ...testKeys,
  })
  const after = await everything(later)
  await later.close()
  expect(down.filter((name) => after.fields[name]!.status === 'failed')).toEqual([])
})

test('an ArcGIS error inside a 200 response is a permanent error, not an absence', async () => {
  const hosts = new Set(
    [...service.app.catalog.datasets.values()].flatMap(({ serve }) =>
      serve.flatMap((way) =>
        way.driver === 'arcgis' || way.driver === 'imageserver' ? [new URL(way.endpoint).host] : [],
      ),
    ),
  )
  for (const host of hosts)
    service.upstreams.fault({ host, path: /\/(query|identify|getSamples|exportImage|compute\w+)\/?$/i }, 'arcgis_400')
  const { fields, partial_failures } = await everything(service)
  const own = [...networkFields(service.app)].filter(
    (name) => isRequested(name) && asksOnlyArcgis(service.app.catalog.fields.get(name)!.read),
  )
  expect(own.length).toBeGreaterThan(150)
  expect(
    own
      .filter((name) => !respond(fields[name]!, ['upstream_rejected'], false))
      .map((name) => `${name}: ${JSON.stringify(fields[name])}`),
  ).toEqual([])
  expect(own.filter((name) => !partial_failures.has(name))).toEqual([])
})

async function everything(
  from: TestService,
): Promise<{ fields: Record<string, FieldResult>; partial_failures: Set<string> }> {
  const names = [...from.app.catalog.fields.keys()]
  const fields: Record<string, FieldResult> = {}
  const partial_failures = new Set<string>()
  for (let first = 0; first < names.length; first += 50) {
    const answer = (await (
      await from.post('/v1/fetch', { ...testPlaces.boulder, fields: names.slice(first, first + 50) })
    ).json()) as FetchAnswer
    Object.assign(fields, answer.fields)
    for (const { field } of answer.partial_failures) partial_failures.add(field)
  }
  return { fields, partial_failures }
}

/** Whether a field queries anything at Boulder. The sea is too far away for some. */
function isRequested(name: string): boolean {
  return name !== 'sea_level_rise_inundation_ft'
}

/** Whether every source of a field and of its inputs is an ArcGIS service. */
function asksOnlyArcgis(read: ReadSpec): boolean {
  if ('expression' in read && read.expression === 'null') return false
  const { options } = service.app.registry.dataset(read.dataset)
  const inputs = readInputsOf(read).flatMap((it) =>
    typeof it === 'string' ? (service.app.catalog.fields.get(it)?.read ?? []) : it,
  )
  return (
    options.length > 0 &&
    [...inputs, ...(read.fallback ?? [])].every(asksOnlyArcgis) &&
    options.every(({ driver }) => driver === 'arcgis' || driver === 'imageserver')
  )
}

function respond(result: FieldResult, codes: string[], retryable: boolean): boolean {
  return (
    result.status === 'failed' &&
    result.retryable === retryable &&
    codes.includes(result.error.slice(0, result.error.indexOf(':')))
  )
}
