import { afterAll, describe, expect, test } from 'bun:test'
import { makeToken, tokenHash } from '../../src/auth/token.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { words } from '../support/words.ts'

const service = await openHttpService()
afterAll(service.close)

const body = JSON.stringify({ lat: 39.7392, lng: -104.9903, fields: ['county'] })
const as = (authorization: string | null, path = '/v1/fetch') =>
  service.ask(path, { method: 'POST', headers: { authorization }, body })

/** A new token, changed in the database before its first use. */
async function changed(change: string, ...values: (string | number)[]): Promise<string> {
  const token = await service.testService.app.accounts.issueOwnerToken('a test')
  const statement = `UPDATE tokens SET ${change} WHERE hash = ? RETURNING id`
  expect(await service.testService.state.query(statement, ...values, tokenHash(token))).toHaveLength(1)
  return token
}

describe('a protected request', () => {
  const { token } = service.testService
  const unknown = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))
  const refusals = [
    ['without a header', null, 'auth_missing'],
    ['with an empty header', '', 'auth_malformed'],
    ['with a bare token', token, 'auth_malformed'],
    ['with no space', `Bearer${token}`, 'auth_malformed'],
    ['with Bearerzx', 'Bearerzx', 'auth_malformed'],
    ['with nothing after Bearer', 'Bearer ', 'auth_malformed'],
    ['with two tokens', `Bearer ${token} ${token}`, 'auth_malformed'],
    ['with Basic', `Basic ${btoa(`owner:${token}`)}`, 'auth_malformed'],
    ['with a token that nobody made', `Bearer ${unknown}`, 'auth_invalid'],
    ['with a token one letter off', `Bearer ${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`, 'auth_invalid'],
    ['with text that is no token', 'Bearer x', 'auth_invalid'],
    ['with quotes for SQL', "Bearer ' OR 1=1 --", 'auth_malformed'],
  ] as const
  test.each(refusals)('with %s is 401 with a WWW-Authenticate challenge', async (_name, authorization, code) => {
    const response = await as(authorization)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(
      code === 'auth_missing' ? 'Bearer realm="fieldstone"' : 'Bearer realm="fieldstone", error="invalid_token"',
    )
    expect(await detailOf(response)).toEqual({
      error: code,
      message: expect.any(String),
      retryable: false,
      documentation_url: `/guide/errors#${code}`,
    })
  })

  const accepted = [
    ['Bearer', `Bearer ${token}`],
    ['bearer in small letters', `bearer ${token}`],
    ['BEARER in capitals', `BEARER ${token}`],
    ['more than one space', `Bearer   ${token}`],
  ] as const
  test.each(accepted)('accepts %s', async (_name, authorization) => expect((await as(authorization)).status).toBe(200))

  test.each([`/v1/fetch?access_token=${token}`, `/v1/fetch?token=${token}`])(
    'does not accept a token in the URL (%#)',
    async (path) => expect((await detailOf(await as(null, path))).error).toBe('auth_missing'),
  )

  test('distinguishes an expired token from a revoked one', async () => {
    const expired = await as(`Bearer ${await changed('expires_at = ?', Date.now() - 1)}`)
    const revoked = await as(`Bearer ${await changed('revoked_at = ?', Date.now())}`)
    expect([expired.status, (await detailOf(expired)).error]).toEqual([401, 'auth_expired'])
    expect([revoked.status, (await detailOf(revoked)).error]).toEqual([401, 'auth_revoked'])
  })

  test('is answered on the last day of its token', async () => {
    expect((await as(`Bearer ${await changed('expires_at = ?', Date.now() + 86_400_000)}`)).status).toBe(200)
  })
})

describe('the token as the password of Basic authentication', () => {
  const { token } = service.testService
  const basic = (credentials: string) => `Basic ${btoa(credentials)}`
  const read = (path: string, authorization: string) => service.ask(path, { headers: { authorization } })

  test.each(['/ogc', '/edr/collections', '/tiles'])('is accepted at %s, with any user name', async (path) => {
    for (const credentials of [`token:${token}`, `:${token}`, `Ada Lovelace:${token}`])
      expect((await read(path, basic(credentials))).status).toBe(200)
  })

  test.each([
    ['another password', basic('token:x')],
    ['no password', basic('token')],
    ['the token as the name', basic(`${token}:`)],
    ['no base64', `Basic ${token}:x`],
  ])('%s is 401', async (_, authorization) => expect((await read('/ogc', authorization)).status).toBe(401))

  test.each(['/v1/users/me', '/v1/runs', '/ogcx'])('is not read at %s', async (path) => {
    expect((await read(path, basic(`token:${token}`))).status).toBe(401)
  })
})

describe('a token without the scope', () => {
  test.each(['/v1/fetch', '/v1/fetch/batch'])(
    'is rejected with 403 at %s, with the required and the granted scopes',
    async (path) => {
      const response = await as(`Bearer ${await changed('scopes = ?', 'geocode lookup')}`, path)
      expect(response.status).toBe(403)
      expect(response.headers.get('www-authenticate')).toBe(
        'Bearer realm="fieldstone", error="insufficient_scope", scope="fetch"',
      )
      expect(await detailOf(response)).toEqual({
        error: 'insufficient_scope',
        message: expect.any(String),
        retryable: false,
        documentation_url: '/guide/errors#insufficient_scope',
        required: ['fetch'],
        granted: ['geocode', 'lookup'],
      })
    },
  )

  test('is rejected when it has only a scope that starts with the required one', async () => {
    expect((await as(`Bearer ${await changed('scopes = ?', 'fetcher')}`)).status).toBe(403)
  })

  test('is answered once it has the scope among others', async () => {
    expect((await as(`Bearer ${await changed('scopes = ?', 'geocode fetch')}`)).status).toBe(200)
  })
})

describe('public paths', () => {
  test.each(words`
    /healthz /readyz /v1/docs /v1/openapi.json /v1/meta/fields /v1/meta/sources /v1/meta/limits
  `)('%s needs no token', async (path) => {
    expect((await service.ask(path, { headers: { authorization: null } })).status).toBe(200)
  })

  test.each(['/v1', '/v1/', '/v1/nothing', '/V1/docs', '/v1/docsx', '/v1//meta/fields', '/v1/metadata'])(
    '%s is not public',
    async (path) => expect((await service.ask(path, { headers: { authorization: null } })).status).toBe(401),
  )

  test('ignore an invalid token', async () => {
    expect((await service.ask('/v1/meta/limits', { headers: { authorization: 'Bearer x' } })).status).toBe(200)
  })
})

test('with FIELDSTONE_AUTH=off no request needs a token', async () => {
  const open = await openHttpService({ FIELDSTONE_AUTH: 'off' })
  const response = await open.ask('/v1/fetch', { method: 'POST', headers: { authorization: null }, body })
  await open.close()
  expect(response.status).toBe(200)
})

test('no token is ever logged', async () => {
  const { token, logged } = service.testService
  await as(`Bearer ${token}x`)
  await as(null, `/v1/fetch?access_token=${token}`)
  await as(`Bearer ${token}`)
  expect(logged.filter((line) => line.includes('fst_'))).toEqual([])
})
