import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { authorizationParameters, callbackUrl, logInWithCode, openOAuthService } from '../http/oauth-service.ts'
import { usesPostgres } from '../support/test-state.ts'

const it = await openOAuthService({ FIELDSTONE_RATE_LIMIT: '1000', FIELDSTONE_DAILY_QUOTA: '1000' })
const { testService: service } = it
const other = new Database(join(service.app.config.data, 'state.db'))
afterAll(async () => {
  other.close()
  await it.close()
})

const client = await it.register()
const { refresh } = await logInWithCode(it, client)
const { body: begun } = await it.form('/oauth/device_authorization', {
  client_id: client.client_id,
  resource: `${it.base_url}/v1`,
})
const token = await service
  .post('/v1/users/me/tokens', { name: 'to be revoked', scopes: ['fetch'] })
  .then((response) => response.json() as Promise<{ id: string }>)

const consent = await it.browser.get(`/oauth/authorize?${await authorizationParameters(client, 'v'.repeat(43))}`)

const writes: [what: string, expected: number, ask: () => Promise<{ status: number }>][] = [
  ['a token is made', 201, () => service.post('/v1/users/me/tokens', { name: 'made', scopes: ['fetch'] })],
  ['a token is revoked', 204, () => service.send(`/v1/users/me/tokens/${token.id}`, { method: 'DELETE' })],
  [
    'a client is registered',
    201,
    () =>
      it.ask('/oauth/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callbackUrl] }),
      }),
  ],
  ['a device begins its login', 200, () => it.form('/oauth/device_authorization', { client_id: client.client_id })],
  [
    'a device asks whether it is let in',
    400,
    () =>
      it.form('/oauth/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(begun.device_code),
        client_id: client.client_id,
      }),
  ],
  [
    'a login is renewed',
    200,
    () => it.form('/oauth/token', { grant_type: 'refresh_token', refresh_token: refresh, client_id: client.client_id }),
  ],
  ['a person lets a client in', 303, () => it.browser.submit(consent, { decision: 'yes' })],
  ['a person signs in', 303, async () => ({ status: (await it.signedIn('owner', service.token)) ? 303 : 0 })],
]

test.skipIf(usesPostgres)(
  'while another process locks the database, writes wait, reads are answered, and nothing fails or is lost',
  async () => {
    other.run('BEGIN IMMEDIATE')
    let done = 0
    const requested = writes.map(async ([what, , ask]) => {
      const { status } = await ask()
      done++
      return [what, status]
    })
    const reads = await Promise.all(
      ['/v1/users/me', '/v1/users/me/usage', '/v1/users/me/tokens', '/v1/users/me/logins'].map(
        async (path) => (await service.send(path)).status,
      ),
    )
    expect([reads, done]).toEqual([[200, 200, 200, 200], 0])
    other.run('ROLLBACK')
    expect(await Promise.all(requested)).toEqual(writes.map(([what, expected]) => [what, expected]))
    expect(service.logged.filter((line) => line.includes('"error"'))).toEqual([])
  },
)
