import { afterAll, describe, expect, test } from 'bun:test'
import * as oauth from 'oauth4webapi'
import { allowRequest, authorizationParameters, callbackUrl, logInWithCode, openOAuthService } from './oauth-service.ts'
import { bytes } from './state-bytes.ts'

const it = await openOAuthService()
afterAll(it.close)
const { server, options, base_url, form } = it
const client = await it.register()

const fetchAs = (token: string, path = '/v1/users/me') =>
  it.ask(path, { headers: { authorization: `Bearer ${token}` } })
const initialize = (token: string | null, headers: Record<string, string> = {}) =>
  it.ask('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  })
const refresh = (token: string, more: Record<string, string> = {}) =>
  form('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: client.client_id, ...more })
const exchange = (code: string, verifier: string, more: Record<string, string> = {}) =>
  form('/oauth/token', {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: callbackUrl,
    client_id: client.client_id,
    ...more,
  })
/** Returns an unused code. */
const freshCode = async (otherwise: Record<string, string | null> = {}) => {
  const verifier = oauth.generateRandomCodeVerifier()
  const back = await allowRequest(it, await authorizationParameters(client, verifier, otherwise))
  return { code: back.searchParams.get('code')!, verifier }
}

describe('discovery', () => {
  test('lists every endpoint, only PKCE with S256, only public clients, and iss', () => {
    expect(server).toMatchObject({
      issuer: base_url,
      authorization_endpoint: `${base_url}/oauth/authorize`,
      token_endpoint: `${base_url}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ['code'],
    })
  })

  test.each(['mcp', 'v1'])('describes the resource /%s at its own URL', async (name) => {
    const resource = new URL(`${base_url}/${name}`)
    const found = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, options),
    )
    expect(found.authorization_servers).toEqual([base_url])
  })

  test('for a base URL with a path is at the root of the host, with the path appended', async () => {
    const below = await openOAuthService({ FIELDSTONE_BASE_URL: 'http://localhost:9/deep' }).catch(
      (error: unknown) => error as Error,
    )
    if (below instanceof Error) throw below
    expect(below.server.issuer).toBe('http://localhost:9/deep')
    await below.close()
  })
})

describe('a strict client', () => {
  test('registers, gets tokens, uses them, refreshes them and revokes them', async () => {
    const { tokens, access } = await logInWithCode(it, client)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'fetch lookup' })
    expect(access).toMatch(/^fst_oat_\w{36}$/)
    expect((await initialize(access)).status).toBe(200)
    const again = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, options),
    )
    expect([again.access_token === access, again.refresh_token === tokens.refresh_token]).toEqual([false, false])
    expect((await initialize(again.access_token)).status).toBe(200)
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), again.refresh_token!, options),
    )
    expect([(await initialize(again.access_token)).status, (await initialize(access)).status]).toEqual([401, 401])
    expect((await refresh(again.refresh_token!)).body.error).toBe('invalid_grant')
  })

  test('can use another port of its registered loopback URL', async () => {
    const redirect_uri = 'http://127.0.0.1:50123/callback'
    expect((await logInWithCode(it, client, { redirect_uri })).access).toStartWith('fst_oat_')
  })

  test('gets the issuer in the redirect', async () => {
    const back = await allowRequest(it, await authorizationParameters(client, oauth.generateRandomCodeVerifier()))
    expect([back.searchParams.get('iss'), back.searchParams.get('state')]).toEqual([base_url, 'the-state'])
  })

  test('gets access_denied when the user denies the request', async () => {
    const page = await it.browser.get(
      `/oauth/authorize?${await authorizationParameters(client, oauth.generateRandomCodeVerifier())}`,
    )
    const back = new URL((await it.browser.submit(page, { decision: 'no' })).location!)
    expect(() => oauth.validateAuthResponse(server, client, back, 'the-state')).toThrow(
      oauth.AuthorizationResponseError,
    )
    expect(back.searchParams.get('error')).toBe('access_denied')
  })
})

describe('tokens are for one resource', () => {
  test('tokens of the code flow are for /mcp unless /v1 is requested', async () => {
    const mcp = await logInWithCode(it, client)
    const v1 = await logInWithCode(it, client, { resource: `${base_url}/v1` })
    expect([(await fetchAs(mcp.access)).status, (await initialize(mcp.access)).status]).toEqual([401, 200])
    expect([(await fetchAs(v1.access)).status, (await initialize(v1.access)).status]).toEqual([200, 401])
  })

  test('a request without a token gets the URL of the resource metadata', async () => {
    const response = await initialize(null)
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="fieldstone", resource_metadata="${base_url}/.well-known/oauth-protected-resource/mcp"`,
    ])
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { data: { error: 'auth_missing' } },
    })
  })

  test('a refresh token is not an access token', async () => {
    const { refresh: token } = await logInWithCode(it, client)
    expect([(await fetchAs(token)).status, (await initialize(token)).status]).toEqual([401, 401])
  })

  test('an OAuth client creates API tokens only with the admin scope', async () => {
    const { access } = await logInWithCode(it, client, { resource: `${base_url}/v1` })
    const post = (token: string) =>
      it.ask('/v1/users/me/tokens', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"name":"x","scopes":["fetch"]}',
      })
    expect((await post(access)).status).toBe(403)
    expect(
      (await post((await logInWithCode(it, client, { resource: `${base_url}/v1`, scope: 'fetch admin' })).access))
        .status,
    ).toBe(201)
  })

  test('an OAuth client ends other logins and browser sessions only with the admin scope', async () => {
    const [{ access }, other] = [
      await logInWithCode(it, client, { resource: `${base_url}/v1` }),
      await logInWithCode(it, client),
    ]
    const as = (token: string, method: string, path: string) =>
      it.ask(`/v1/users/me/${path}`, { method, headers: { authorization: `Bearer ${token}` } })
    const { items } = JSON.parse((await it.browser.get('/v1/users/me/logins')).text) as { items: { id: string }[] }
    expect((await as(access, 'GET', 'logins')).status).toBe(403)
    expect((await as(access, 'DELETE', `logins/${items[0]!.id}`)).status).toBe(403)
    expect((await as(access, 'DELETE', 'sessions')).status).toBe(403)
    expect([(await initialize(other.access)).status, (await it.browser.get('/v1/users/me')).status]).toEqual([200, 200])
  })
})

describe('an authorization request is rejected', () => {
  const output = [
    ['without a challenge', { code_challenge: null }, 'invalid_request'],
    ['with the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with no method, which would be plain', { code_challenge_method: null }, 'invalid_request'],
    ['with a method nobody knows', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['with a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['without a response type', { response_type: null }, 'invalid_request'],
    ['in a fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['for a scope that is none', { scope: 'fetch everything' }, 'invalid_scope'],
    ['for a resource of another server', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['as a request object', { request: 'eyJ' }, 'request_not_supported'],
    ['behind an address', { request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'],
  ] as const
  test.each(output)('%s, with a redirect to the client', async (_name, otherwise, error) => {
    const page = await it.browser.get(
      `/oauth/authorize?${await authorizationParameters(client, oauth.generateRandomCodeVerifier(), otherwise)}`,
    )
    const back = new URL(page.location!)
    expect([
      page.status,
      back.origin + back.pathname,
      back.searchParams.get('error'),
      back.searchParams.get('state'),
      back.searchParams.get('iss'),
    ]).toEqual([303, callbackUrl, error, 'the-state', base_url])
  })

  test('with a state that is too long, with a redirect without the state', async () => {
    const page = await it.browser.get(
      `/oauth/authorize?${await authorizationParameters(client, oauth.generateRandomCodeVerifier(), { state: 's'.repeat(2001) })}`,
    )
    const back = new URL(page.location!)
    expect(page.status).toBe(303)
    expect(back.searchParams.get('error')).toBe('invalid_request')
    expect(back.searchParams.has('state')).toBe(false)
  })

  test('with a duplicate parameter, with a redirect to the client', async () => {
    const parameters = `${await authorizationParameters(client, oauth.generateRandomCodeVerifier())}&scope=admin`
    expect(new URL((await it.browser.get(`/oauth/authorize?${parameters}`)).location!).searchParams.get('error')).toBe(
      'invalid_request',
    )
  })

  const shown = [
    ['of a client nobody knows', { client_id: 'client_unknown' }],
    ['without a client', { client_id: null }],
    ['to an address that was not registered', { redirect_uri: 'https://evil.example/callback' }],
    ['to a longer path', { redirect_uri: `${callbackUrl}/more` }],
    ['to another loopback name', { redirect_uri: 'http://localhost:33418/callback' }],
    ['with a query of its own', { redirect_uri: `${callbackUrl}?next=x` }],
    ['with a fragment', { redirect_uri: `${callbackUrl}#x` }],
    ['with a name before the host', { redirect_uri: 'http://127.0.0.1:33418@evil.example/callback' }],
    ['to a script', { redirect_uri: 'javascript:alert(1)' }],
  ] as const
  test.each(shown)('%s, without a redirect', async (_name, otherwise) => {
    const page = await it.browser.get(
      `/oauth/authorize?${await authorizationParameters(client, oauth.generateRandomCodeVerifier(), otherwise)}`,
    )
    expect([page.status, page.location]).toEqual([400, null])
  })
})

describe('a code', () => {
  test('works once; a second use revokes its tokens', async () => {
    const { code, verifier, access, refresh: token } = await logInWithCode(it, client)
    expect((await exchange(code, verifier)).body.error).toBe('invalid_grant')
    expect([(await initialize(access)).status, (await refresh(token)).body.error]).toEqual([401, 'invalid_grant'])
  })

  test('expires after a minute', async () => {
    const { code, verifier } = await freshCode()
    it.clock.ahead_ms += 61_000
    expect((await exchange(code, verifier)).body.error).toBe('invalid_grant')
  })

  const harmless = [
    ['the wrong address', { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    ['the wrong resource', { resource: 'https://evil.example/' }, 'invalid_target'],
    ['the other resource', { resource: `${base_url}/v1` }, 'invalid_target'],
    ['another client', { client_id: 'fieldstone-cli' }, 'invalid_grant'],
    ['a client nobody knows', { client_id: 'client_unknown' }, 'invalid_client'],
  ] as const
  test.each(harmless)('is not used up by %s', async (_name, wrong, error) => {
    const { code, verifier } = await freshCode()
    for (let i = 0; i < 4; i++) expect((await exchange(code, verifier, wrong)).body.error).toBe(error)
    expect((await exchange(code, verifier)).status).toBe(200)
  })

  test('is used up by three wrong verifiers, but not by two', async () => {
    const [two, three] = [await freshCode(), await freshCode()]
    const wrong = oauth.generateRandomCodeVerifier()
    for (let i = 0; i < 2; i++) expect((await exchange(two.code, wrong)).body.error).toBe('invalid_grant')
    for (let i = 0; i < 3; i++) expect((await exchange(three.code, wrong)).body.error).toBe('invalid_grant')
    expect((await exchange(two.code, two.verifier)).status).toBe(200)
    expect((await exchange(three.code, three.verifier)).status).toBe(400)
  })

  test('does not work without a verifier', async () => {
    const { code } = await freshCode()
    expect(
      (
        await form('/oauth/token', {
          grant_type: 'authorization_code',
          code,
          redirect_uri: callbackUrl,
          client_id: client.client_id,
        })
      ).body.error,
    ).toBe('invalid_request')
  })
})

describe('a refresh token', () => {
  test('used again within ten seconds returns the same tokens, so that a lost response does not end the login', async () => {
    const { refresh: token } = await logInWithCode(it, client)
    const first = await refresh(token)
    it.clock.ahead_ms += 9_000
    const second = await refresh(token)
    expect(second.body).toEqual(first.body)
    expect((await initialize(String(second.body.access_token))).status).toBe(200)
  })

  test('used again later revokes the whole login', async () => {
    const { refresh: token } = await logInWithCode(it, client)
    const { body } = await refresh(token)
    it.clock.ahead_ms += 11_000
    expect((await refresh(token)).body.error).toBe('invalid_grant')
    expect((await initialize(String(body.access_token))).status).toBe(401)
    expect((await refresh(String(body.refresh_token))).body.error).toBe('invalid_grant')
  })

  test('used again after its successor was used revokes the login, however soon', async () => {
    const { refresh: token } = await logInWithCode(it, client)
    const { body } = await refresh(token)
    const next = await refresh(String(body.refresh_token))
    expect((await refresh(token)).body.error).toBe('invalid_grant')
    expect((await refresh(String(next.body.refresh_token))).body.error).toBe('invalid_grant')
  })

  test('gives no scope or resource beyond the grant', async () => {
    const { refresh: token } = await logInWithCode(it, client)
    expect((await refresh(token, { scope: 'fetch admin' })).body.error).toBe('invalid_scope')
    expect((await refresh(token, { resource: `${base_url}/v1` })).body.error).toBe('invalid_target')
    expect((await refresh(token, { client_id: 'fieldstone-cli' })).body.error).toBe('invalid_grant')
    expect((await refresh(token, { scope: 'fetch' })).body.scope).toBe('fetch')
  })

  test('used again within ten seconds returns the scope of its successor, whatever the second request asks for', async () => {
    const { refresh: token } = await logInWithCode(it, client)
    const first = await refresh(token, { scope: 'fetch' })
    expect([first.body.scope, (await refresh(token)).body]).toEqual(['fetch', first.body])
  })

  test('expires after thirty days', async () => {
    const { refresh: token } = await logInWithCode(it, client)
    it.clock.ahead_ms += 30 * 86_400_000
    expect((await refresh(token)).body.error).toBe('invalid_grant')
    it.clock.ahead_ms = 0
  })
})

describe('the token endpoint', () => {
  test('sends responses with no-store', async () => {
    const { refresh: token } = await logInWithCode(it, client)
    expect((await refresh(token)).headers.get('cache-control')).toBe('no-store')
    expect((await refresh('x')).headers.get('cache-control')).toBe('no-store')
  })

  const refusals: [string, Record<string, string> | [string, string][], number, string][] = [
    ['no grant', { client_id: client.client_id }, 400, 'invalid_request'],
    ['a grant there is not', { grant_type: 'password', client_id: client.client_id }, 400, 'unsupported_grant_type'],
    ['no client', { grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'invalid_request'],
    [
      'a client nobody knows',
      { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'x' },
      401,
      'invalid_client',
    ],
    [
      'a secret',
      { grant_type: 'refresh_token', refresh_token: 'x', client_id: client.client_id, client_secret: 's' },
      401,
      'invalid_client',
    ],
    [
      'two clients',
      [
        ['grant_type', 'refresh_token'],
        ['client_id', 'a'],
        ['client_id', 'b'],
      ],
      400,
      'invalid_request',
    ],
  ]
  test.each(refusals)('rejects %s', async (_name, body, status, error) => {
    const answer = await form('/oauth/token', body)
    expect([answer.status, answer.body.error]).toEqual([status, error])
  })

  test('accepts only forms', async () => {
    const response = await it.ask('/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([400, 'invalid_request'])
  })

  test("revokes nothing of another client's, and says nothing of a token nobody knows", async () => {
    const { access } = await logInWithCode(it, client)
    expect((await form('/oauth/revoke', { token: access, client_id: 'fieldstone-cli' })).status).toBe(400)
    expect((await initialize(access)).status).toBe(200)
    expect((await form('/oauth/revoke', { token: 'nobody knows it', client_id: client.client_id })).status).toBe(200)
    expect((await form('/oauth/revoke', { token: access, client_id: client.client_id })).status).toBe(200)
    expect((await initialize(access)).status).toBe(401)
  })
})

describe('a user', () => {
  test('sees the OAuth logins and can end one with immediate effect', async () => {
    const { access, refresh: token } = await logInWithCode(it, client)
    const as = (method: string, path: string) =>
      it.ask(path, { method, headers: { authorization: `Bearer ${it.testService.token}` } })
    const [first] = (
      (await (await as('GET', '/v1/users/me/logins')).json()) as {
        items: { id: string; client_name: string; scopes: string[]; resource: string }[]
      }
    ).items
    expect(first).toMatchObject({
      client_name: 'A strict client',
      scopes: ['fetch', 'lookup'],
      resource: `${base_url}/mcp`,
    })
    expect((await initialize(access)).status).toBe(200)
    expect((await as('DELETE', `/v1/users/me/logins/${first!.id}`)).status).toBe(204)
    expect([(await initialize(access)).status, (await refresh(token)).body.error]).toEqual([401, 'invalid_grant'])
    expect((await as('DELETE', `/v1/users/me/logins/${first!.id}`)).status).toBe(404)
  })

  test("turns out no program of another's", async () => {
    const { users } = it.testService.app.access
    await users.acceptInvitation((await users.invite('other', ['fetch']))!, 'a password of some length')
    const theirs = { ...it, browser: await it.signedIn('other', 'a password of some length') }
    const { access } = await logInWithCode(theirs, client)
    const { items } = (await (
      await it.ask('/v1/users/me/logins', { headers: { authorization: `Bearer ${it.testService.token}` } })
    ).json()) as { items: { id: string }[] }
    const newest = Math.max(0, ...items.map(({ id }) => Number(id.slice('login_'.length))))
    const response = await it.ask(`/v1/users/me/logins/login_${newest + 1}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${it.testService.token}` },
    })
    expect([response.status, (await initialize(access)).status]).toEqual([404, 200])
  })
})

test('only hashes of codes and tokens are stored, and nothing is logged', async () => {
  const { code, verifier, access, refresh: token } = await logInWithCode(it, client)
  await refresh(token)
  const stored = await bytes(it.testService)
  expect([code, verifier, access.slice(8, 38), token.slice(8, 38)].filter((secret) => stored.includes(secret))).toEqual(
    [],
  )
  expect(
    it.testService.logged.filter((line) =>
      [code, verifier, 'fst_', 'the-state'].some((secret) => line.includes(secret)),
    ),
  ).toEqual([])
})

test('a login is deleted a day after its last refresh token expired', async () => {
  const service = await openOAuthService()
  await logInWithCode(service, await service.register())
  const { app, state } = service.testService
  const logins = async () => (await state.query('SELECT id FROM oauth_grants')).length
  const left: number[] = []
  for (const ms of [30 * 86_400_000, 86_400_000 + 1000]) {
    service.clock.ahead_ms += ms
    await app.access.sweep()
    left.push(await logins())
  }
  expect(left).toEqual([1, 0])
  await service.close()
})
