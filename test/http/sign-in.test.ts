import { afterAll, describe, expect, test } from 'bun:test'
import { openBrowser } from './browser.ts'
import { authorizationParameters, callbackUrl, openOAuthService, testPassword } from './oauth-service.ts'
import { bytes } from './state-bytes.ts'

const it = await openOAuthService()
afterAll(it.close)
const { ask, base_url } = it
const { users } = it.testService.app.access
const newBrowser = () => openBrowser(ask, base_url)
const invited = async (name: string) => {
  const code = (await users.invite(name, ['fetch']))!
  await users.acceptInvitation(code, testPassword)
  return code
}

describe('an invitation', () => {
  test('sets a password once, signs the user in, and then expires', async () => {
    const code = (await users.invite('ada', ['fetch']))!
    const browser = newBrowser()
    const page = await browser.get(`/invitation/${code}`)
    expect(page.text).toContain('<strong>ada</strong>')
    const done = await browser.submit(page, { password: testPassword })
    expect([done.status, done.location]).toEqual([303, '/'])
    expect((await newBrowser().get(`/invitation/${code}`)).status).toBe(404)
    expect((await it.signedIn('ada', testPassword)).cookie()).toStartWith('fieldstone=')
  })

  test('is valid for a week', async () => {
    const code = (await users.invite('late', ['fetch']))!
    it.clock.ahead_ms += 7 * 86_400_000
    expect((await newBrowser().get(`/invitation/${code}`)).status).toBe(404)
    it.clock.ahead_ms = 0
  })

  test.each(['short', 'x'.repeat(300)])('rejects a password that is too short or too long (%#)', async (weak) => {
    const code = (await users.invite(`weak ${weak.length}`, ['fetch']))!
    const browser = newBrowser()
    expect((await browser.submit(await browser.get(`/invitation/${code}`), { password: weak })).status).toBe(400)
    expect(await users.invitedAccount(code)).not.toBeNull()
  })

  test('can be created once per name', async () => {
    expect((await users.invite('twice', ['fetch'])) === null).toBe(false)
    expect(await users.invite('twice', ['fetch'])).toBeNull()
    expect(await users.invite('owner', ['fetch'])).toBeNull()
  })

  test('for a new password ends existing sessions', async () => {
    await invited('renewed')
    const before = await it.signedIn('renewed', testPassword)
    await users.acceptInvitation((await users.createResetCode('renewed'))!, 'another password entirely')
    expect((await ask('/v1/users/me', { headers: { cookie: before.cookie()! } })).status).toBe(401)
    expect((await it.signedIn('renewed', 'another password entirely')).cookie()).not.toBeNull()
  })
})

describe('sign-in', () => {
  test.each([
    ['owner', 'wrong'],
    ['nobody', 'wrong'],
    ['nobody', testPassword],
    ['owner', ''],
  ])('rejects %s with %j with the same message', async (name, secret) => {
    const browser = newBrowser()
    const page = await browser.submit(await browser.get('/sign-in'), { name, password: secret })
    expect([page.status, page.text.includes('Wrong name or password.')]).toEqual([401, true])
  })

  test("takes a token that has every scope of the account, and none that has fewer or is another's", async () => {
    const { tokens } = it.testService.app.access
    const owner = await it.testService.app.accounts.authenticate(`Bearer ${it.testService.token}`)
    const fewer = (await tokens.create(owner, { name: 'fewer', scopes: ['fetch'] })).token
    await invited('borrower')
    expect(await users.signIn('owner', it.testService.token, 'here')).toMatchObject({ id: 'owner' })
    expect(await users.signIn('owner', fewer, 'here')).toBeNull()
    expect(await users.signIn('borrower', it.testService.token, 'here')).toBeNull()
  })

  test('takes a token alone, and says so', async () => {
    const browser = newBrowser()
    const page = await browser.get('/sign-in')
    expect(page.text).toContain('leave the name empty')
    const done = await browser.submit(page, { name: '', password: it.testService.token })
    expect([done.status, done.location]).toEqual([303, '/'])
    const owner = await it.testService.app.accounts.authenticate(`Bearer ${it.testService.token}`)
    const fewer = (await it.testService.app.access.tokens.create(owner, { name: 'alone', scopes: ['fetch'] })).token
    expect(await users.signIn('', fewer, 'here')).toBeNull()
    expect(await users.signIn('', testPassword, 'nowhere')).toBeNull()
  })

  test('is blocked after ten failures under one name, whatever the password, and returns Retry-After', async () => {
    await invited('guessed')
    for (let i = 0; i < 10; i++) await users.signIn('guessed', `wrong ${i}`, `address ${i}`)
    const browser = newBrowser()
    const page = await browser.submit(await browser.get('/sign-in'), { name: 'guessed', password: testPassword })
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    it.clock.ahead_ms += 16 * 60_000
    expect(await users.signIn('guessed', testPassword, 'here')).not.toBeNull()
    it.clock.ahead_ms = 0
  })

  test('is blocked after ten failures from one IPv6 network, whatever the names and the addresses', async () => {
    for (let i = 0; i < 10; i++) await users.signIn(`name${i}`, 'wrong', `2001:db8:7:1::${i}`)
    const attempt = (address: string) =>
      users.signIn('somebody', 'wrong', address).catch((error: Error) => error.message)
    expect(await attempt('2001:db8:7:1:a:b:c:d')).toBe('Too many failed attempts. Try again later.')
    expect(await attempt('2001:db8:7:2::1')).toBeNull()
  })

  test("gives another secret than the browser had before, so that nobody's was planted", async () => {
    const browser = newBrowser()
    const page = await browser.get('/sign-in')
    const before = browser.cookie()
    await browser.submit(page, { name: 'owner', password: it.testService.token })
    expect([before === null, browser.cookie() === before]).toEqual([false, false])
  })

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/ok\r\nSet-Cookie: x=y',
    '/\t/evil.example',
  ])('never redirects to %j', async (next) => {
    const browser = newBrowser()
    const page = await browser.get(`/sign-in?next=${encodeURIComponent(next)}`)
    expect((await browser.submit(page, { name: 'owner', password: it.testService.token })).location).toBe('/')
  })

  test('ends with sign-out', async () => {
    const browser = await it.signedIn('owner', it.testService.token)
    const cookie = browser.cookie()!
    const me = (await (await ask('/v1/users/me', { headers: { cookie } })).json()) as { csrf_token: string }
    await browser.submit({
      status: 200,
      headers: new Headers(),
      text: `<form method="post" action="/sign-out"><input type="hidden" name="csrf_token" value="${me.csrf_token}">`,
      address: '/',
      location: null,
    })
    expect((await ask('/v1/users/me', { headers: { cookie } })).status).toBe(401)
  })
})

describe('a session', () => {
  const write = (headers: Record<string, string>) =>
    ask('/v1/users/me/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"name":"by session","scopes":["fetch"]}',
    })

  test('reads like a token, and writes only with its CSRF token and from a page of this server', async () => {
    const browser = await it.signedIn('owner', it.testService.token)
    const cookie = browser.cookie()!
    const { csrf_token } = (await (await ask('/v1/users/me', { headers: { cookie } })).json()) as { csrf_token: string }
    const origin = new URL(base_url).origin
    const statuses = await Promise.all([
      write({ cookie, origin, 'x-csrf-token': csrf_token }),
      write({ cookie, origin }),
      write({ cookie, origin, 'x-csrf-token': 'x' }),
      write({ cookie, 'x-csrf-token': csrf_token }),
      write({ cookie, origin: 'https://evil.example', 'x-csrf-token': csrf_token }),
      write({ cookie, origin: 'http://127.0.0.1:9999', 'x-csrf-token': csrf_token }),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([201, 403, 403, 403, 403, 403])
  })

  test('lasts twelve hours', async () => {
    const browser = await it.signedIn('owner', it.testService.token)
    it.clock.ahead_ms += 12 * 3_600_000
    expect((await ask('/v1/users/me', { headers: { cookie: browser.cookie()! } })).status).toBe(401)
    it.clock.ahead_ms = 0
  })
})

describe('a form', () => {
  const pages = [
    ['/sign-in', { name: 'owner', password: 'x' }],
    ['/device', { user_code: 'BBBB-BBBB' }],
    ['/oauth/authorize', { query: '', decision: 'yes' }],
  ] as const
  test.each(pages)('of %s is accepted only from a page of this server with its CSRF token', async (path, typed) => {
    const browser = await it.signedIn('owner', it.testService.token)
    const form = await browser.get('/device')
    const at = { ...form, text: form.text.replace('action="/device"', `action="${path}"`) }
    const statuses = await Promise.all([
      browser.submit(at, typed, { origin: 'https://evil.example' }),
      browser.submit(at, typed, { origin: 'null' }),
      browser.submit(at, { ...typed, csrf_token: 'x' }),
      newBrowser().submit(at, typed),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })
})

describe('every page', () => {
  const paths = ['/sign-in', '/device', '/invitation/nothing'] as const
  test.each(paths)('%s has no scripts, loads nothing, cannot be framed and is not cached', async (path) => {
    const { headers, text } = await it.browser.get(path)
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(/<script/i.test(text)).toBe(false)
    expect(/ on\w+=/i.test(text)).toBe(false)
    expect(text.includes('<html lang="en">')).toBe(true)
  })

  test('has a label for every input', async () => {
    for (const path of paths.slice(0, 2)) {
      const { text } = await newBrowser().get(path)
      for (const [, id] of text.matchAll(/<input id="(\w+)"/g)) expect(text).toContain(`<label for="${id}">`)
    }
  })

  test('of consent allows redirects only to the client, and escapes the client name', async () => {
    const client = await it.register()
    const evil = (await (
      await ask('/oauth/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callbackUrl], client_name: '<img src=x onerror=alert(1)>\u202Eevil\n' }),
      })
    ).json()) as { client_id: string; client_name: string }
    const page = await it.browser.get(`/oauth/authorize?${await authorizationParameters(client, 'v'.repeat(43))}`)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:33418;")
    const second = await it.browser.get(
      `/oauth/authorize?${await authorizationParameters({ client_id: evil.client_id }, 'v'.repeat(43))}`,
    )
    expect(second.text.includes('<img')).toBe(false)
    expect(second.text.includes('&lt;img src=x onerror=alert(1)&gt;evil')).toBe(true)
  })

  test('sets an HttpOnly SameSite cookie, with https for this host only', async () => {
    expect((await newBrowser().get('/sign-in')).headers.get('set-cookie')).toMatch(
      /^fieldstone=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    )
    const secure = await openOAuthService({ FIELDSTONE_BASE_URL: 'https://fieldstone.example' })
    expect((await openBrowser(secure.ask, secure.base_url).get('/sign-in')).headers.get('set-cookie')).toMatch(
      /^__Host-fieldstone=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200$/,
    )
    await secure.close()
  })
})

test('only hashes of passwords, invitations and sessions are stored, and nothing is logged', async () => {
  const code = (await users.invite('kept', ['fetch']))!
  const browser = await it.signedIn('ada', testPassword)
  const stored = await bytes(it.testService)
  const secrets = [testPassword, code, browser.cookie()!.split('=')[1]!]
  expect(secrets.filter((secret) => stored.includes(secret))).toEqual([])
  expect(it.testService.logged.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
  expect(stored.includes('$argon2id$')).toBe(true)
})

describe('a path without a page', () => {
  const html = { accept: 'text/html,application/xhtml+xml' }

  test.each(['/nothing', '/runs/a/b', '/catalogue'])('%s is a page for a browser, with status 404', async (path) => {
    const response = await ask(path, { headers: html })
    const text = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(text).toContain(`There is no page at <strong>${path}</strong>`)
    expect(text).toContain('<link rel="icon" href="data:image/svg+xml,')
  })

  test('under /v1 is JSON for everybody', async () => {
    const response = await ask('/v1/nothing', {
      headers: { accept: 'text/html', authorization: `Bearer ${it.testService.token}` },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json;charset=utf-8'])
  })
})
