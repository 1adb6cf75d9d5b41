import { afterAll, describe, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'
import { usesPostgres } from '../support/test-state.ts'

const server = await openHttpService()
afterAll(server.close)

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const idOf = async (given: string | null, path = '/healthz') =>
  (await server.ask(path, { headers: { 'x-request-id': given } })).headers.get('x-request-id')

describe('X-Request-ID', () => {
  test.each(['a', 'A-b_c.9', '0', '-', '01981f2c-0000-7000-8000-000000000000', 'x'.repeat(128), '__proto__'])(
    '%s is echoed',
    async (given) => expect(await idOf(given)).toBe(given),
  )

  test.each(['', ' ', 'a b', 'a,b', 'a/b', 'ä', '<script>', '"', 'x'.repeat(129), '../x', 'a;b', 'a:b'])(
    '%j is replaced by a new UUIDv7',
    async (given) => expect(await idOf(given)).toMatch(uuid7),
  )

  test('is a new unique UUIDv7 when none is sent', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => idOf(null)))
    expect(ids.filter((id) => !uuid7.test(id!))).toEqual([])
    expect(new Set(ids).size).toBe(100)
  })

  test.each(['/', '/healthz', '/v1/fetch', '/v1/nothing', '/v1/docs', '/v1/docs/swagger-ui.css', '/v1/meta/fields'])(
    'is on the response of %s',
    async (path) => expect(await idOf('here', path)).toBe('here'),
  )

  test('is on a 304', async () => {
    const response = await server.ask('/v1/meta/fields', { headers: { 'x-request-id': 'here', 'if-none-match': '*' } })
    expect([response.status, response.headers.get('x-request-id')]).toEqual([304, 'here'])
  })
})

describe('a plain 500', () => {
  /** A service whose database is closed: an unexpected error for SQLite. PostgreSQL is then unavailable, which is 503. */
  async function fault() {
    const broken = await openHttpService()
    await broken.testService.app.close()
    const response = await broken.ask('/v1/fetch', {
      method: 'POST',
      headers: { 'x-request-id': 'find-me-in-the-log' },
      body: '{}',
    })
    return { response, text: await response.text(), logged: broken.testService.logged, close: broken.close }
  }

  test.skipIf(usesPostgres)(
    'is internal_error and one sentence, without the request id in a header or the body',
    async () => {
      const { response, text, close } = await fault()
      await close()
      expect(response.status).toBe(500)
      expect(JSON.parse(text)).toEqual({
        detail: {
          error: 'internal_error',
          message: expect.stringMatching(/^[^\n]+\.$/),
          retryable: false,
          documentation_url: '/guide/errors#internal_error',
        },
      })
      expect([response.headers.has('x-request-id'), text.includes('find-me')]).toEqual([false, false])
    },
  )

  test.skipIf(usesPostgres)('is logged with its stack and the request id', async () => {
    const { logged, close } = await fault()
    await close()
    const line = JSON.parse(logged.at(-1)!) as Record<string, unknown>
    expect(line).toMatchObject({
      level: 'error',
      event: 'request_error',
      request_id: 'find-me-in-the-log',
      error: { message: expect.any(String), stack: expect.any(String) },
    })
  })

  test('is not the answer of /readyz, which is 503 with a failed store', async () => {
    const broken = await openHttpService()
    await broken.testService.app.close()
    const response = await broken.ask('/readyz')
    await broken.close()
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      status: 'fail',
      checks: { store: { status: 'fail' }, catalog: { status: 'pass' } },
    })
  })
})
