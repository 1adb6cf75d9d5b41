import { afterAll, describe, expect, test } from 'bun:test'
import * as oauth from 'oauth4webapi'
import { openBrowser } from './browser.ts'
import { openOAuthService } from './oauth-service.ts'
import { bytes } from './state-bytes.ts'
import { scopeDescriptions } from '../../src/web/account/scope-descriptions.ts'

const it = await openOAuthService()
afterAll(it.close)
const { server, options, form, base_url, browser } = it
const client: oauth.Client = { client_id: 'fieldstone-cli' }

const begun = async (more: Record<string, string> = {}) =>
  oauth.processDeviceAuthorizationResponse(
    server,
    client,
    await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { ...more }, options),
  )
const poll = (device_code: string, client_id = client.client_id) =>
  form('/oauth/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, client_id })
const decided = async (user_code: string, decision: string, at = browser) => {
  const requested = await at.submit(await at.get('/device'), { user_code })
  return requested.status === 200
    ? at.submit(requested, { user_code: user_code.replace('-', ''), decision })
    : requested
}

describe('a device', () => {
  test('is connected when a user enters its code, and its token works for /v1', async () => {
    const { device_code, user_code, interval, expires_in, verification_uri_complete } = await begun({
      scope: 'fetch runs',
    })
    expect(interval).toBe(5)
    expect(expires_in).toBe(600)
    expect(verification_uri_complete).toBe(`${base_url}/device?user_code=${user_code}`)
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect((await poll(device_code)).body.error).toBe('authorization_pending')
    expect((await decided(user_code.toLowerCase(), 'yes')).text).toContain('Device connected')
    it.clock.ahead_ms += 5000
    const tokens = await oauth.processDeviceCodeResponse(
      server,
      client,
      await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device_code, options),
    )
    expect(tokens.scope).toBe('fetch runs')
    expect((await it.ask('/v1/users/me', { headers: { authorization: `Bearer ${tokens.access_token}` } })).status).toBe(
      200,
    )
    expect((await poll(device_code)).body.error).toBe('invalid_grant')
  })

  test('that polls too often gets slow_down, with a longer interval each time', async () => {
    const { device_code } = await begun()
    const errors = []
    for (const wait_ms of [0, 1000, 9000, 15_000, 15_000]) {
      it.clock.ahead_ms += wait_ms
      errors.push((await poll(device_code)).body.error)
    }
    expect(errors).toEqual([
      'authorization_pending',
      'slow_down',
      'slow_down',
      'authorization_pending',
      'authorization_pending',
    ])
  })

  test('that is denied gets access_denied once', async () => {
    const { device_code, user_code } = await begun()
    await decided(user_code, 'no')
    expect((await poll(device_code)).body.error).toBe('access_denied')
    expect((await poll(device_code)).body.error).toBe('invalid_grant')
  })

  test('has ten minutes to be approved', async () => {
    const { device_code, user_code } = await begun()
    it.clock.ahead_ms += 601_000
    expect((await poll(device_code)).body.error).toBe('expired_token')
    expect((await decided(user_code, 'yes')).status).toBe(400)
  })

  test('has a code that no other client can use', async () => {
    const { device_code, user_code } = await begun()
    const other = await it.register()
    await decided(user_code, 'yes')
    expect((await poll(device_code, other.client_id)).body.error).toBe('invalid_grant')
    expect((await poll(device_code)).status).toBe(200)
  })

  test('gets at most the scopes of the user', async () => {
    const { users } = it.testService.app.access
    const code = (await users.invite('fetcher', ['fetch']))!
    await users.acceptInvitation(code, 'a password of some length')
    const theirs = await it.signedIn('fetcher', 'a password of some length')
    const { device_code, user_code } = await begun({ scope: 'fetch admin' })
    await decided(user_code, 'yes', theirs)
    expect((await poll(device_code)).body.scope).toBe('fetch')
    const second = await begun({ scope: 'admin' })
    await decided(second.user_code, 'yes', theirs)
    expect((await poll(second.device_code)).body.error).toBe('access_denied')
  })

  test.each([
    ['scope', 'everything', 'invalid_scope'],
    ['resource', 'https://evil.example/', 'invalid_target'],
    ['client_id', 'client_unknown', 'invalid_client'],
  ])('is not started with the %s %s', async (name, value, error) => {
    expect((await form('/oauth/device_authorization', { client_id: client.client_id, [name]: value })).body.error).toBe(
      error,
    )
  })
})

describe('the page', () => {
  test('only fills in a code from the URL, and shows the client and its scopes after it is submitted', async () => {
    const { user_code } = await begun({ scope: 'fetch' })
    const page = await browser.get(`/device?user_code=${user_code}`)
    expect([page.text.includes(`value="${user_code}"`), page.text.includes('Allow')]).toEqual([true, false])
    const requested = await browser.submit(page, { user_code })
    for (const words of [
      'Fieldstone command line',
      user_code,
      scopeDescriptions.fetch,
      'If somebody sent you this code',
      '<strong>owner</strong>',
    ])
      expect(requested.text).toContain(words)
  })

  test('asks for sign-in first and then returns', async () => {
    const fresh = openBrowser(it.ask, base_url)
    const { user_code } = await begun()
    const page = await fresh.get(`/device?user_code=${user_code}`)
    const gone = await fresh.submit(page, { name: 'owner', password: it.testService.token })
    expect([gone.status, gone.location]).toEqual([303, `/device?user_code=${user_code}`])
  })

  test('escapes the typed text', async () => {
    const page = await browser.get(`/device?user_code=${encodeURIComponent('"><script>x')}`)
    expect([page.text.includes('<script'), page.text.includes('&quot;&gt;&lt;script&gt;x')]).toEqual([false, true])
  })

  test('is locked after five wrong codes, also for a valid one, and unlocks later', async () => {
    const { user_code } = await begun()
    it.clock.ahead_ms += 16 * 60_000
    const next = await begun()
    for (let i = 0; i < 5; i++) expect((await decided('BBBB-BBBB', 'yes')).status).toBe(400)
    expect((await decided(next.user_code, 'yes')).status).toBe(429)
    it.clock.ahead_ms += 16 * 60_000
    const last = await begun()
    expect((await decided(user_code, 'yes')).status).toBe(400)
    expect((await decided(last.user_code, 'yes')).status).toBe(200)
  })
})

test('only the hash of a device code is stored, and neither code is logged', async () => {
  const { device_code, user_code } = await begun()
  await poll(device_code)
  expect((await bytes(it.testService)).includes(device_code)).toBe(false)
  expect(it.testService.logged.filter((line) => line.includes(device_code) || line.includes(user_code))).toEqual([])
})

test('at most sixty devices of one address can be pending', async () => {
  const answers = []
  for (let i = 0; i < 61; i++)
    answers.push((await form('/oauth/device_authorization', { client_id: client.client_id })).status)
  expect([answers[0], answers.at(-1)]).toEqual([200, 429])
})

test('seventeen IPv6 addresses of one network cannot block the device logins of others', async () => {
  const fresh = await openOAuthService()
  const { deviceFlow, clients } = fresh.testService.app.access
  const builtIn = await clients.find('fieldstone-cli', 'the test')
  const start = async (address: string) => {
    try {
      await deviceFlow.start(new URLSearchParams(), builtIn, address)
      return 'started'
    } catch (error) {
      return error instanceof Error ? error.message : error
    }
  }
  const outcomes = await Promise.all(
    Array.from({ length: 17 * 60 }, (_, i) => start(`2001:db8:0:1::${(i % 17).toString(16)}`)),
  )
  expect(outcomes.filter((it) => it === 'started').length).toBe(60)
  expect(await start('2001:db8:0:2::1')).toBe('started')
  expect(await start('203.0.113.7')).toBe('started')
  await fresh.close()
})
