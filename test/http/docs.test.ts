import { afterAll, describe, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const open = (path: string) => service.ask(path, { headers: { authorization: null } })
const page = await open('/v1/docs')
const html = await page.text()
const assets = [...html.matchAll(/<(?:link rel="stylesheet" href|script(?: type="module")? src)="([^"]+)"/g)].map(
  ([, path]) => path!,
)

describe('the page', () => {
  test('is HTML in UTF-8', () =>
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']))

  test('has a policy that allows no other origin, no inline script and no framing', () => {
    const policy = Object.fromEntries(
      page.headers
        .get('content-security-policy')!
        .split('; ')
        .map((it) => [it.split(' ')[0], it.split(' ').slice(1).join(' ')]),
    )
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'style-src-attr': "'unsafe-inline'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    })
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('names no other host, and has no inline script', () => {
    const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address!)
    expect(addresses.length).toBeGreaterThan(3)
    expect(
      addresses.filter((it) => !/^(\/$|\/guide$|\/v1\/|data:image\/svg\+xml,)/.test(it) || it.startsWith('//')),
    ).toEqual([])
    expect(html.match(/<script(?!(?: type="module")? src="\/v1\/)|\son\w+=|javascript:/g)).toBeNull()
    expect(html).not.toMatch(/https?:/)
  })

  test('links to the guide', () => expect(html).toContain('<a href="/guide">'))

  test('links to the OpenAPI document when scripts are disabled', () =>
    expect(html).toContain('href="/v1/openapi.json"'))
})

describe('its assets', () => {
  test('are two style sheets and two scripts', () =>
    expect(assets).toEqual([
      '/v1/docs/swagger-ui.css',
      '/v1/docs/page.css',
      '/v1/docs/swagger-ui-bundle.js',
      '/v1/docs/start.js',
    ]))

  test.each(assets)('%s answers with its own type, without a token', async (path) => {
    const response = await open(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    ])
    expect((await response.text()).length).toBeGreaterThan(50)
  })

  test('the library is sent in zstd, as the executable holds it', async () => {
    const headers = { authorization: null, 'accept-encoding': 'zstd' }
    const response = await service.ask('/v1/docs/swagger-ui-bundle.js', { headers })
    expect([response.headers.get('content-encoding'), response.headers.get('cache-control')]).toEqual([
      'zstd',
      'public, max-age=86400',
    ])
  })

  test('the start script reads the OpenAPI document of this server and calls no validator', async () => {
    const script = await (await open('/v1/docs/start.js')).text()
    expect(script).toContain("fetch('/v1/openapi.json')")
    expect(script).toContain('servers: [{ url: location.origin }]')
    expect(script).toContain('validatorUrl: null')
    expect(script).not.toMatch(/https?:/)
  })
})
