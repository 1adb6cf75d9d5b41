import { afterAll, expect, test } from 'bun:test'
import { sucrose } from 'elysia/sucrose'
import { createHttpServer } from '../../src/http/server.ts'
import { detailOf, openHttpService, type HttpRequest } from '../support/http-service.ts'

/** All slots are in use: every request that reaches admission is rejected. */
const service = await openHttpService({ FIELDSTONE_CONCURRENCY: '1', FIELDSTONE_QUEUE: '0' })
const release = Promise.withResolvers<void>()
const held = service.testService.app.admission.run(() => release.promise, { signal: new AbortController().signal })
const narrow = await service.testService.app.accounts.issueOwnerToken('narrow')
await service.testService.state.query("UPDATE tokens SET scopes = 'ask' WHERE name = 'narrow'")
afterAll(async () => {
  release.resolve()
  await held
  await service.close()
})

const names = [...service.testService.app.catalog.fields.keys()]
const nowhere = { lat: 0, lng: 0 }

type Offence = { path?: string; headers?: HttpRequest['headers']; body?: string }

/** The possible errors of a request, in the order in which they are checked. */
const offences: [code: string, status: number, offence: Offence][] = [
  ['host_not_allowed', 421, { headers: { host: 'evil.example' } }],
  ['body_too_large', 413, { headers: { 'content-length': '1048577' } }],
  ['auth_missing', 401, { headers: { authorization: null } }],
  ['not_found', 404, { path: '/v1/nothing' }],
  ['insufficient_scope', 403, { headers: { authorization: `Bearer ${narrow}` } }],
  ['unsupported_media_type', 415, { headers: { 'content-type': 'text/plain' } }],
  ['422', 422, { body: JSON.stringify({ lat: 'x' }) }],
  ['no_fields_requested', 400, { body: JSON.stringify(nowhere) }],
  ['preset_unknown', 400, { body: JSON.stringify({ ...nowhere, preset: 'x', fields: ['x'] }) }],
  ['fields_unknown', 400, { body: JSON.stringify({ ...nowhere, fields: [...names.slice(0, 51), 'x'] }) }],
  ['fields_too_many', 400, { body: JSON.stringify({ ...nowhere, fields: names.slice(0, 51) }) }],
  ['fetch_busy', 503, { body: JSON.stringify({ ...nowhere, fields: ['county'] }) }],
]

const pairs = offences.flatMap(([code, status, first], i) =>
  offences.slice(i + 1).map(([later, , second]) => [code, later, status, first, second] as const),
)

test.each(pairs.filter(([, , , first, second]) => canMeet(first, second)))(
  '%s is checked before %s',
  async (code, _later, status, first, second) => {
    const { path, headers, body } = { ...second, ...first, headers: { ...second.headers, ...first.headers } }
    const response = await service.ask(path ?? '/v1/fetch', {
      method: 'POST',
      headers,
      body: body ?? JSON.stringify({ ...nowhere, fields: ['county'] }),
    })
    expect(response.status).toBe(status)
    if (status !== 422) expect((await detailOf(response)).error).toBe(code)
  },
)

test.each(offences)(
  '%s is checked before the coordinate: a rejected request is not geocoded',
  async (code, status, { path, headers, body }) => {
    const response = await service.ask(path ?? '/v1/fetch', {
      method: 'POST',
      headers,
      body: body ?? JSON.stringify({ ...nowhere, fields: ['county'] }),
    })
    expect(response.status).toBe(status)
    if (status !== 422) expect((await detailOf(response)).error).toBe(code)
  },
)

test('a wrong method is checked before the scope', async () => {
  expect(
    (await service.ask('/v1/fetch', { method: 'PUT', headers: { authorization: `Bearer ${narrow}` } })).status,
  ).toBe(405)
})

/** Two errors in the same part of a request cannot be combined. */
function canMeet(a: Offence, b: Offence): boolean {
  return !(a.body && b.body) && !Object.keys(a.headers ?? {}).some((name) => name in (b.headers ?? {}))
}

test('the router reads no body: each route receives its own, after the checks before it', () => {
  const { routes } = createHttpServer(service.testService.app)
  expect(routes.filter(({ handler }) => sucrose({ handler }).body).map(({ path }) => path)).toEqual([])
})
