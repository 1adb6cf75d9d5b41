import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from './browser.ts'
import { logInWithCode, openOAuthService, testPassword, type OAuthService } from './oauth-service.ts'

let it: OAuthService
beforeAll(async () => void (it = await openOAuthService()))
afterAll(() => it.close())

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
type Created = { id: string; token: string; expires_at: string | null }

const as = (token: string, path: string, method = 'GET', body?: unknown) =>
  it.ask(`/v1/users/me${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
const post = (token: string, members: Record<string, unknown> = {}) =>
  as(token, '/tokens', 'POST', { name: 'a test', scopes: ['fetch', 'admin'], ...members })
const create = async (token: string, members: Record<string, unknown> = {}) => {
  const response = await post(token, members)
  expect(response.status).toBe(201)
  return (await response.json()) as Created
}
const statusOf = async (token: string) => (await as(token, '')).status
const refused = async (response: Response) => [
  response.status,
  ((await response.json()) as { detail: { error: string; required: string[] } }).detail.required,
]

/** Sends a request of a signed-in browser, with its CSRF token. */
async function fromBrowser(browser: Browser, path: string, method = 'GET', body?: unknown): Promise<Response> {
  const cookie = browser.cookie()!
  const { csrf_token } = JSON.parse((await browser.get('/v1/users/me')).text) as { csrf_token: string }
  return it.ask(`/v1/users/me${path}`, {
    method,
    headers: { cookie, origin: it.base_url, 'x-csrf-token': csrf_token, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

describe('a token without the scope admin', () => {
  test.each([
    ['GET', '/tokens'],
    ['POST', '/tokens'],
    ['DELETE', '/tokens/tok_1'],
    ['GET', '/logins'],
    ['DELETE', '/logins/login_1'],
    ['GET', '/sessions'],
    ['DELETE', '/sessions'],
  ])('is rejected by %s %s, which needs admin', async (method, path) => {
    const { token } = await create(it.testService.token, { scopes: ['fetch', 'geocode'] })
    expect(await refused(await as(token, path, method, method === 'POST' ? {} : undefined))).toEqual([403, ['admin']])
  })
})

describe('a token that another token made', () => {
  test('ends with it by default, also when 90 days would be longer', async () => {
    const parent = await create(it.testService.token, { expires_in_days: 30 })
    expect((await create(parent.token)).expires_at).toBe(parent.expires_at)
    expect((await create(parent.token, { expires_in_days: 7 })).expires_at! < parent.expires_at!).toBe(true)
  })

  test.each([31, 'never'])('is rejected when it would live longer: %j', async (expires_in_days) => {
    const parent = await create(it.testService.token, { expires_in_days: 30 })
    const response = await post(parent.token, { expires_in_days })
    const { detail } = (await response.json()) as { detail: { loc: string[]; msg: string }[] }
    expect([response.status, detail[0]!.loc]).toEqual([422, ['body', 'expires_in_days']])
    expect(detail[0]!.msg).toContain(`cannot outlive the token that creates it, which expires at ${parent.expires_at}`)
  })

  test('is revoked with it, down to the last generation, and others are not', async () => {
    const [parent, other] = [await create(it.testService.token), await create(it.testService.token)]
    const child = await create(parent.token)
    const grandchild = await create(child.token)
    expect((await as(it.testService.token, `/tokens/${child.id}`, 'DELETE')).status).toBe(204)
    expect([await statusOf(parent.token), await statusOf(child.token), await statusOf(grandchild.token)]).toEqual([
      200, 401, 401,
    ])
    const second = await create((await create(parent.token)).token)
    expect((await as(it.testService.token, `/tokens/${parent.id}`, 'DELETE')).status).toBe(204)
    expect([await statusOf(second.token), await statusOf(other.token)]).toEqual([401, 200])
  })

  test('lives at most as long as an OAuth access token that made it, and ends with its login', async () => {
    const client = await it.register()
    const login = await logInWithCode(it, client, { resource: `${it.base_url}/v1`, scope: 'fetch admin' })
    const child = await create(login.access)
    expect(Date.parse(child.expires_at!) - Date.now() - it.clock.ahead_ms).toBeLessThanOrEqual(hour_ms)
    const { items } = (await (await as(it.testService.token, '/logins')).json()) as { items: { id: string }[] }
    expect((await as(it.testService.token, `/logins/${items[0]!.id}`, 'DELETE')).status).toBe(204)
    expect([await statusOf(login.access), await statusOf(child.token)]).toEqual([401, 401])
  })
})

describe('a browser session', () => {
  const ownerToken = async () =>
    create(it.testService.token, { scopes: [...(await allScopesOf(it))], expires_in_days: 2 })

  test('that was started with a token ends with it, and so does what was made in it', async () => {
    const parent = await ownerToken()
    const browser = await it.signedIn('owner', parent.token)
    const response = await fromBrowser(browser, '/tokens', 'POST', { name: 'child', scopes: ['fetch'] })
    const child = (await response.json()) as Created
    expect([response.status, child.expires_at]).toEqual([201, parent.expires_at])
    expect((await as(it.testService.token, `/tokens/${parent.id}`, 'DELETE')).status).toBe(204)
    expect([(await browser.get('/v1/users/me')).status, await statusOf(child.token)]).toEqual([401, 401])
  })

  test('that was started with a token ends when the token expires', async () => {
    const parent = await ownerToken()
    it.clock.ahead_ms += 2 * day_ms - hour_ms
    const browser = await it.signedIn('owner', parent.token)
    expect((await browser.get('/v1/users/me')).status).toBe(200)
    it.clock.ahead_ms += hour_ms
    expect((await browser.get('/v1/users/me')).status).toBe(401)
    it.clock.ahead_ms = 0
  })

  test('of a user without admin manages tokens after a password, not after a token', async () => {
    const { users } = it.testService.app.access
    await users.acceptInvitation((await users.invite('grace', ['fetch']))!, testPassword)
    const body = { name: 'mine', scopes: ['fetch'] }
    const byPassword = await fromBrowser(await it.signedIn('grace', testPassword), '/tokens', 'POST', body)
    expect(byPassword.status).toBe(201)
    const { token } = (await byPassword.json()) as Created
    const byToken = await it.signedIn('grace', token)
    expect((await byToken.get('/v1/users/me')).status).toBe(200)
    expect(await refused(await fromBrowser(byToken, '/tokens', 'POST', body))).toEqual([403, ['admin']])
    expect(await refused(await fromBrowser(byToken, '/tokens/tok_1', 'DELETE'))).toEqual([403, ['admin']])
  })

  test('that was started with a token allows only logins that end with the token', async () => {
    const parent = await ownerToken()
    const browser = await it.signedIn('owner', parent.token)
    const client = await it.register()
    const login = await logInWithCode({ ...it, browser }, client, { resource: `${it.base_url}/v1` })
    const refresh = () =>
      it.form('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: client.client_id,
        refresh_token: login.refresh,
      })
    expect([await statusOf(login.access), login.tokens.expires_in]).toEqual([200, 3600])
    expect((await as(it.testService.token, `/tokens/${parent.id}`, 'DELETE')).status).toBe(204)
    expect([await statusOf(login.access), (await refresh()).body.error]).toEqual([401, 'invalid_grant'])
  })

  test('that was started with a token allows no login that outlives the token', async () => {
    const parent = await ownerToken()
    it.clock.ahead_ms += 2 * day_ms - hour_ms / 2
    const browser = await it.signedIn('owner', parent.token)
    const client = await it.register()
    const login = await logInWithCode({ ...it, browser }, client, { resource: `${it.base_url}/v1` })
    expect(login.tokens.expires_in!).toBeLessThanOrEqual(1800)
    it.clock.ahead_ms += hour_ms / 2
    const refreshed = await it.form('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: client.client_id,
      refresh_token: login.refresh,
    })
    expect([await statusOf(login.access), refreshed.body.error]).toEqual([401, 'invalid_grant'])
    it.clock.ahead_ms = 0
  })

  test('that was started with a token allows a device only until the token is revoked', async () => {
    const parent = await ownerToken()
    const browser = await it.signedIn('owner', parent.token)
    const { body } = await it.form('/oauth/device_authorization', { client_id: 'fieldstone-cli' })
    const page = await browser.submit(await browser.get('/device'), { user_code: String(body.user_code) })
    await browser.submit(page, { user_code: String(body.user_code).replace('-', ''), decision: 'yes' })
    await as(it.testService.token, `/tokens/${parent.id}`, 'DELETE')
    const polled = await it.form('/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'fieldstone-cli',
      device_code: String(body.device_code),
    })
    expect(polled.body.error).toBe('invalid_grant')
  })
})

async function allScopesOf({ testService }: OAuthService): Promise<ReadonlySet<string>> {
  return (await testService.app.accounts.byId('owner'))!.scopes
}
