import { afterEach, describe, expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { answerAt } from '../../src/fetch/fetch.ts'
import { openFieldDeadlines } from '../../src/fetch/field-deadlines.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Point } from '../../src/model/place.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { openFaultServer } from '../net/fault-server.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { remoteFieldNames } from './remote-fields.ts'
import { fetchFromOption } from './single-option-service.ts'

const opened: { close(): void }[] = []
afterEach(() =>
  opened
    .splice(0)
    .toReversed()
    .forEach((it) => it.close()),
)

function openService(...given: Parameters<typeof openOnlineService>): OnlineService {
  const service = openOnlineService(...given)
  opened.push(service)
  return service
}

/** A field with one host, which receives one call per location. */
const zone = { field: 'in_opportunity_zone', host: 'services.arcgis.com' }
const air = { field: 'pm25_current_ug_m3', host: 'air-quality-api.open-meteo.com' }

/** Distinct locations near Boulder. */
const placesNear = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ lat: testPlaces.boulder.lat, lng: testPlaces.boulder.lng + i * 0.00001 }))

test('while one host hangs, all requests to the others are answered (P21)', async () => {
  const service = openService()
  service.upstreams.fault({ host: zone.host }, 'hang')
  let ended = 0
  const gone = new AbortController()
  const hanging = placesNear(24).map((at) =>
    sendFetch(service, { ...at, fields: [zone.field] }, gone.signal).finally(() => ended++),
  )
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(
      placesNear(25).map(({ lat, lng }) => fetchFromOption(service, [air.field], { lat: lat + round * 0.001, lng })),
    )
    expect(answers.map(({ fields }) => fields[air.field]!.status)).toEqual(answers.map(() => 'ok'))
  }
  expect(ended).toBe(0)
  gone.abort()
  await Promise.all(hanging)
})

describe('a dead host', () => {
  test('receives few calls, and the error says that calls are suspended (P22)', async () => {
    const service = openService({ FIELDSTONE_QUEUE: '200' })
    service.upstreams.fault({ host: zone.host }, { status: 503 })
    const first = await Promise.all(placesNear(60).map((at) => fetchFromOption(service, [zone.field], at)))
    for (const at of placesNear(100).slice(60))
      expect((await fetchFromOption(service, [zone.field], at)).fields[zone.field]).toMatchObject({
        status: 'failed',
        retryable: true,
        error: expect.stringContaining('source_suspended: ') as string,
      })
    expect(new Set(first.map(({ fields }) => fields[zone.field]!.status))).toEqual(new Set(['failed']))
    expect(service.upstreams.callsTo(zone.host)).toBeLessThanOrEqual(8)
  })

  test('is a warning in /readyz and not a failure, and /v1/meta/sources reports its health', async () => {
    const service = openService()
    service.upstreams.fault({ host: zone.host }, { status: 503 })
    await fetchFromOption(service, [air.field])
    for (const at of placesNear(10)) await fetchFromOption(service, [zone.field], at)
    const ready = await service.send('/readyz')
    const readiness = (await ready.json()) as { status: string; checks: { sources: Record<string, { state: string }> } }
    expect([ready.status, readiness.status]).toEqual([200, 'warn'])
    expect(readiness.checks.sources).toMatchObject({
      hud_opportunity_zones: {
        state: 'degraded',
        failing: { error: expect.stringMatching(/^upstream_5xx: /) as string, next_try: expect.any(String) as string },
      },
      open_meteo_air_quality: { state: 'ready' },
      usgs_nldi: { state: 'cold' },
    })
    const sources = await sourcesOf(service)
    expect(sources.hud_opportunity_zones).toMatchObject({ circuit: 'open', last_success: null, latency_ms: null })
    expect(sources.open_meteo_air_quality).toMatchObject({
      circuit: 'closed',
      last_success: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/) as string,
      latency_ms: expect.any(Number) as number,
    })
  })
})

test('a source whose last call failed is degraded in /readyz at once, with its error, until it answers', async () => {
  const service = openService()
  service.upstreams.fault({ host: zone.host }, { status: 503 })
  const readiness = async () => {
    const { status, checks } = (await (await service.send('/readyz')).json()) as {
      status: string
      checks: {
        sources: Record<string, { state: string; failing?: { error: string; since: string; next_try: string | null } }>
      }
    }
    return [status, checks.sources.hud_opportunity_zones]
  }
  const [first, second] = placesNear(2)
  await fetchFromOption(service, [zone.field], first)
  expect(await readiness()).toEqual([
    'warn',
    {
      state: 'degraded',
      failing: { error: expect.any(String) as string, since: expect.any(String) as string, next_try: null },
    },
  ])
  service.upstreams.heal()
  await fetchFromOption(service, [zone.field], second)
  expect(await readiness()).toEqual(['pass', { state: 'ready' }])
})

test.each([
  ['a number of seconds', () => '120'],
  ['a date', () => new Date(Date.now() + 120_000).toUTCString()],
])('a host with a Retry-After of %s is not called before (P23)', async (_form, retryAfter) => {
  const service = openService()
  service.upstreams.fault({ host: zone.host, times: 1 }, { status: 429, retry_after: retryAfter() })
  const [first, ...others] = placesNear(20)
  expect((await fetchFromOption(service, [zone.field], first)).fields[zone.field]).toMatchObject({
    error: expect.stringMatching(/^rate_limited: /) as string,
    retryable: true,
  })
  for (const at of others)
    expect((await fetchFromOption(service, [zone.field], at)).fields[zone.field]).toMatchObject({
      error: expect.stringMatching(/^rate_limited: .*next attempt is at 20\d\d-\d\d-\d\dT/) as string,
      retryable: true,
    })
  expect(service.upstreams.callsTo(zone.host)).toBe(1)
})

describe('a hundred identical concurrent requests (P24)', () => {
  test('send the calls of one request', async () => {
    const service = openService({ FIELDSTONE_QUEUE: '200' })
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        fetchFromOption(service, [zone.field, 'soil_map_unit_name', 'modeled_bedrock_depth_cm', 'ndvi_current']),
      ),
    )
    expect(answers.flatMap(({ fields }) => Object.values(fields).map(({ status }) => status))).toEqual(
      Array.from({ length: 400 }, () => 'ok'),
    )
    const alone = openService()
    await fetchFromOption(alone, [zone.field, 'soil_map_unit_name', 'modeled_bedrock_depth_cm', 'ndvi_current'])
    expect(service.upstreams.calls.length).toBe(alone.upstreams.calls.length)
  })

  test('share a failure, and later requests do not', async () => {
    const service = openService({ FIELDSTONE_QUEUE: '200', FIELDSTONE_CONCURRENCY: '100' })
    service.upstreams.fault({ host: zone.host }, 'html_200')
    const release = service.upstreams.hold()
    const pending = Array.from({ length: 100 }, () => fetchFromOption(service, [zone.field]))
    while (service.app.admission.occupancy().working < pending.length) await Bun.sleep(1)
    // A request that is admitted reads a few turns later.
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    release()
    const answers = await Promise.all(pending)
    expect(answers.map(({ fields }) => fields[zone.field]!.status)).toEqual(answers.map(() => 'failed'))
    expect(service.upstreams.callsTo(zone.host)).toBe(1)
    service.upstreams.heal()
    expect((await fetchFromOption(service, [zone.field])).fields[zone.field]).toMatchObject({ status: 'ok' })
    expect(service.upstreams.callsTo(zone.host)).toBe(2)
  })
})

describe('when everything fails (P26)', () => {
  test('at most one call in ten is a retry', async () => {
    const service = openService()
    service.upstreams.fault({}, { status: 500 })
    let retries = 0
    for (const [i, at] of Object.values(testPlaces).entries())
      retries += await countRetries(service, () =>
        fetchFromOption(service, remoteFieldNames, { lat: at.lat + i * 0.0001, lng: at.lng }),
      )
    expect(service.upstreams.calls.length).toBeGreaterThan(150)
    expect(retries / service.upstreams.calls.length).toBeLessThanOrEqual(0.1)
  })

  test('blocked calls to a dead host permit no retries elsewhere', async () => {
    const service = openService()
    service.upstreams.fault({}, { status: 500 })
    for (const at of placesNear(300)) await fetchFromOption(service, [zone.field], at)
    const retries = await countRetries(service, () => fetchFromOption(service, remoteFieldNames))
    expect(retries / service.upstreams.calls.length).toBeLessThanOrEqual(0.1)
  })

  async function countRetries({ upstreams: { calls } }: OnlineService, ask: () => Promise<unknown>): Promise<number> {
    const before = calls.length
    await ask()
    const own = calls.slice(before).map(({ host, path, query, body }) => `${host}${path}?${query.toString()} ${body}`)
    return own.length - new Set(own).size
  }
})

describe('a client that disconnects', () => {
  test('aborts its call: the publisher sees the connection closed (P12)', async () => {
    const server = openFaultServer({ VTyQ9soqVukalItT: () => {} })
    const service = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: server.mirror })
    opened.push(server, service)
    const client = new AbortController()
    const answer = sendFetch(service, { ...testPlaces.boulder, fields: [zone.field] }, client.signal)
    await server.until(() => server.requestPaths.length === 1)
    client.abort()
    await server.until(() => server.closedConnections.length === 1)
    expect((await answer).status).toBe(499)
    expect(server.requestPaths.length).toBe(1)
  })

  test('does not affect another client that waits for the same response', async () => {
    const service = openService()
    service.upstreams.fault({ host: zone.host }, { slow_ms: 200 })
    const client = new AbortController()
    const body = { ...testPlaces.boulder, fields: [zone.field] }
    const first = sendFetch(service, body, client.signal)
    const second = fetchFromOption(service, [zone.field])
    while (service.upstreams.callsTo(zone.host) === 0) await new Promise((resolve) => setImmediate(resolve))
    client.abort()
    expect((await first).status).toBe(499)
    expect((await second).fields[zone.field]).toMatchObject({ status: 'ok', value: true })
    expect(service.upstreams.callsTo(zone.host)).toBe(1)
  })
})

describe('an expired response', () => {
  const hour_ms = 3_600_000
  const aged = async (
    env: Record<string, string>,
    hours: number,
    field = zone.field,
    at: Point = testPlaces.boulder,
  ) => {
    let passed_ms = 0
    const service = openService(env, { now: () => new Date(Date.now() + passed_ms) })
    await fetchFromOption(service, [field], at)
    service.upstreams.fault({}, { status: 500 })
    passed_ms = hours * hour_ms
    return (await fetchFromOption(service, [field], at)).fields[field]
  }

  test('replaces a failed one only with FIELDSTONE_STALE_DAYS, and reports its age (P27)', async () => {
    expect(await aged({ FIELDSTONE_STALE_DAYS: '2' }, 30)).toMatchObject({
      status: 'ok',
      value: true,
      cache: 'stale',
      notes: expect.stringContaining('30 hours') as string,
    })
    expect(await aged({}, 30)).toMatchObject({
      status: 'failed',
      value: null,
      error: expect.stringMatching(/^upstream_5xx: /) as string,
    })
    expect(await aged({ FIELDSTONE_STALE_DAYS: '2' }, 24 * 4)).toMatchObject({ status: 'failed' })
  })

  test('never replaces an absent value or a billed response', async () => {
    expect(await aged({ FIELDSTONE_STALE_DAYS: '7' }, 30, 'nhdplus_comid', testPlaces.miami_beach)).toMatchObject({
      status: 'failed',
    })
    expect(await aged({ FIELDSTONE_STALE_DAYS: '7' }, 30, 'parcel_zoning')).toMatchObject({ status: 'failed' })
  })
})

test.each([{ status: 500 } as const, { status: 503 } as const, 'truncated' as const])(
  'a billed call is never retried (%p) (P28)',
  async (fault) => {
    const service = openService()
    service.upstreams.fault({ host: 'app.regrid.com' }, fault)
    expect((await fetchFromOption(service, ['parcel_zoning', 'parcel_apn'])).fields.parcel_zoning).toMatchObject({
      status: 'failed',
    })
    expect(service.upstreams.callsTo('app.regrid.com')).toBe(1)
  },
)

describe('the deadline of a request', () => {
  test('turns pending fields into timeouts and keeps the completed ones', async () => {
    const service = openService()
    service.upstreams.fault({ host: zone.host }, 'hang')
    const counter = service.app.fetchContext({ id: 'someone', name: 'someone', scopes: new Set(['fetch'] as const) })
    const plan = counter.plans.select({ fields: [zone.field, air.field, 'state'] }, 'none')
    const answerWithin = async (limit_ms: number) => {
      const until_ms = performance.now() + limit_ms
      return (
        await answerAt(testPlaces.boulder, plan, { signal: new AbortController().signal, until_ms }, counter)
      ).toJSON()
    }
    let answer = await answerWithin(500)
    // The limit doubles until a busy machine answers the other fields within it.
    for (let limit_ms = 1000; answer.partial_failures.length > 1; limit_ms *= 2) answer = await answerWithin(limit_ms)
    expect(answer.fields).toMatchObject({
      [zone.field]: { status: 'failed', retryable: true, error: expect.stringMatching(/^timeout: /) as string },
      [air.field]: { status: 'ok' },
      state: { status: 'ok' },
    })
    expect(answer.partial_failures.map(({ field }) => field)).toEqual([zone.field])
  })

  test('is the deadline of the field or of the request, whichever is earlier', async () => {
    const limits = openFieldDeadlines({ until_ms: performance.now() + 5 })
    const { catalog } = openService().app
    const over = await limits
      .within(
        Promise.withResolvers<never>().promise,
        catalog.datasets.get(catalog.fields.get(zone.field)!.read.dataset)!,
      )
      .catch((error: unknown) => error)
    limits.close()
    expect(over).toBeInstanceOf(UpstreamError)
    expect((over as UpstreamError).code).toBe('timeout')
  })
})

function sendFetch({ send }: Pick<TestService, 'send'>, body: unknown, signal: AbortSignal): Promise<Response> {
  return send('/v1/fetch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
}

async function sourcesOf({
  send,
}: Pick<TestService, 'send'>): Promise<
  Record<string, { circuit: string | null; last_success: string | null; latency_ms: number | null }>
> {
  const { sources } = (await (await send('/v1/meta/sources')).json()) as {
    sources: { dataset: string; circuit: string | null; last_success: string | null; latency_ms: number | null }[]
  }
  return Object.fromEntries(sources.map((source) => [source.dataset, source]))
}
