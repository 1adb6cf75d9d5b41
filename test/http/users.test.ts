import { afterAll, describe, expect, test } from 'bun:test'
import { detailOf, openHttpService, type HttpService } from '../support/http-service.ts'
import { requestsToday } from '../support/requests-today.ts'
import { bytes } from './state-bytes.ts'

const service = await openHttpService()
afterAll(service.close)

type Made = { id: string; token: string; last_four: string; scopes: string[]; expires_at: string | null; name: string }
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const made = async (body: Record<string, unknown> = {}, token = service.testService.token, of: HttpService = service) =>
  (await (
    await of.post('/v1/users/me/tokens', { name: 'a test', scopes: ['fetch'], ...body }, as(token))
  ).json()) as Made
const listed = async (token = service.testService.token) =>
  (
    (await (await service.ask('/v1/users/me/tokens', { headers: as(token) })).json()) as {
      items: (Made & { last_used_at: string | null })[]
    }
  ).items
const revoked = (id: string, token = service.testService.token) =>
  service.ask(`/v1/users/me/tokens/${id}`, { method: 'DELETE', headers: as(token) })
const fetched = (token: string) =>
  service.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields: ['county', 'timezone'] }, as(token))

const denver = { lat: 39.7392, lng: -104.9903 }

/** A second account with its own token. */
async function stranger(
  name: string,
  scopes = ['fetch', 'runs', 'lookup', 'geocode', 'ask'],
): Promise<{ token: string; id: string }> {
  const { access } = service.testService.app
  const code = (await access.users.invite(name, scopes as never))!
  const account = (await access.users.invitedAccount(code))!
  return {
    id: account.id,
    token: (await access.tokens.create(account, { name: 'theirs', scopes: scopes as never })).token,
  }
}

describe('an account', () => {
  test('sees its name and the scopes of its token', async () => {
    const { token } = await made({ scopes: ['fetch', 'runs'] })
    expect(await (await service.ask('/v1/users/me', { headers: as(token) })).json()).toEqual({
      id: 'owner',
      name: 'owner',
      scopes: ['fetch', 'runs'],
      user: { uid: 'owner', email: null, name: 'owner' },
      settings: {},
    })
  })

  test('creates a token that is shown once, works at once, and is listed with its last four characters', async () => {
    const it = await made({ name: 'nightly', scopes: ['fetch', 'fetch'], expires_in_days: 30 })
    expect(it).toMatchObject({ name: 'nightly', scopes: ['fetch'], last_four: it.token.slice(-4) })
    expect(Math.round((Date.parse(it.expires_at!) - Date.now()) / 86_400_000)).toBe(30)
    expect((await fetched(it.token)).status).toBe(200)
    const [first] = await listed()
    expect(first!.id).toEqual(it.id)
    expect('token' in first!).toBe(false)
    expect(JSON.stringify(await listed()).includes(it.token.slice(8, 38))).toBe(false)
    expect((await bytes(service.testService)).includes(it.token.slice(8, 38))).toBe(false)
  })

  test('creates a token for 90 days by default, and without expiry on request', async () => {
    expect(Math.round((Date.parse((await made()).expires_at!) - Date.now()) / 86_400_000)).toBe(90)
    expect((await made({ expires_in_days: 'never' })).expires_at).toBeNull()
  })

  test('revokes a token with immediate effect', async () => {
    const { id, token } = await made()
    expect((await fetched(token)).status).toBe(200)
    expect((await revoked(id)).status).toBe(204)
    expect((await detailOf(await fetched(token))).error).toBe('auth_revoked')
    expect((await listed()).some((it) => it.id === id)).toBe(false)
    expect((await detailOf(await revoked(id))).error).toBe('token_not_found')
  })

  test('sees when a token was last used', async () => {
    const { id, token } = await made()
    await fetched(token)
    await service.testService.app.accounts.flush()
    expect((await listed()).find((it) => it.id === id)!.last_used_at).toMatch(/\+00:00$/)
  })

  test('pages through its tokens, newest first', async () => {
    const first = (await (await service.ask('/v1/users/me/tokens?limit=2')).json()) as {
      items: Made[]
      next_cursor: string
    }
    const second = (await (await service.ask(`/v1/users/me/tokens?limit=2&cursor=${first.next_cursor}`)).json()) as {
      items: Made[]
    }
    expect(first.items).toHaveLength(2)
    expect(first.items.concat(second.items).map(({ id }) => Number(id.slice(4)))).toEqual(
      [...first.items, ...second.items].map(({ id }) => Number(id.slice(4))).toSorted((a, b) => b - a),
    )
    const all = await listed()
    const last = await (await service.ask(`/v1/users/me/tokens?limit=${all.length}`)).json()
    expect(last).toEqual({ items: all, next_cursor: null })
  })

  test('cannot create a token with more scopes than its own', async () => {
    const { token } = await made({ scopes: ['fetch', 'admin'] })
    const response = await service.post('/v1/users/me/tokens', { name: 'more', scopes: ['fetch', 'runs'] }, as(token))
    expect([response.status, (await detailOf(response)).required]).toEqual([403, ['runs']])
  })

  const faults = [
    [{ scopes: ['fetch'] }, 'missing'],
    [{ name: '', scopes: ['fetch'] }, 'string_too_short'],
    [{ name: 'x'.repeat(101), scopes: ['fetch'] }, 'string_too_long'],
    [{ name: 'a\u0000b', scopes: ['fetch'] }, 'value_error'],
    [{ name: 'x', scopes: [] }, 'too_short'],
    [{ name: 'x', scopes: ['everything'] }, 'literal_error'],
    [{ name: 'x', scopes: ['fetch'], expires_in_days: 0 }, 'greater_than_equal'],
    [{ name: 'x', scopes: ['fetch'], expires_in_days: '9' }, 'literal_error'],
  ] as const
  test.each(faults)('gets the violations of %j', async (body, type) => {
    const response = await service.post('/v1/users/me/tokens', body)
    expect(response.status).toBe(422)
    expect(((await response.json()) as { detail: { type: string }[] }).detail[0]!.type).toEqual(type)
  })

  test.each(['limit=0', 'limit=x', 'limit=1000', 'cursor=1', 'cursor=tok_0'])(
    'gets the violations of ?%s',
    async (query) => expect((await service.ask(`/v1/users/me/tokens?${query}`)).status).toBe(422),
  )
})

describe('data of another account', () => {
  const paths = (id: string) =>
    [
      ['GET', `/v1/runs/${id}`],
      ['GET', `/v1/runs/${id}/events`],
      ['GET', `/v1/runs/${id}/artifacts/csv`],
      ['GET', `/v1/runs/${id}/artifacts/geojson`],
      ['GET', `/v1/runs/${id}/artifacts/parquet`],
      ['POST', `/v1/runs/${id}/cancel`],
      ['POST', `/v1/runs/${id}/retry`],
    ] as const

  test('is answered like unknown data, byte for byte, in both directions', async () => {
    const other = await stranger('tenant')
    const run = async (token: string) =>
      (
        (await (
          await service.post(
            '/v1/runs',
            { kind: 'fetch_batch', request: { locations: [{ lat: 39.7392, lng: -104.9903 }], fields: ['county'] } },
            as(token),
          )
        ).json()) as { run_id: string }
      ).run_id
    const nothing = 'run_00000000000000000000000000'
    for (const [mine, theirs] of [
      [service.testService.token, other.token],
      [other.token, service.testService.token],
    ] as const) {
      const foreign = await run(theirs)
      for (const [i, [method, path]] of paths(foreign).entries()) {
        const [seen, unseen] = await Promise.all(
          [[method, path] as const, paths(nothing)[i]!].map(async ([how, where]) => {
            const response = await service.ask(where, { method: how, headers: as(mine) })
            return [response.status, await response.text()]
          }),
        )
        expect([path, seen]).toEqual([path, unseen])
        expect(seen![0]).toBe(404)
      }
    }
  })

  test('is not listed, and its tokens cannot be revoked', async () => {
    const other = await stranger('neighbour', ['fetch', 'admin'])
    const { id, token } = await made()
    expect((await listed(other.token)).some((it) => it.id === id)).toBe(false)
    const [theirs, nobodys] = [await revoked(id, other.token), await revoked('tok_999999999', other.token)]
    expect([theirs.status, await theirs.text()]).toEqual([404, await nobodys.text()])
    expect((await fetched(token)).status).toBe(200)
  })
})

describe('every route under /v1 with a scope', () => {
  const scoped = Object.entries(service.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security }]) => {
      const scope = security[0]?.bearer?.[0]
      return scope === undefined
        ? []
        : [[method.toUpperCase(), path.replace(/\{\w+\}/g, 'run_00000000000000000000000000'), scope] as const]
    }),
  )

  test.each(scoped)('%s %s rejects a token without %s and names the scope', async (method, path, scope) => {
    const others = ['fetch', 'geocode', 'lookup', 'parcel', 'ask', 'runs', 'admin'].filter((it) => it !== scope)
    const { token } = await made({ scopes: others })
    const response = await service.ask(path, { method, headers: as(token), ...(method === 'POST' && { body: '{}' }) })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="fieldstone", error="insufficient_scope", scope="${scope}"`,
    ])
    const isOfAccount = /^\/v1\/users\/me\/(tokens|logins|sessions)/.test(path)
    const error = isOfAccount ? 'auth_method_not_allowed' : 'insufficient_scope'
    expect(await detailOf(response)).toMatchObject({ error, required: [scope], granted: others })
  })
})

describe('usage', () => {
  test('is counted by day, endpoint and source, also across a flush', async () => {
    const { token } = await stranger('counted')
    for (let i = 0; i < 3; i++) await fetched(token)
    await service.post(
      '/v1/fetch/batch',
      {
        locations: [
          { lat: 39.7392, lng: -104.9903 },
          { lat: 25.7907, lng: -80.13 },
        ],
        fields: ['county'],
      },
      as(token),
    )
    await service.testService.app.access.usage.flush()
    await fetched(token)
    const { items } = (await (await service.ask('/v1/users/me/usage', { headers: as(token) })).json()) as {
      items: { endpoint: string; requests: number; fields: number; sources: { source: string; fields: number }[] }[]
    }
    const by = Object.fromEntries(items.map((it) => [it.endpoint, it]))
    expect(by['/v1/fetch']!.requests).toBe(4)
    expect(by['/v1/fetch']!.fields).toBe(8)
    expect(by['/v1/fetch/batch']!.requests).toBe(1)
    expect(by['/v1/fetch/batch']!.fields).toBe(2)
    expect(by['/v1/fetch']!.sources.reduce((sum, it) => sum + it.fields, 0)).toBe(8)
  })

  test.each(['from=yesterday', 'to=2026-02-30', 'from=2020-01-01&to=2026-01-01'])('is 422 for ?%s', async (query) =>
    expect((await service.ask(`/v1/users/me/usage?${query}`)).status).toBe(422),
  )
})

describe('with limits', () => {
  test('an account gets RateLimit headers and is rejected above the limit, without effect on other accounts', async () => {
    const limited = await openHttpService({ FIELDSTONE_RATE_LIMIT: '3', FIELDSTONE_DAILY_QUOTA: '100' })
    const ask = (token: string) => limited.post('/v1/fetch', { ...denver, fields: ['geohash'] }, as(token))
    const { access } = limited.testService.app
    const other = (
      await access.tokens.create(
        (await access.users.invitedAccount((await access.users.invite('other', ['fetch']))!))!,
        { name: 'theirs', scopes: ['fetch'] },
      )
    ).token
    const first = await ask(limited.testService.token)
    expect(first.headers.get('ratelimit-policy')).toBe('"minute";q=3;w=60, "day";q=100;w=86400')
    expect(first.headers.get('ratelimit')).toMatch(/^"minute";r=2;t=\d+, "day";r=99;t=\d+$/)
    await ask(limited.testService.token)
    await ask(limited.testService.token)
    const refused = await ask(limited.testService.token)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(refused.headers.get('ratelimit')).toMatch(/^"minute";r=0/)
    expect(await detailOf(refused)).toMatchObject({
      error: 'rate_limited',
      retryable: true,
      policy: 'minute',
      limit: 3,
      reset_s: expect.any(Number),
    })
    expect((await ask(other)).status).toBe(200)
    await limited.close()
  })

  test('a wrong scope is a 403 that counts against the rate limit and not as usage; it comes before the 429', async () => {
    const limited = await openHttpService({ FIELDSTONE_RATE_LIMIT: '3' })
    const { access } = limited.testService.app
    const account = (await access.users.invitedAccount((await access.users.invite('narrow', ['fetch']))!))!
    const { token } = await access.tokens.create(account, { name: 'narrow', scopes: ['fetch'] })
    const get = async (path: string) => {
      const response = await limited.ask(path, {
        headers: { ...as(token), 'content-type': 'application/json' },
        ...(path === '/v1/fetch' && { method: 'POST', body: JSON.stringify({ ...denver, fields: ['geohash'] }) }),
      })
      return [response.status, Number(/^"minute";r=(\d+)/.exec(response.headers.get('ratelimit')!)![1])]
    }
    expect(await get('/v1/runs')).toEqual([403, 2])
    expect(await get('/v1/fetch')).toEqual([200, 1])
    expect(await get('/v1/runs')).toEqual([403, 0])
    expect(await get('/v1/fetch')).toEqual([429, 0])
    expect(await get('/v1/runs')).toEqual([403, 0])
    expect(await requestsToday(limited.testService.app, account.id)).toBe(1)
    await limited.close()
  })

  test('a second scope that a route needs is checked after the request was counted, once', async () => {
    const limited = await openHttpService({ FIELDSTONE_RATE_LIMIT: '9' })
    const { access } = limited.testService.app
    const account = (await access.users.invitedAccount((await access.users.invite('narrow', ['lookup']))!))!
    const { token } = await access.tokens.create(account, { name: 'narrow', scopes: ['lookup'] })
    const response = await limited.post('/v1/lookup', { input: '39.7392, -104.9903', include_parcel: true }, as(token))
    expect([response.status, response.headers.get('ratelimit')]).toEqual([403, expect.stringMatching(/^"minute";r=8;/)])
    expect(await requestsToday(limited.testService.app, account.id)).toBe(1)
    await limited.close()
  })

  test('the daily quota counts requests', async () => {
    const limited = await openHttpService({ FIELDSTONE_DAILY_QUOTA: '2' })
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push(await limited.post('/v1/fetch', { ...denver, fields: ['geohash'] }))
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
    expect((await detailOf(statuses[2]!)).error).toBe('quota_exceeded')
    expect(await requestsToday(limited.testService.app, 'owner')).toBe(2)
    await limited.close()
  })

  test('an account above every limit can still read its account and its usage, and revoke', async () => {
    const limited = await openHttpService({ FIELDSTONE_RATE_LIMIT: '3', FIELDSTONE_DAILY_QUOTA: '3' })
    const { id } = await made({}, limited.testService.token, limited)
    const ask = async (path: string, method = 'GET') => (await limited.ask(path, { method })).status
    expect([await ask('/v1/users/me/tokens'), await ask('/v1/runs')]).toEqual([200, 200])
    expect([await ask('/v1/runs'), await ask('/v1/users/me/tokens')]).toEqual([429, 429])
    const exempt = [
      ['/v1/users/me', 'GET', 200],
      ['/v1/users/me/usage', 'GET', 200],
      [`/v1/users/me/tokens/${id}`, 'DELETE', 204],
      ['/v1/users/me/logins/login_1', 'DELETE', 404],
      ['/v1/users/me/sessions', 'DELETE', 204],
      ['/v1/users/acc_unknown', 'DELETE', 404],
    ] as const
    for (const [path, method, status] of exempt) expect([path, await ask(path, method)]).toEqual([path, status])
    await limited.close()
  })

  test('a run counts its locations toward the quota, also when it is repeated; polling it does not', async () => {
    const limited = await openHttpService({ FIELDSTONE_DAILY_QUOTA: '5' })
    const run = (locations: number, key: string) =>
      limited.post(
        '/v1/runs',
        {
          kind: 'fetch_batch',
          request: { locations: Array.from({ length: locations }, () => denver), fields: ['geohash'] },
        },
        { 'idempotency-key': key },
      )
    const remaining = (response: Response) => Number(/"day";r=(\d+)/.exec(response.headers.get('ratelimit')!)![1])
    const first = await run(3, 'a')
    const { run_id } = (await first.json()) as { run_id: string }
    expect([first.status, remaining(first)]).toEqual([202, 2])
    for (let i = 0; i < 9; i++) expect((await limited.ask(`/v1/runs/${run_id}`)).status).toBe(200)
    const tooMany = await run(3, 'b')
    expect([tooMany.status, await detailOf(tooMany)]).toMatchObject([429, { error: 'quota_exceeded', policy: 'day' }])
    const failed = await limited.post('/v1/runs', {
      kind: 'fetch_batch',
      request: { locations: [denver], fields: ['no_such_field'] },
    })
    expect([failed.status, remaining(failed)]).toEqual([400, 2])
    expect((await run(2, 'c')).status).toBe(202)
    const repeated = await run(3, 'a')
    expect(repeated.status).toBe(202)
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    expect(remaining(repeated)).toBe(0)
    await limited.close()
  })

  test('there are no RateLimit headers without a limit', async () => {
    expect((await service.ask('/v1/users/me')).headers.has('ratelimit')).toBe(false)
  })
})
