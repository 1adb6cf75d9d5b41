import { afterEach, expect, test } from 'bun:test'
import { openTestService } from '../support/test-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { services } from '../upstreams/services.ts'
import { testKeys } from '../upstreams/online-service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { attribute, openCollector, type SentSpan } from './collector.ts'
import { parseExposition, metricValueOf } from './scrape.ts'

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent_id = '00f067aa0ba902b7'
const address = '1600 Pennsylvania Ave NW, Washington, DC 20500'

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

/** A service with a collector, and upstreams that record the names of the headers they receive. */
function openTracedService(collector = openCollector()) {
  const headers = new Set<string>()
  const upstreams = openUpstreams({
    services: services.map((upstream) => ({
      ...upstream,
      answer: (request: Parameters<typeof upstream.answer>[0]) => {
        for (const name of request.headers.keys()) headers.add(name.toLowerCase())
        return upstream.answer(request)
      },
    })),
  })
  const service = openTestService({
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...testKeys,
  })
  opened.push(service, upstreams, collector)
  return { service, upstreams, collector, headers }
}

const childrenOf = (spans: SentSpan[], parent: SentSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId)

test('a fetch is one trace: the request, its place and datasets below it, and the upstream calls below the datasets', async () => {
  const { service, collector, headers } = openTracedService()
  const answer = await service.post(
    '/v1/fetch',
    { ...testPlaces.kansas, fields: ['nwi_wetland_type', 'soil_drainage_class', 'county'] },
    { traceparent: `00-${trace_id}-${parent_id}-01`, 'x-request-id': 'traced' },
  )
  expect(answer.status).toBe(200)
  await service.app.telemetry.flush()
  const { spans } = collector
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([trace_id]))
  const root = spans.find(({ parentSpanId }) => parentSpanId === parent_id)!
  expect([
    root.name,
    root.kind,
    attribute(root, 'http.route'),
    attribute(root, 'http.response.status_code'),
    attribute(root, 'fieldstone.request_id'),
  ]).toEqual(['POST /v1/fetch', 2, '/v1/fetch', '200', 'traced'])
  const parts = childrenOf(spans, root)
  expect(parts.map(({ name }) => name)).toContain('place')
  const datasets = parts.filter(({ name }) => name.startsWith('dataset '))
  expect(datasets.length).toBeGreaterThanOrEqual(3)
  const calls = datasets.flatMap((dataset) => childrenOf(spans, dataset))
  expect(new Set(calls.map((call) => attribute(call, 'server.address')))).toEqual(
    new Set(['fwspublicservices.wim.usgs.gov', 'sdmdataaccess.sc.egov.usda.gov']),
  )
  expect(new Set(calls.map(({ kind }) => kind))).toEqual(new Set([3]))
  // Each span lies within its parent, and no span is missing.
  const known = new Map(spans.map((span) => [span.spanId, span]))
  for (const span of spans) {
    const parent = known.get(span.parentSpanId!)
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
    if (parent) expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent.startTimeUnixNano))
  }
  expect(spans.filter(({ parentSpanId }) => !known.has(parentSpanId!))).toEqual([root])
  expect([...headers].filter((name) => /trace|baggage|request-id/.test(name))).toEqual([])
})

test('a call that fails is a span with its error code', async () => {
  const { service, upstreams, collector } = openTracedService()
  upstreams.fault({ host: 'fwspublicservices.wim.usgs.gov' }, { status: 403 })
  await service.post('/v1/fetch', { ...testPlaces.kansas, fields: ['nwi_wetland_type'] })
  await service.app.telemetry.flush()
  const call = collector.spans.find((span) => attribute(span, 'server.address') === 'fwspublicservices.wim.usgs.gov')!
  expect(call.status).toEqual({ code: 2, message: 'upstream_rejected' })
  expect(attribute(call, 'error.type')).toBe('upstream_rejected')
})

test('an unsampled traceparent records nothing, and a malformed one begins a new trace', async () => {
  const { service, collector } = openTracedService()
  await service.send('/healthz', { headers: { traceparent: `00-${trace_id}-${parent_id}-00` } })
  await service.send('/readyz', { headers: { traceparent: 'nonsense' } })
  await service.app.telemetry.flush()
  expect(collector.spans.map(({ name }) => name)).toEqual(['GET /readyz'])
  expect(collector.spans[0]!.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(collector.spans[0]!.parentSpanId).toBeUndefined()
})

test('a trace contains no address, coordinate, key or token', async () => {
  const { service, collector } = openTracedService()
  const fields = ['county', 'nwi_wetland_type', 'tract_population_acs5', 'nearest_ev_charger_distance_m']
  const answers = [
    await service.post('/v1/fetch', { address, fields }),
    await service.post('/v1/lookup', { input: address }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await service.post('/v1/fetch', {
    ...testPlaces.kansas,
    fields: ['air_quality_index_current', 'nearest_ev_charger_distance_m'],
  })
  await service.app.telemetry.flush()
  expect(collector.spans.filter(({ name }) => name.startsWith('dataset ')).length).toBeGreaterThan(3)
  const sent = collector.bodies.join('\n')
  for (const secret of [...Object.values(testKeys), service.token, 'Pennsylvania', '39.28', '-97.07', '38.89', '20500'])
    expect(sent).not.toContain(secret)
})

test.each([
  ['is down', () => ({ ...openCollector(), url: 'http://127.0.0.1:1' })],
  ['answers 500', () => openCollector(() => new Response('no', { status: 500 }))],
  [
    'redirects',
    () => openCollector(() => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } })),
  ],
])('a collector that %s does not affect answers: its spans are dropped and counted', async (_how, collector) => {
  const { service } = openTracedService(collector())
  const answer = await service.post('/v1/fetch', { ...testPlaces.kansas, fields: ['county'] })
  expect(answer.status).toBe(200)
  await service.app.telemetry.flush()
  const { lines } = parseExposition(await (await service.send('/metrics')).text())
  expect(metricValueOf(lines, 'fieldstone_trace_spans_total', { result: 'dropped' })).toBeGreaterThanOrEqual(3)
  expect(metricValueOf(lines, 'fieldstone_trace_spans_total', { result: 'sent' })).toBeUndefined()
})

test('when the collector hangs the queue fills up, and further spans are dropped at once', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const { service } = openTracedService(openCollector(() => released.then(() => Response.json({}))))
  const { tracing, families } = service.app.telemetry
  const recordSpan = () =>
    tracing!.root({ name: 'one', kind: 'internal', request_id: 'x', attributes: {}, parent: null }, () =>
      Promise.resolve(),
    )
  await Promise.all(Array.from({ length: 10_000 }, recordSpan))
  const count = async (result: string) =>
    [...(await families.find(({ name }) => name === 'fieldstone_trace_spans_total')!.samples())].find(
      ({ labels }) => labels.result === result,
    )?.value ?? 0
  expect([await count('dropped'), await count('sent')]).toEqual([10_000 - 512 - 8_192, 0])
  release()
  await service.app.telemetry.flush()
  expect(await count('sent')).toBe(512 + 8_192)
})

test('without a collector there is no tracing', async () => {
  const service = openTestService()
  opened.push(service)
  await service.post(
    '/v1/fetch',
    { ...testPlaces.kansas, fields: ['county'] },
    { traceparent: `00-${trace_id}-${parent_id}-01` },
  )
  expect(service.app.telemetry.tracing).toBeNull()
})

test('traces are sent with FIELDSTONE_OFFLINE=1 too, because the collector belongs to the operator', async () => {
  const collector = openCollector()
  const service = openTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  opened.push(service, collector)
  await service.post('/v1/fetch', { ...testPlaces.kansas, fields: ['county'] })
  await service.app.telemetry.flush()
  expect(collector.spans.map(({ name }) => name)).toContain('POST /v1/fetch')
})
