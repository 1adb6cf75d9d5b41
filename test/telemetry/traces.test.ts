import { afterEach, expect, test } from 'bun:test'
import { openHouse } from '../house.ts'
import { places } from '../upstreams/places.ts'
import { services } from '../upstreams/services.ts'
import { testKeys } from '../upstreams/online-house.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { attribute, openCollector, type SentSpan } from './collector.ts'
import { scraped, valueOf } from './scrape.ts'

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent_id = '00f067aa0ba902b7'
const address = '1600 Pennsylvania Ave NW, Washington, DC 20500'

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

/** A house with a collector, and publishers that note which headers they are sent. */
function traced(collector = openCollector()) {
  const headers = new Set<string>()
  const upstreams = openUpstreams({
    services: services.map((service) => ({
      ...service,
      answer: (asked: Parameters<typeof service.answer>[0]) => {
        for (const name of asked.headers.keys()) headers.add(name.toLowerCase())
        return service.answer(asked)
      },
    })),
  })
  const house = openHouse({
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...testKeys,
  })
  opened.push(house, upstreams, collector)
  return { house, upstreams, collector, headers }
}

const childrenOf = (spans: SentSpan[], parent: SentSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId)

test('a fetch is one trace: the request, below it the place and the datasets, below these the calls that went out', async () => {
  const { house, collector, headers } = traced()
  const answer = await house.post(
    '/v1/fetch',
    { ...places.kansas, fields: ['wetland_type', 'soil_drainage_class', 'county'] },
    { traceparent: `00-${trace_id}-${parent_id}-01`, 'x-request-id': 'traced' },
  )
  expect(answer.status).toBe(200)
  await house.app.telemetry.flush()
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
  // Each span lies within its parent, and all of them are told.
  const known = new Map(spans.map((span) => [span.spanId, span]))
  for (const span of spans) {
    const parent = known.get(span.parentSpanId!)
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
    if (parent) expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent.startTimeUnixNano))
  }
  expect(spans.filter(({ parentSpanId }) => !known.has(parentSpanId!))).toEqual([root])
  expect([...headers].filter((name) => /trace|baggage|request-id/.test(name))).toEqual([])
})

test('a call that fails is a span with the code of its fault', async () => {
  const { house, upstreams, collector } = traced()
  upstreams.fault({ host: 'fwspublicservices.wim.usgs.gov' }, { status: 403 })
  await house.post('/v1/fetch', { ...places.kansas, fields: ['wetland_type'] })
  await house.app.telemetry.flush()
  const call = collector.spans.find((span) => attribute(span, 'server.address') === 'fwspublicservices.wim.usgs.gov')!
  expect([call.status, attribute(call, 'error.type')]).toEqual([
    { code: 2, message: 'upstream_rejected' },
    'upstream_rejected',
  ])
})

test('a caller that keeps no record of a request gets none, and a header that is not whole begins a trace of its own', async () => {
  const { house, collector } = traced()
  await house.send('/healthz', { headers: { traceparent: `00-${trace_id}-${parent_id}-00` } })
  await house.send('/readyz', { headers: { traceparent: 'nonsense' } })
  await house.app.telemetry.flush()
  expect(collector.spans.map(({ name }) => name)).toEqual(['GET /readyz'])
  expect(collector.spans[0]!.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(collector.spans[0]!.parentSpanId).toBeUndefined()
})

test('neither an address, nor a coordinate, a key or a token is in a trace', async () => {
  const { house, collector } = traced()
  const fields = ['county', 'wetland_type', 'tract_population', 'nearest_ev_charger_distance_m']
  const answers = [
    await house.post('/v1/fetch', { address, fields }),
    await house.post('/v1/lookup', { input: address }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await house.post('/v1/fetch', {
    ...places.kansas,
    fields: ['air_quality_index_current', 'nearest_ev_charger_distance_m'],
  })
  await house.app.telemetry.flush()
  expect(collector.spans.filter(({ name }) => name.startsWith('dataset ')).length).toBeGreaterThan(3)
  const said = collector.bodies.join('\n')
  for (const secret of [...Object.values(testKeys), house.token, 'Pennsylvania', '39.28', '-97.07', '38.89', '20500'])
    expect(said).not.toContain(secret)
}, 60_000)

test.each([
  ['is down', () => ({ ...openCollector(), url: 'http://127.0.0.1:1' })],
  ['answers 500', () => openCollector(() => new Response('no', { status: 500 }))],
  [
    'sends elsewhere',
    () => openCollector(() => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } })),
  ],
])('a collector that %s costs no answer: its spans are dropped and counted', async (_how, collector) => {
  const { house } = traced(collector())
  const answer = await house.post('/v1/fetch', { ...places.kansas, fields: ['county'] })
  expect(answer.status).toBe(200)
  await house.app.telemetry.flush()
  const { lines } = scraped(await (await house.send('/metrics')).text())
  expect(valueOf(lines, 'fieldstone_trace_spans_total', { result: 'dropped' })).toBeGreaterThanOrEqual(3)
  expect(valueOf(lines, 'fieldstone_trace_spans_total', { result: 'sent' })).toBeUndefined()
})

test('a collector that hangs fills the queue and no more: what does not fit is dropped at once', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { house } = traced(openCollector(() => held.then(() => Response.json({}))))
  const { tracing, families } = house.app.telemetry
  const one = () =>
    tracing!.root({ name: 'one', kind: 'internal', request_id: 'x', attributes: {}, parent: null }, () =>
      Promise.resolve(),
    )
  await Promise.all(Array.from({ length: 10_000 }, one))
  const count = (result: string) =>
    [...families.find(({ name }) => name === 'fieldstone_trace_spans_total')!.samples()].find(
      ({ labels }) => labels.result === result,
    )?.value ?? 0
  expect([count('dropped'), count('sent')]).toEqual([10_000 - 512 - 8_192, 0])
  release()
  await house.app.telemetry.flush()
  expect(count('sent')).toBe(512 + 8_192)
})

test('without a collector nothing is traced and nothing is sent', async () => {
  const house = openHouse()
  opened.push(house)
  await house.post(
    '/v1/fetch',
    { ...places.kansas, fields: ['county'] },
    { traceparent: `00-${trace_id}-${parent_id}-01` },
  )
  expect(house.app.telemetry.tracing).toBeNull()
})

test("a trace is sent with FIELDSTONE_OFFLINE=1 too: the collector is the operator's own", async () => {
  const collector = openCollector()
  const house = openHouse({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  opened.push(house, collector)
  await house.post('/v1/fetch', { ...places.kansas, fields: ['county'] })
  await house.app.telemetry.flush()
  expect(collector.spans.map(({ name }) => name)).toContain('POST /v1/fetch')
})
