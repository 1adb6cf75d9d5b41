import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog, withRequestId } from '../../src/log.ts'
import { openTestService } from '../support/test-service.ts'
import { usesPostgres } from '../support/test-state.ts'
import { openMessagesApi } from '../ask/messages-api.ts'
import { createSender, openBrowser } from '../http/browser.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { requireNoSecrets } from './secrets-in-log.ts'

setDefaultTimeout(120_000)

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

function closeLater<T extends { close(): void }>(it: T): T {
  opened.push(it)
  return it
}

type Logged = { level: string; event: string; request_id?: string } & Record<string, unknown>
const linesOf = ({ logged }: { logged: string[] }) => logged.map((line) => JSON.parse(line) as Logged)

describe('the log', () => {
  test('has a line per request at level debug: id, method, route, status and duration, without path and query', async () => {
    const service = closeLater(openTestService({ FIELDSTONE_LOG: 'debug' }))
    await service.post('/v1/fetch', { ...testPlaces.kansas, fields: ['county'] }, { 'x-request-id': 'one' })
    await service.send('/v1/runs/run_secretpath?secret=query', { headers: { 'x-request-id': 'two' } })
    await service.send('/elsewhere/secretpath', { headers: { 'x-request-id': 'three' } })
    const lines = linesOf(service).filter(({ event }) => event === 'request')
    expect(lines).toEqual([
      {
        at: expect.any(String),
        level: 'debug',
        event: 'request',
        request_id: 'one',
        method: 'POST',
        route: '/v1/fetch',
        status: 200,
        ms: expect.any(Number),
      },
      {
        at: expect.any(String),
        level: 'debug',
        event: 'request',
        request_id: 'two',
        method: 'GET',
        route: '/v1/runs/:run_id',
        status: 404,
        ms: expect.any(Number),
      },
      {
        at: expect.any(String),
        level: 'debug',
        event: 'request',
        request_id: 'three',
        method: 'GET',
        route: 'other',
        status: 404,
        ms: expect.any(Number),
      },
    ])
    expect(service.logged.join('\n')).not.toContain('secret')
  })

  test('has no request lines at level info', async () => {
    const service = closeLater(openTestService())
    await service.post('/v1/fetch', { ...testPlaces.kansas, fields: ['county'] })
    await service.post('/v1/fetch', [])
    expect(service.logged).toEqual([])
  })

  test('has the request id in every line that a request causes, and none in other lines', async () => {
    const service = closeLater(openOnlineService())
    service.upstreams.fault({ host: 'fwspublicservices.wim.usgs.gov' }, { status: 503 })
    for (let i = 0; i < 12; i++)
      await service.post(
        '/v1/fetch',
        { lat: testPlaces.kansas.lat + 0.01 * i, lng: testPlaces.kansas.lng, fields: ['nwi_wetland_type'] },
        { 'x-request-id': `ask-${i}` },
      )
    const suspended = linesOf(service).find(({ event }) => event === 'source_suspended')!
    expect(suspended.request_id).toMatch(/^ask-\d+$/)
    service.app.log.info('without a request')
    expect(linesOf(service).at(-1)).not.toHaveProperty('request_id')
  })

  test('tells concurrent requests apart', async () => {
    const api = closeLater(openMessagesApi())
    const service = closeLater(
      openTestService({
        FIELDSTONE_OFFLINE: '0',
        FIELDSTONE_MIRROR: 'http://localhost:9',
        ANTHROPIC_API_KEY: 'k',
        ANTHROPIC_BASE_URL: api.url,
        FIELDSTONE_ASK_BUILTIN: '0',
      }),
    )
    api.close()
    const ids = Array.from({ length: 20 }, (_, i) => `ask-${i}`)
    await Promise.all(
      ids.map((id) =>
        service.post('/v1/ask', { ...testPlaces.kansas, question: 'Which county is this?' }, { 'x-request-id': id }),
      ),
    )
    expect(
      linesOf(service)
        .filter(({ event }) => event === 'model_failed')
        .map(({ request_id }) => request_id!)
        .toSorted(),
    ).toEqual(ids.toSorted())
  })

  test('lists details that cannot be serialized, and logging them does not throw', () => {
    const lines: string[] = []
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const log = createLog('info', (line) => lines.push(line))
    log.error('broken', { error: new Error('broke', { cause: circle }), field: 'county' })
    log.info('counted', { n: 1n })
    expect(lines.map((line) => JSON.parse(line) as Logged)).toMatchObject([
      { level: 'error', event: 'broken', unserializable: ['error', 'field'] },
      { level: 'info', event: 'counted', unserializable: ['n'] },
    ])
  })

  test('keeps the request id that the caller of the log gives', () => {
    const lines: string[] = []
    withRequestId(
      () => 'outer',
      createLog('info', (line) => lines.push(line)),
    ).error('broken', { request_id: 'own' })
    expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'broken', request_id: 'own' })
  })
})

describe('the log contains no secret and no address (P62)', () => {
  const address = '4711 Plantedlane St, Denver, CO 80202'
  const keys = {
    CENSUS_API_KEY: 'planted-census',
    NLR_API_KEY: 'planted-nlr',
    AIRNOW_API_KEY: 'planted-airnow',
    REGRID_API_TOKEN: 'planted-regrid',
    GEOCODIO_API_KEY: 'planted-geocodio',
    ANTHROPIC_API_KEY: 'planted-anthropic',
  }

  /** One request for each way in which a secret or an address comes in. Every secret contains the word planted. */
  function requestsOf(service: OnlineService): Record<string, () => Promise<Response>> {
    const { send, post } = service
    const ask = createSender(service)
    const form = (path: string, fields: Record<string, string>) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      })
    /** Submits the form of a page. */
    const submitForm = async (
      path: string,
      fields: Record<string, string>,
      browser = openBrowser(ask, service.app.config.base_url),
    ) => {
      const { text, status } = await browser.submit(await browser.get(path), fields)
      return new Response(text, { status })
    }
    return {
      'a malformed token': () =>
        send('/v1/users/me', { headers: { authorization: 'Bearer fst_pat_planted0000000000000000000000000000' } }),
      'a password in a Basic header': () =>
        send('/v1/users/me', { headers: { authorization: `Basic ${btoa('owner:plantedbasic')}` } }),
      'a cookie': () =>
        ask('/v1/users/me', {
          headers: { cookie: `fieldstone=${'plantedcookie'.padEnd(43, '0')}; other=plantedcookie` },
        }),
      'a token in the query': () => ask('/v1/users/me?access_token=plantedquery'),
      'a secret in a path': () => send('/v1/runs/plantedpath'),
      'an invitation': () => ask('/invitation/plantedinvitation'),
      'a password at sign-in': () => submitForm('/sign-in', { name: 'owner', password: 'plantedpassword' }),
      'a code at the token endpoint': () =>
        form('/oauth/token', {
          grant_type: 'authorization_code',
          code: 'plantedcode',
          code_verifier: 'plantedverifierplantedverifierplantedverifier',
          client_id: 'fieldstone-cli',
          redirect_uri: 'http://127.0.0.1/plantedredirect',
        }),
      'a refresh token': () =>
        form('/oauth/token', {
          grant_type: 'refresh_token',
          refresh_token: 'fst_ort_plantedrefresh',
          client_id: 'fieldstone-cli',
        }),
      'a device code': () =>
        form('/oauth/token', {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: 'planteddevice',
          client_id: 'fieldstone-cli',
        }),
      'a revoked token': () => form('/oauth/revoke', { token: 'fst_oat_plantedrevoked', client_id: 'fieldstone-cli' }),
      'a user code': async () => {
        const browser = openBrowser(ask, service.app.config.base_url)
        await submitForm('/sign-in', { name: 'owner', password: service.token }, browser)
        return submitForm('/device', { user_code: 'PLANTED-CODE' }, browser)
      },
      'an address to fetch': () => post('/v1/fetch', { address, fields: ['county'] }),
      'an address to geocode': () => post('/v1/geocode', { address }),
      'an address to look up': () => post('/v1/lookup', { input: address }),
      'an address in a batch': () => post('/v1/fetch/batch', { locations: [{ address }], fields: ['county'] }),
      'an address of a run': () =>
        post('/v1/runs', { kind: 'geocode_batch', request: { inputs: [address] } }, { prefer: 'wait=20' }),
      'an address of a CSV': () =>
        send('/v1/runs?kind=geocode_batch', {
          method: 'POST',
          headers: { 'content-type': 'text/csv', prefer: 'wait=20' },
          body: `address\n"${address}"\n`,
        }),
      'a question about an address': () =>
        post('/v1/ask', { address, question: 'What did Plantedquestion build here?' }),
      'a broken body': () =>
        send('/v1/fetch', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"address":"plantedbody"',
        }),
      'an agent': () =>
        post(
          '/mcp',
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'geocode_address', arguments: { address } } },
          { accept: 'application/json, text/event-stream' },
        ),
      'an unknown host header': () => send('/v1/users/me', { headers: { host: 'planted.example' } }),
    }
  }
  /** The status of each request when all is well. It shows that the request reached its handler. */
  const expectedStatuses: Record<string, number> = {
    'a malformed token': 401,
    'a password in a Basic header': 401,
    'a cookie': 401,
    'a token in the query': 401,
    'a secret in a path': 404,
    'an invitation': 404,
    'a password at sign-in': 401,
    'a code at the token endpoint': 400,
    'a refresh token': 400,
    'a device code': 400,
    'a revoked token': 200,
    'a user code': 400,
    'a broken body': 422,
    'an agent': 200,
    'an unknown host header': 421,
  }
  const sendAll = async (service: OnlineService): Promise<Record<string, number>> => {
    const statuses: Record<string, number> = {}
    for (const [name, request] of Object.entries(requestsOf(service))) {
      const response = await request()
      await response.text()
      statuses[name] = response.status
    }
    return statuses
  }
  /** Matches the numbers of the address only as whole numbers, because a time may contain any digits. */
  const planted = /planted|(?<![\d.])(?:4711|80202)(?![\d.])/i

  test.each(['healthy', 'down', 'redirecting with the query'])('with all upstreams %s', async (behavior) => {
    const service = closeLater(
      openOnlineService({ ...keys, FIELDSTONE_LOG: 'debug', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }),
    )
    if (behavior === 'down') service.upstreams.fault({}, 'reset')
    if (behavior === 'redirecting with the query') service.upstreams.fault({}, 'redirect_other')
    const statuses = await sendAll(service)
    expect(statuses).toMatchObject(expectedStatuses)
    expect(linesOf(service).filter(({ event }) => event === 'request').length).toBeGreaterThanOrEqual(
      Object.keys(statuses).length,
    )
    expect(
      [...service.logged, await (await service.send('/metrics')).text()]
        .join('\n')
        .split('\n')
        .filter((line) => planted.test(line)),
    ).toEqual([])
  })

  // A closed connection to PostgreSQL is an expected error.
  test.skipIf(usesPostgres).each([
    ['on', 'at authentication', ['request_error']],
    ['off', 'in the handlers', ['geocode_audit', 'request_error']],
  ])('when every request fails with an internal error, with authentication %s: %s', async (auth, _where, events) => {
    const service = closeLater(
      openOnlineService({
        ...keys,
        FIELDSTONE_AUTH: auth,
        FIELDSTONE_LOG: 'debug',
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      }),
    )
    await service.ready
    // From here on every use of a database throws an error that no code expects.
    await service.app.close()
    const statuses = await sendAll(service)
    const errorLines = linesOf(service).filter(({ level }) => level === 'error')
    expect(errorLines.map(({ event }) => event)).toEqual(expect.arrayContaining(events))
    // Coordinates are answered from embedded data, without a database.
    expect(Object.values(statuses).filter((status) => status === 500).length).toBeGreaterThan(5)
    expect(errorLines.filter(({ error }) => (error as { stack?: string }).stack === undefined)).toEqual([])
    expect(service.logged.filter((line) => planted.test(line))).toEqual([])
  })
})

test.each([
  '{"message":"fst_pat_0123456789012345678901234567890123456"}',
  '{"authorization":"Bearer abcdefghijkl"}',
  '{"key":"test-geocodio"}',
  '{"address":"1600 Pennsylvania Ave NW"}',
  '{"k":"sk-ant-test-secret"}',
  `{"c":"__Host-fieldstone=${'x'.repeat(43)}"}`,
])('every test service fails to close when its log contains %s', (line) => {
  expect(() => requireNoSecrets(['{"event":"listening","host":"127.0.0.1"}', line])).toThrow('contains a secret')
})
