import { afterEach, describe, expect, test } from 'bun:test'
import { createLog, withRequestId } from '../../src/log.ts'
import { openHouse } from '../house.ts'
import { openMessagesApi } from '../ask/messages-api.ts'
import { askerAt, openBrowser } from '../http/browser.ts'
import { openOnlineHouse, type OnlineHouse } from '../upstreams/online-house.ts'
import { places } from '../upstreams/places.ts'
import { mustHoldNoSecret } from './secrets-in-log.ts'

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

function kept<T extends { close(): void }>(it: T): T {
  opened.push(it)
  return it
}

/** Every door, one after the other, on a machine that has other things to do. */
const longest_ms = 60_000

type Logged = { level: string; event: string; request_id?: string } & Record<string, unknown>
const linesOf = ({ logged }: { logged: string[] }) => logged.map((line) => JSON.parse(line) as Logged)

describe('the log', () => {
  test('has a line for every request at debug: id, method, route, status and time, and neither path nor query', async () => {
    const house = kept(openHouse({ FIELDSTONE_LOG: 'debug' }))
    await house.post('/v1/fetch', { ...places.kansas, fields: ['county'] }, { 'x-request-id': 'one' })
    await house.send('/v1/runs/run_secretpath?secret=query', { headers: { 'x-request-id': 'two' } })
    await house.send('/elsewhere/secretpath', { headers: { 'x-request-id': 'three' } })
    const lines = linesOf(house).filter(({ event }) => event === 'request')
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
    expect(house.logged.join('\n')).not.toContain('secret')
  })

  test('has none of them at info', async () => {
    const house = kept(openHouse())
    await house.post('/v1/fetch', { ...places.kansas, fields: ['county'] })
    await house.post('/v1/fetch', [])
    expect(house.logged).toEqual([])
  })

  test('names the request in every line that is written for it, however deep down; what is done for nobody has no name', async () => {
    const house = kept(openOnlineHouse())
    house.upstreams.fault({ host: 'fwspublicservices.wim.usgs.gov' }, { status: 503 })
    for (let i = 0; i < 12; i++)
      await house.post(
        '/v1/fetch',
        { lat: places.kansas.lat + 0.01 * i, lng: places.kansas.lng, fields: ['wetland_type'] },
        { 'x-request-id': `ask-${i}` },
      )
    const suspended = linesOf(house).find(({ event }) => event === 'source_suspended')!
    expect(suspended.request_id).toMatch(/^ask-\d+$/)
    house.app.log.info('for nobody')
    expect(linesOf(house).at(-1)).not.toHaveProperty('request_id')
  })

  test('keeps the requests of one moment apart', async () => {
    const api = kept(openMessagesApi())
    const house = kept(
      openHouse({
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
        house.post('/v1/ask', { ...places.kansas, question: 'Which county is this?' }, { 'x-request-id': id }),
      ),
    )
    expect(
      linesOf(house)
        .filter(({ event }) => event === 'model_failed')
        .map(({ request_id }) => request_id!)
        .toSorted(),
    ).toEqual(ids.toSorted())
  })

  test('has a line also for what cannot be written as JSON, and nothing fails for it', () => {
    const lines: string[] = []
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const log = createLog('info', (line) => lines.push(line))
    log.error('fault', { error: new Error('broke', { cause: circle }), field: 'county' })
    log.info('counted', { n: 1n })
    expect(lines.map((line) => JSON.parse(line) as Logged)).toMatchObject([
      { level: 'error', event: 'fault', unwritten: ['error', 'field'] },
      { level: 'info', event: 'counted', unwritten: ['n'] },
    ])
  })

  test('a line that names a request itself keeps that name', () => {
    const lines: string[] = []
    withRequestId(
      () => 'outer',
      createLog('info', (line) => lines.push(line)),
    ).error('fault', { request_id: 'own' })
    expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'fault', request_id: 'own' })
  })
})

describe('no secret and no address is in the log (P62)', () => {
  const address = '4711 Plantedlane St, Denver, CO 80202'
  const keys = {
    CENSUS_API_KEY: 'planted-census',
    NLR_API_KEY: 'planted-nlr',
    AIRNOW_API_KEY: 'planted-airnow',
    REGRID_API_TOKEN: 'planted-regrid',
    GEOCODIO_API_KEY: 'planted-geocodio',
    ANTHROPIC_API_KEY: 'planted-anthropic',
  }

  /** One of each through every door: what must never be read again stands in it. */
  function doorsOf(house: OnlineHouse): Record<string, () => Promise<Response>> {
    const { send, post } = house
    const ask = askerAt(house)
    const form = (path: string, fields: Record<string, string>) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      })
    /** What a person types into the form of a page. */
    const typed = async (
      path: string,
      fields: Record<string, string>,
      browser = openBrowser(ask, house.app.config.base_url),
    ) => {
      const { text, status } = await browser.submit(await browser.get(path), fields)
      return new Response(text, { status })
    }
    return {
      'a token that is none': () =>
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
      'a password at sign-in': () => typed('/sign-in', { name: 'owner', password: 'plantedpassword' }),
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
        const browser = openBrowser(ask, house.app.config.base_url)
        await typed('/sign-in', { name: 'owner', password: house.token }, browser)
        return typed('/device', { user_code: 'PLANTED-CODE' }, browser)
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
      'the header of a strange host': () => send('/v1/users/me', { headers: { host: 'planted.example' } }),
    }
  }
  /** How each ends where all is well: behind its door, and not before it. */
  const ends: Record<string, number> = {
    'a token that is none': 401,
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
    'the header of a strange host': 421,
  }
  const through = async (house: OnlineHouse): Promise<Record<string, number>> => {
    const statuses: Record<string, number> = {}
    for (const [name, door] of Object.entries(doorsOf(house))) {
      const response = await door()
      await response.text()
      statuses[name] = response.status
    }
    return statuses
  }
  /** The numbers of the address as such, and not inside another: a time may have any digits. */
  const planted = /planted|(?<![\d.])(?:4711|80202)(?![\d.])/i

  test.each(['right', 'down', 'answering with what they were asked'])(
    'with all publishers %s, through every door',
    async (how) => {
      const house = kept(
        openOnlineHouse({ ...keys, FIELDSTONE_LOG: 'debug', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }),
      )
      if (how === 'down') house.upstreams.fault({}, 'reset')
      if (how === 'answering with what they were asked') house.upstreams.fault({}, 'redirect_other')
      const statuses = await through(house)
      expect(statuses).toMatchObject(ends)
      expect(linesOf(house).filter(({ event }) => event === 'request').length).toBeGreaterThanOrEqual(
        Object.keys(statuses).length,
      )
      expect(
        [...house.logged, await (await house.send('/metrics')).text()]
          .join('\n')
          .split('\n')
          .filter((line) => planted.test(line)),
      ).toEqual([])
    },
    longest_ms,
  )

  test.each([
    ['on', 'at the door', ['request_error']],
    ['off', 'deep inside', ['geocode_audit', 'location_error', 'request_error', 'tool_error']],
  ])(
    'when the service itself breaks over each of them, with authentication %s: %s',
    async (auth, _where, events) => {
      const house = kept(
        openOnlineHouse({
          ...keys,
          FIELDSTONE_AUTH: auth,
          FIELDSTONE_LOG: 'debug',
          ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
        }),
      )
      // Whatever comes to a database from here on comes upon a fault that nobody thought of.
      house.app.close()
      const statuses = await through(house)
      const faults = linesOf(house).filter(({ level }) => level === 'error')
      expect(faults.map(({ event }) => event)).toEqual(expect.arrayContaining(events))
      expect(Object.values(statuses).filter((status) => status === 500).length).toBeGreaterThan(10)
      expect(faults.filter(({ error }) => (error as { stack?: string }).stack === undefined)).toEqual([])
      expect(house.logged.filter((line) => planted.test(line))).toEqual([])
    },
    longest_ms,
  )
})

test.each([
  '{"message":"fst_pat_0123456789012345678901234567890123456"}',
  '{"authorization":"Bearer abcdefghijkl"}',
  '{"key":"test-geocodio"}',
  '{"address":"1600 Pennsylvania Ave NW"}',
  '{"k":"sk-ant-test-secret"}',
  `{"c":"__Host-fieldstone=${'x'.repeat(43)}"}`,
])('the houses of all tests refuse to close on a log with %s', (line) => {
  expect(() => mustHoldNoSecret(['{"event":"listening","host":"127.0.0.1"}', line])).toThrow('holds a secret')
})
