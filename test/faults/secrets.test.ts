import { afterEach, expect, test } from 'bun:test'
import { services } from '../upstreams/services.ts'
import type { FaultKind } from '../upstreams/faults.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { jsonAnswer } from '../upstreams/service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { fetchFromOption } from './single-option-service.ts'
import { words } from '../support/words.ts'

const plantedKeys = {
  CENSUS_API_KEY: 'planted-4f1c',
  NLR_API_KEY: 'planted-9e2a',
  AIRNOW_API_KEY: 'planted-77bd',
  REGRID_API_TOKEN: 'planted-c03e',
}
const hosts = ['api.census.gov', 'developer.nlr.gov', 'www.airnowapi.org', 'app.regrid.com']
const fieldsWithKeys = words`
  tract_population_acs5 county_median_household_income_usd dni_annual_kwh_m2_day pv_specific_yield_kwh_per_kw
  nearest_ev_charger_distance_m air_quality_index_current parcel_zoning
`

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

const faults: FaultKind[] = [
  'reset',
  'close_early',
  'truncated',
  'html_200',
  'empty_200',
  'bad_json',
  'wrong_type',
  'arcgis_400',
  'arcgis_499',
  'arcgis_500',
  'redirect_same',
  'redirect_other',
  'redirect_private',
  'redirect_loop',
  'bomb',
  'endless',
  'hang',
  'drip',
  ...([400, 401, 403, 404, 429, 500, 503] as const).map((status) => ({ status })),
]

test('keys are sent only to their publishers', async () => {
  const service = openService()
  await fetchFromOption(service, fieldsWithKeys)
  for (const [i, key] of Object.values(plantedKeys).entries()) {
    expect(
      service.upstreams.calls.filter(({ query }) => [...query.values()].includes(key)).map(({ host }) => host),
    ).toContain(hosts[i]!)
    expect(
      service.upstreams.calls.filter(({ host, query }) => host !== hosts[i] && [...query.values()].includes(key)),
    ).toEqual([])
  }
})

test.each(faults)('with %p no key is in a response, in the log, or in the metadata of the sources', async (fault) => {
  const service = openService()
  for (const host of hosts) service.upstreams.fault({ host }, fault)
  const gone = new AbortController()
  const isEndless = fault === 'hang' || fault === 'drip'
  const response = service.send('/v1/fetch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lat: 40.015, lng: -105.2705, fields: fieldsWithKeys }),
    signal: gone.signal,
  })
  if (isEndless) {
    while (hosts.some((host) => service.upstreams.callsTo(host) === 0))
      await new Promise((resolve) => setImmediate(resolve))
    gone.abort()
  }
  expect(await allOutput(service, await (await response).text())).not.toMatch(/planted-/)
})

test('a key that the publisher repeats in its response is removed', async () => {
  const echo = services.map((service) =>
    hosts.includes(service.host)
      ? {
          ...service,
          answer: ({ query }: { query: URLSearchParams }) =>
            jsonAnswer({ error: { code: 'API_KEY_INVALID', message: `The key in ${query.toString()} is not known.` } }),
        }
      : service,
  )
  const upstreams = openUpstreams({ services: echo })
  const service = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, ...plantedKeys })
  opened.push(service, upstreams)
  const answer = await (await service.post('/v1/fetch', { lat: 40.015, lng: -105.2705, fields: fieldsWithKeys })).text()
  expect(answer).toContain('API_KEY_INVALID')
  expect(await allOutput(service, answer)).not.toMatch(/planted-/)
})

function openService(): OnlineService {
  const service = openOnlineService(plantedKeys)
  opened.push(service)
  return service
}

async function allOutput({ send, logged }: TestService, answer: string): Promise<string> {
  const metadata = await Promise.all(
    ['/v1/meta/sources', '/readyz', '/v1/meta/limits', '/v1/meta/fields'].map(async (path) =>
      (await send(path)).text(),
    ),
  )
  return [answer, ...logged, ...metadata].join('\n')
}
