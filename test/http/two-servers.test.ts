import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createSharedThrottle } from '../../src/auth/throttle.ts'
import { failureLimit } from '../../src/auth/users.ts'
import {
  closePostgresPools,
  createPostgresPools,
  createPostgresStore,
  openPostgresPools,
} from '../../src/store/postgres/postgres-store.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { openTestService, type TestService, type TestServiceOptions } from '../support/test-service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { createSender, openBrowser } from './browser.ts'
import { allowRequest, authorizationParameters, callbackUrl, openOAuthService } from './oauth-service.ts'

const denver = { lat: 39.7392, lng: -104.9903 }
const verifier = 'v'.repeat(43)
const noon = () => new Date(Date.UTC(2026, 10, 23, 12))

describe.skipIf(!hasPostgres)('two servers on one database (needs initdb)', () => {
  let postgres: PostgresServer
  const opened: { close(): Promise<unknown> }[] = []
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(async () => {
    for (const it of opened) await it.close()
    await postgres.stop()
  })

  async function createDatabase(): Promise<string> {
    const url = await postgres.createDatabase()
    await closePostgresPools(await openPostgresPools(url))
    return url
  }

  /** Opens two services on a new database. Both accept the token of the first. */
  async function openTwo(env: Record<string, string>, options: TestServiceOptions = {}) {
    const all = { ...env, FIELDSTONE_DATABASE: await createDatabase() }
    const first = openTestService(all, options)
    opened.push(first)
    await first.ready
    const second = openTestService({ ...all, FIELDSTONE_TOKEN: first.token }, options)
    opened.push(second)
    return [first, second] as const
  }

  const statusOfFetch = async ({ post }: TestService) =>
    (await post('/v1/fetch', { ...denver, fields: ['county'] })).status

  /** Sends requests to both servers in turn, all at the same time, and counts the accepted ones. */
  async function countAccepted(services: readonly TestService[], requests: number): Promise<number> {
    const statuses = await Promise.all(
      Array.from({ length: requests }, (_, i) => statusOfFetch(services[i % services.length]!)),
    )
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
    return statuses.filter((status) => status === 200).length
  }

  const flushAll = (services: readonly TestService[]) =>
    Promise.all(services.map(({ app }) => app.access.rateLimiter.flush()))

  test('accept exactly the daily quota, however the requests are spread', async () => {
    const services = await openTwo({ FIELDSTONE_DAILY_QUOTA: '40' }, { now: noon })
    let accepted = await countAccepted(services, 60)
    expect(accepted).toBeLessThanOrEqual(40)
    // What a server did not use is for the other one after a flush.
    await flushAll(services)
    accepted += await countAccepted([services[0]], 60)
    await flushAll(services)
    accepted += await countAccepted([services[1]], 60)
    expect(accepted).toBe(40)
    expect((await services[1].send('/v1/users/me')).headers.get('ratelimit')).toStartWith('"day";r=0;')
  })

  test('a run has all of its locations in the quota, or is rejected; a failed submission returns them', async () => {
    const services = await openTwo({ FIELDSTONE_DAILY_QUOTA: '50' }, { now: noon })
    const submit = ({ post }: TestService, locations: number, fields = ['county']) =>
      post('/v1/runs', {
        kind: 'fetch_batch',
        request: { fields, locations: Array.from({ length: locations }, () => denver) },
      })
    expect((await submit(services[0], 30, ['no_such_field'])).status).toBe(400)
    expect((await submit(services[0], 30)).status).toBe(202)
    expect((await submit(services[1], 30)).status).toBe(429)
    await flushAll(services)
    expect((await submit(services[1], 20)).status).toBe(202)
    await flushAll(services)
    expect(await countAccepted(services, 4)).toBe(0)
  })

  test('accept the requests per minute of one server', async () => {
    let ahead_ms = 0
    const now = () => new Date(noon().getTime() + ahead_ms)
    const services = await openTwo({ FIELDSTONE_RATE_LIMIT: '30' }, { now })
    const first = await countAccepted(services, 60)
    await flushAll(services)
    expect(first + (await countAccepted([services[0]], 60))).toBe(30)
    ahead_ms = 60_000
    expect(await countAccepted([services[1]], 5)).toBe(5)
  })

  test('count failed sign-ins together', async () => {
    const services = await openTwo({}, { now: noon })
    const signIn = async (service: TestService, name: string) => {
      const browser = openBrowser(createSender(service), service.app.config.base_url)
      return (await browser.submit(await browser.get('/sign-in'), { name, password: 'wrong password here' })).status
    }
    expect(await signIn(services[0], 'ada')).toBe(401)
    // Nine failures on a third server.
    const pools = createPostgresPools(services[0].app.database!.url())
    const third = createSharedThrottle(createPostgresStore(pools).limits, { ...failureLimit, now: noon })
    for (let i = 0; i < 9; i++) expect(await third.begin(['name ada'])).toHaveProperty('succeed')
    await closePostgresPools(pools)
    expect([await signIn(services[1], 'ada'), await signIn(services[0], 'ada')]).toEqual([429, 429])
    expect(await signIn(services[1], 'eve')).toBe(401)
  })

  test('redeem a code once, and rotate a refresh token once', async () => {
    const FIELDSTONE_DATABASE = await createDatabase()
    const it = await openOAuthService({ FIELDSTONE_DATABASE })
    const second = openTestService({ FIELDSTONE_DATABASE })
    opened.push(it, second)
    const client = await it.register()
    const senders = [it.ask, createSender(second)]
    const post = async (index: number, body: Record<string, string>) => {
      const response = await senders[index % 2]!('/oauth/token', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ client_id: client.client_id, ...body }).toString(),
      })
      return (await response.json()) as { refresh_token?: string; error?: string }
    }
    const race = (body: Record<string, string>) => Promise.all(Array.from({ length: 8 }, (_, i) => post(i, body)))

    const redirect = await allowRequest(it, await authorizationParameters(client, verifier))
    const code = redirect.searchParams.get('code')!
    const answers = await race({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: callbackUrl,
    })
    expect(answers.filter(({ refresh_token }) => refresh_token !== undefined)).toHaveLength(1)
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(7)

    const back = await allowRequest(it, await authorizationParameters(client, verifier))
    const redirected = { code: back.searchParams.get('code')!, code_verifier: verifier, redirect_uri: callbackUrl }
    const { refresh_token } = await post(0, { grant_type: 'authorization_code', ...redirected })
    const successors = await race({ grant_type: 'refresh_token', refresh_token: refresh_token! })
    // Within ten seconds, a repeated use gets the same successor.
    expect(new Set(successors.map((answer) => answer.refresh_token)).size).toBe(1)
  })

  test('pay once for an address and for a parcel that both need at the same time', async () => {
    const upstreams = openUpstreams()
    const services = await openTwo({
      FIELDSTONE_OFFLINE: '0',
      FIELDSTONE_MIRROR: upstreams.url,
      GEOCODIO_API_KEY: 'test-geocodio',
      REGRID_API_TOKEN: 'test-regrid',
    })
    const addresses = new Map([
      [services[0], '1777 Broadway, Boulder, CO 80302'],
      [services[1], '1777 BROADWAY, Boulder CO 80302'],
    ])
    const ask = async (service: TestService) => {
      const { post } = service
      const geocode = await post('/v1/geocode', { address: addresses.get(service) })
      expect(geocode.status).toBe(200)
      const parcel = await post('/v1/fetch', { lat: 40.015, lng: -105.2705, fields: ['parcel_area_m2'] })
      const { fields } = (await parcel.json()) as { fields: { parcel_area_m2: { value: unknown } } }
      return fields.parcel_area_m2
    }
    const [parcel, ...others] = await Promise.all([...services, ...services].map(ask))
    expect(parcel).toMatchObject({ status: 'ok', value: expect.any(Number) })
    for (const other of others) expect(other).toMatchObject({ status: 'ok', value: parcel!.value })
    expect(['api.geocod.io', 'app.regrid.com'].map(upstreams.callsTo)).toEqual([1, 1])
    upstreams.close()
  })
})
