import { afterAll, describe, expect, test } from 'bun:test'
import { allScopes } from '../../src/auth/scope.ts'
import type { Browser } from './browser.ts'
import { detailOf } from '../support/http-service.ts'
import { openOAuthService, testPassword } from './oauth-service.ts'

const it = await openOAuthService()
afterAll(it.close)
const { ask, testService: service } = it

type Invited = { id: string; name: string; scopes: string[]; has_password: boolean; invitation_url: string }
const as = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
const send = (method: string, path: string, body?: unknown, token = service.token) =>
  ask(path, { method, headers: as(token), ...(body !== undefined && { body: JSON.stringify(body) }) })
const invited = async (body: Record<string, unknown>) =>
  (await (await send('POST', '/v1/users', body)).json()) as Invited
const list = async () => ((await (await send('GET', '/v1/users')).json()) as { items: Invited[] }).items
const tokenOf = async (scopes: string[]) =>
  ((await (await send('POST', '/v1/users/me/tokens', { name: 'a test', scopes })).json()) as { token: string }).token
const codeIn = ({ invitation_url }: Invited) => invitation_url.split('/').at(-1)!

describe('users', () => {
  test('are invited with their scopes by a link that works once', async () => {
    const ada = await invited({ name: 'ada', scopes: ['fetch', 'fetch', 'runs'] })
    expect(ada).toMatchObject({ name: 'ada', scopes: ['fetch', 'runs'], has_password: false })
    const page = await it.browser.get(ada.invitation_url)
    expect(page.text).toContain('<strong>ada</strong>')
    await service.app.access.users.acceptInvitation(codeIn(ada), testPassword)
    expect((await it.browser.get(ada.invitation_url)).status).toBe(404)
    expect((await list()).find(({ id }) => id === ada.id)).toMatchObject({ has_password: true })
  })

  test('have by default all scopes except parcel and admin', async () => {
    expect((await invited({ name: 'usual' })).scopes).toEqual(['fetch', 'geocode', 'lookup', 'ask', 'runs'])
  })

  test.each([
    ['owner', 409],
    ['no name', 422],
    ['', 422],
    ['x'.repeat(65), 422],
    ['<b>', 422],
  ])('cannot be invited as %j', async (name, status) => {
    expect((await send('POST', '/v1/users', { name })).status).toBe(status)
  })

  test('can be listed, invited and removed only with the scope admin', async () => {
    const token = await tokenOf(['fetch', 'runs'])
    const answers = await Promise.all([
      send('GET', '/v1/users', undefined, token),
      send('POST', '/v1/users', { name: 'eve' }, token),
      send('POST', '/v1/users/owner/link', {}, token),
      send('DELETE', '/v1/users/owner', undefined, token),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })

  test('get at most the scopes of the inviting user, also by a password link', async () => {
    const token = await tokenOf(['admin', 'fetch'])
    expect(
      (await detailOf(await send('POST', '/v1/users', { name: 'more', scopes: ['runs'] }, token))).required,
    ).toEqual(['runs'])
    const more = await invited({ name: 'runner', scopes: ['runs'] })
    expect((await send('POST', `/v1/users/${more.id}/link`, {}, token)).status).toBe(403)
    expect((await send('POST', '/v1/users/owner/link', {}, token)).status).toBe(403)
  })

  test('with the scope admin cannot create a link for the owner', async () => {
    const { access } = service.app
    const boss = (await access.users.invitedAccount((await access.users.invite('boss', [...allScopes]))!))!
    const { token } = await access.tokens.create(boss, { name: 'theirs', scopes: [...boss.scopes] })
    expect((await detailOf(await send('POST', '/v1/users/owner/link', {}, token))).error).toBe('user_not_found')
  })

  test('with the scope admin get links only from somebody who signed in with a password, not with a token', async () => {
    const { users } = service.app.access
    const chief = (await users.invitedAccount((await users.invite('chief', ['admin', 'fetch']))!))!
    const forAdmins = [
      ['/v1/users/owner/link', {}],
      [`/v1/users/${chief.id}/link`, {}],
      ['/v1/users', { name: 'deputy', scopes: ['admin'] }],
    ] as const
    const statuses = async (request: (path: string, body: object) => Promise<Response>) =>
      Promise.all(forAdmins.map(async ([path, body]) => (await request(path, body)).status))
    const inBrowser = (browser: Browser) => async (path: string, body: object) => {
      const cookie = browser.cookie()!
      const { csrf_token } = JSON.parse((await browser.get('/v1/users/me')).text) as { csrf_token: string }
      const headers = { cookie, origin: it.base_url, 'x-csrf-token': csrf_token, 'content-type': 'application/json' }
      return ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    expect(await statuses((path, body) => send('POST', path, body))).toEqual([403, 403, 403])
    expect(await statuses(inBrowser(await it.signedIn('owner', service.token)))).toEqual([403, 403, 403])
    await users.acceptInvitation((await users.createResetCode('owner'))!, testPassword)
    expect(await statuses(inBrowser(await it.signedIn('owner', testPassword)))).toEqual([200, 200, 201])
  })

  test('get links from a token that end when the token is revoked or expires', async () => {
    const create = async (expires_in_days: number) =>
      (await (
        await send('POST', '/v1/users/me/tokens', { name: 'inviting', scopes: ['admin', 'fetch'], expires_in_days })
      ).json()) as { id: string; token: string }
    const linksOf = async ({ token }: { token: string }, name: string) => {
      const invitation = (await (await send('POST', '/v1/users', { name, scopes: ['fetch'] }, token)).json()) as Invited
      const link = (await (await send('POST', `/v1/users/${invitation.id}/link`, {}, token)).json()) as Invited
      return [invitation, link]
    }
    const statusesOf = (links: Invited[]) =>
      Promise.all(links.map(async ({ invitation_url }) => (await it.browser.get(invitation_url)).status))
    const [revoked, expiring] = [await create(2), await create(2)]
    const [ofRevoked, ofExpiring] = [await linksOf(revoked, 'ruth'), await linksOf(expiring, 'emil')]
    expect(await statusesOf([...ofRevoked, ...ofExpiring])).toEqual([200, 200, 200, 200])
    expect((await send('DELETE', `/v1/users/me/tokens/${revoked.id}`)).status).toBe(204)
    expect(await statusesOf([...ofRevoked, ...ofExpiring])).toEqual([404, 404, 200, 200])
    it.clock.ahead_ms += 2 * 86_400_000
    expect(await statusesOf(ofExpiring)).toEqual([404, 404])
    expect(await service.app.access.users.acceptInvitation(codeIn(ofExpiring[0]!), testPassword)).toBeNull()
    it.clock.ahead_ms = 0
  })

  test('who are removed lose sessions, tokens and links at once; their runs stop and their name is free', async () => {
    const eve = await invited({ name: 'eve', scopes: ['fetch', 'runs'] })
    const account = (await service.app.access.users.acceptInvitation(codeIn(eve), testPassword))!
    const link = (await (await send('POST', `/v1/users/${eve.id}/link`, {})).json()) as Invited
    const { token } = await service.app.access.tokens.create(account, { name: 'theirs', scopes: ['fetch', 'runs'] })
    const browser = await it.signedIn('eve', testPassword)
    const { run_id } = (await (
      await send(
        'POST',
        '/v1/runs',
        {
          kind: 'fetch_batch',
          request: {
            // Enough for more than the second that a revocation takes on PostgreSQL.
            locations: Array.from({ length: 10_000 }, (_, i) => ({ lat: 39 + i / 10_000, lng: -105 })),
            preset: 'place_context',
          },
        },
        token,
      )
    ).json()) as { run_id: string }
    expect((await send('GET', '/v1/users/me', undefined, token)).status).toBe(200)
    expect((await send('DELETE', `/v1/users/${eve.id}`)).status).toBe(204)
    expect((await detailOf(await send('GET', '/v1/users/me', undefined, token))).error).toBe('auth_invalid')
    expect((await ask('/v1/users/me', { headers: { cookie: browser.cookie()! } })).status).toBe(401)
    expect((await it.browser.get(link.invitation_url)).status).toBe(404)
    expect(await service.app.runs.reader.find(run_id, eve.id)).toMatchObject({ cancelled_at: expect.any(Number) })
    expect((await invited({ name: 'eve' })).id).not.toBe(eve.id)
  })

  test.each([
    ['owner', 400, 'bad_request'],
    ['acc_nobody', 404, 'user_not_found'],
  ] as const)('%s cannot be removed', async (id, status, error) => {
    const response = await send('DELETE', `/v1/users/${id}`)
    expect([response.status, (await detailOf(response)).error]).toEqual([status, error])
    expect((await send('GET', '/v1/users/me')).status).toBe(200)
  })
})

describe('sessions', () => {
  const sessions = async (cookie: string) =>
    (
      (await (await ask('/v1/users/me/sessions', { headers: { cookie } })).json()) as {
        items: { is_current: boolean; created_at: string; expires_at: string }[]
      }
    ).items

  test('are listed with the current one marked, and all others can be ended', async () => {
    const [one, other] = [await it.signedIn('ada', testPassword), await it.signedIn('ada', testPassword)]
    const cookie = one.cookie()!
    const items = await sessions(cookie)
    expect([items.length, items.filter(({ is_current }) => is_current).length]).toEqual([2, 1])
    expect(Date.parse(items[0]!.expires_at) - Date.parse(items[0]!.created_at)).toBe(12 * 3_600_000)
    const { csrf_token } = (await (await ask('/v1/users/me', { headers: { cookie } })).json()) as { csrf_token: string }
    const end = (headers: Record<string, string>) =>
      ask('/v1/users/me/sessions', { method: 'DELETE', headers: { cookie, ...headers } })
    expect((await end({})).status).toBe(403)
    expect((await end({ origin: new URL(it.base_url).origin, 'x-csrf-token': csrf_token })).status).toBe(204)
    expect((await sessions(cookie)).map(({ is_current }) => is_current)).toEqual([true])
    expect((await ask('/v1/users/me', { headers: { cookie: other.cookie()! } })).status).toBe(401)
  })
})
