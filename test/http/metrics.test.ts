import { afterEach, describe, expect, test } from 'bun:test'
import { createHttpServer } from '../../src/http/server.ts'
import { miami, openModelService, question } from '../ask/model-service.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { usesPostgres } from '../support/test-state.ts'
import { openOnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { parseExposition, metricValueOf, type MetricLine } from '../telemetry/scrape.ts'
import { detailOf } from '../support/http-service.ts'

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

function kept<T extends { close(): void }>(it: T): T {
  opened.push(it)
  return it
}

async function metricsOf({ send }: TestService): Promise<MetricLine[]> {
  const response = await send('/metrics')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parseExposition(await response.text()).lines
}

describe('access to the metrics', () => {
  const noToken = { headers: { authorization: '' } }

  test('on a loopback address without a public base URL: everybody', async () => {
    expect((await kept(openTestService()).send('/metrics', noToken)).status).toBe(200)
  })

  test.each([
    ['on another address', { FIELDSTONE_HOST: '0.0.0.0', FIELDSTONE_BASE_URL: 'http://localhost:8080' }],
    [
      'behind a proxy of this machine, which the public address tells of',
      { FIELDSTONE_BASE_URL: 'https://fieldstone.example' },
    ],
  ])('%s: tokens with the scope admin', async (_where, env) => {
    const testService = kept(openTestService(env))
    const [none, little, whole] = [
      await testService.send('/metrics', noToken),
      await testService.send('/metrics', {
        headers: { authorization: `Bearer ${await tokenOf(testService, ['fetch', 'runs'])}` },
      }),
      await testService.send('/metrics'),
    ]
    expect([none.status, little.status, whole.status]).toEqual([401, 403, 200])
    expect((await detailOf(little)).required).toEqual(['admin'])
  })

  async function tokenOf({ app }: TestService, scopes: ('fetch' | 'runs')[]): Promise<string> {
    const owner = await app.accounts.authenticate(`Bearer ${await app.accounts.issueOwnerToken('a test')}`)
    return (await app.access.tokens.create(owner, { name: 'little', scopes })).token
  }
})

describe('the metrics count', () => {
  test('requests by method, route and status, with their durations; a route is a pattern and never a path', async () => {
    const testService = kept(openTestService())
    await testService.post('/v1/fetch', { ...testPlaces.kansas, fields: ['county'] })
    await testService.post('/v1/fetch', { ...testPlaces.kansas, fields: ['nothing_such'] })
    await testService.post('/v1/fetch', [])
    await testService.send('/v1/runs/run_1')
    await testService.send('/v1/runs/run_2/events')
    const lines = await metricsOf(testService)
    const requests = (method: string, route: string, status: string) =>
      metricValueOf(lines, 'fieldstone_http_requests_total', { method, route, status })
    expect([
      requests('POST', '/v1/fetch', '200'),
      requests('POST', '/v1/fetch', '400'),
      requests('POST', '/v1/fetch', '422'),
      requests('GET', '/v1/runs/:run_id', '404'),
      requests('GET', '/v1/runs/:run_id/events', '404'),
    ]).toEqual([1, 1, 1, 1, 1])
    expect(
      metricValueOf(lines, 'fieldstone_http_request_duration_seconds_count', { method: 'POST', route: '/v1/fetch' }),
    ).toBe(3)
    expect(
      ['fields_unknown', 'validation_error', 'run_not_found'].map((code) =>
        metricValueOf(lines, 'fieldstone_error_responses_total', { code }),
      ),
    ).toEqual([1, 1, 2])
  })

  test('unknown methods and paths under one label', async () => {
    const testService = kept(openTestService())
    const random = (i: number) => Bun.hash(String(i)).toString(36)
    const before = await metricsOf(testService)
    for (let i = 0; i < 300; i++) {
      await testService.send(`/${random(i)}/${random(i + 1)}`, { method: ['GET', 'POST', 'PROPFIND', 'MKCOL'][i % 4]! })
      await testService.send(`/v1/runs/${random(i)}`, { headers: { authorization: `Bearer ${random(i)}` } })
      await testService.post('/v1/fetch', { ...testPlaces.kansas, fields: [random(i)], preset: random(i) })
    }
    const after = await metricsOf(testService)
    const routes = new Set(after.flatMap(({ labels }) => labels.route ?? []))
    expect([...routes].toSorted()).toEqual(['/metrics', '/v1/fetch', '/v1/runs/:run_id', 'other'])
    expect(new Set(after.flatMap(({ labels }) => labels.method ?? []))).toEqual(new Set(['GET', 'POST', 'other']))
    expect(after.length - before.length).toBeLessThan(150)
  })

  test('fields by source and status, calls by host and outcome, the cache and the circuit', async () => {
    const testService = kept(openOnlineService())
    const ask = () =>
      testService.post('/v1/fetch', {
        ...testPlaces.kansas,
        fields: ['nwi_wetland_type', 'county', 'soil_drainage_class'],
      })
    testService.upstreams.fault({ host: 'sdmdataaccess.sc.egov.usda.gov' }, { status: 403 })
    await ask()
    await ask()
    const lines = await metricsOf(testService)
    const host = 'fwspublicservices.wim.usgs.gov'
    expect(metricValueOf(lines, 'fieldstone_fields_total', { source: 'census_tiger_counties', status: 'ok' })).toBe(2)
    expect(metricValueOf(lines, 'fieldstone_field_failures_total', { error: 'upstream_rejected' })).toBe(2)
    expect(metricValueOf(lines, 'fieldstone_upstream_calls_total', { host, outcome: 'ok' })).toBe(
      testService.upstreams.callsTo(host),
    )
    expect(
      metricValueOf(lines, 'fieldstone_upstream_calls_total', {
        host: 'sdmdataaccess.sc.egov.usda.gov',
        outcome: 'upstream_rejected',
      }),
    ).toBe(testService.upstreams.callsTo('sdmdataaccess.sc.egov.usda.gov'))
    expect(metricValueOf(lines, 'fieldstone_upstream_call_duration_seconds_count', { host })).toBe(
      testService.upstreams.callsTo(host),
    )
    expect(metricValueOf(lines, 'fieldstone_upstream_circuit_state', { host })).toBe(0)
    expect(metricValueOf(lines, 'fieldstone_upstream_last_success_timestamp_seconds', { host })).toBeWithin(
      Date.now() / 1000 - 60,
      Date.now() / 1000 + 1,
    )
    expect(metricValueOf(lines, 'fieldstone_cache_requests_total', { result: 'hit' })).toBe(1)
    expect(metricValueOf(lines, 'fieldstone_cache_requests_total', { result: 'miss' })).toBe(1)
  })

  test('the circuit of a host that keeps failing as open', async () => {
    const testService = kept(openOnlineService())
    const host = 'fwspublicservices.wim.usgs.gov'
    testService.upstreams.fault({ host }, { status: 503 })
    for (let i = 0; i < 12; i++)
      await testService.post('/v1/fetch', {
        lat: testPlaces.kansas.lat + 0.01 * i,
        lng: testPlaces.kansas.lng,
        fields: ['nwi_wetland_type'],
      })
    const lines = await metricsOf(testService)
    expect(metricValueOf(lines, 'fieldstone_upstream_circuit_state', { host })).toBe(2)
    expect(metricValueOf(lines, 'fieldstone_upstream_calls_total', { host, outcome: 'upstream_5xx' })).toBe(
      testService.upstreams.callsTo(host),
    )
    expect(metricValueOf(lines, 'fieldstone_upstream_circuit_state', { host: 'fwsprimary.wim.usgs.gov' })).toBe(0)
  })

  test('admission: capacity, working, waiting and rejected', async () => {
    const testService = kept(openOnlineService({ FIELDSTONE_CONCURRENCY: '1', FIELDSTONE_QUEUE: '1' }))
    const host = 'fwspublicservices.wim.usgs.gov'
    testService.upstreams.fault({ host }, 'hang')
    const leaving = new AbortController()
    const ask = (lng: number) =>
      testService.send('/v1/fetch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...testPlaces.kansas, lng, fields: ['nwi_wetland_type'] }),
        signal: leaving.signal,
      })
    const under = [ask(-97.01), ask(-97.02)]
    while (testService.app.admission.occupancy().waiting < 1) await new Promise((resolve) => setImmediate(resolve))
    expect((await ask(-97.03)).status).toBe(503)
    const lines = await metricsOf(testService)
    expect(
      ['capacity', 'working', 'waiting', 'rejected_total'].map((what) =>
        metricValueOf(lines, `fieldstone_admission_${what}`),
      ),
    ).toEqual([1, 1, 1, 1])
    leaving.abort()
    await Promise.all(under)
  })

  test('addresses by provider and outcome', async () => {
    const testService = kept(openOnlineService())
    const fetchAt = (address: string) => testService.post('/v1/fetch', { address, fields: ['county'] })
    const white = '1600 Pennsylvania Ave NW, Washington, DC 20500'
    // On a busy machine the geocoders may time out, and either may answer.
    while ((await fetchAt(white)).status !== 200);
    await fetchAt(white)
    await fetchAt('Denver')
    const lines = await metricsOf(testService)
    const geocodes = (labels: Record<string, string>) => metricValueOf(lines, 'fieldstone_geocodes_total', labels) ?? 0
    const found = (cached: string) =>
      ['geocodio', 'census']
        .map((provider) => geocodes({ provider, outcome: 'found', cached }))
        .toSorted((a, b) => a - b)
    expect(found('false')).toEqual([0, 1])
    expect(found('true')).toEqual([0, 1])
    expect(geocodes({ provider: 'none', outcome: 'address_too_coarse' })).toBe(1)
  })

  test('runs: unfinished runs, pending and answered locations, and worker starts', async () => {
    const testService = kept(openTestService())
    const submitted = await testService.post(
      '/v1/runs',
      {
        kind: 'fetch_batch',
        request: { locations: [testPlaces.kansas, testPlaces.boulder, { lat: 0, lng: 0 }], fields: ['county'] },
      },
      { prefer: 'wait=20' },
    )
    expect(submitted.status).toBe(200)
    const lines = await metricsOf(testService)
    expect(
      ['ok', 'failed'].map((outcome) => metricValueOf(lines, 'fieldstone_run_locations_total', { outcome })),
    ).toEqual([2, 1])
    expect(metricValueOf(lines, 'fieldstone_runs', { status: 'queued' })).toBe(0)
    expect(metricValueOf(lines, 'fieldstone_runs', { status: 'running' })).toBe(0)
    expect(metricValueOf(lines, 'fieldstone_run_locations_pending')).toBe(0)
    expect(metricValueOf(lines, 'fieldstone_worker_starts_total', { worker: 'run' })).toBe(1)
  })

  test('model tokens by model and kind', async () => {
    const { api, service } = kept(openModelService())
    api.play(
      [{ says: { fields: ['county'], preset: null, answerable: true, reasoning: 'It answers it.' } }],
      [{ says: { answer: 'It is in Miami-Dade County [1].', fields_used: ['county'] } }],
    )
    expect((await service.post('/v1/ask', { ...miami, question })).status).toBe(200)
    const lines = await metricsOf(service)
    const tokens = (model: string, kind: string) =>
      metricValueOf(lines, 'fieldstone_model_tokens_total', { model, kind })
    // The synthesizer streams, so its output tokens are in its last message.
    expect(tokens('claude-haiku-5-5', 'input_tokens')).toBe(5)
    expect(tokens('claude-haiku-5-5', 'output_tokens')).toBe(5)
    expect(tokens('claude-sonnet-5-5', 'input_tokens')).toBe(5)
    expect(tokens('claude-sonnet-5-5', 'output_tokens')).toBe(9)
  })

  test('the process, its files and its version', async () => {
    const testService = kept(openTestService())
    const lines = await metricsOf(testService)
    expect(metricValueOf(lines, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(metricValueOf(lines, 'process_cpu_seconds_total')).toBeGreaterThan(0)
    const file = usesPostgres ? 'cache.db' : 'state.db'
    expect(metricValueOf(lines, 'fieldstone_sqlite_bytes', { file })).toBeGreaterThan(0)
    expect(metricValueOf(lines, 'fieldstone_data_free_bytes')).toBeGreaterThan(0)
    expect(
      metricValueOf(lines, 'fieldstone_build_info', {
        version: testService.app.version,
        catalog: testService.app.catalog.version,
        bun: Bun.version,
      }),
    ).toBe(1)
    expect(metricValueOf(lines, 'fieldstone_catalog_fields')).toBe(testService.app.catalog.fields.size)
    expect(metricValueOf(lines, 'fieldstone_store_up')).toBe(1)
    expect(metricValueOf(lines, 'fieldstone_shutting_down')).toBe(0)
    expect(metricValueOf(lines, 'fieldstone_packs', { state: 'rejected' })).toBe(0)
  })

  test('a request over a socket is counted like a request in the process', async () => {
    const testService = kept(openTestService())
    const http = createHttpServer(testService.app)
    await new Promise<void>((resolve) => http.listen({ hostname: 'localhost', port: 0 }, () => resolve()))
    kept({ close: () => void http.stop(true) })
    const address = `http://localhost:${http.server!.port}`
    await (await fetch(`${address}/healthz`)).text()
    await (await fetch(`${address}/healthz`, { method: 'HEAD' })).text()
    await (await fetch(`${address}/v1/docs`)).text()
    await (await fetch(`${address}/nothing`)).text()
    const { lines } = parseExposition(await (await fetch(`${address}/metrics`)).text())
    const requests = (method: string, route: string) =>
      metricValueOf(lines, 'fieldstone_http_requests_total', { method, route })
    expect(requests('GET', '/healthz')).toBe(1)
    expect(requests('HEAD', '/healthz')).toBe(1)
    expect(requests('GET', '/v1/docs')).toBe(1)
    expect(requests('GET', 'other')).toBe(1)
  })
})
