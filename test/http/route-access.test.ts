import { describe, expect, test } from 'bun:test'
import { usageEndpointOf } from '../../src/auth/usage-meter.ts'
import { defineOperation } from '../../src/http/operation.ts'
import { createRouteScopes } from '../../src/http/route-access.ts'

const described = { tag: 'Test', summary: 'Test', description: 'Test', responses: { 200: null } }
const operations = {
  'GET /v1/runs/{run_id}': defineOperation({ ...described, scope: 'runs' }),
  'GET /v1/users/me': defineOperation({ ...described, scope: 'any' }),
  'GET /v1/unlisted': defineOperation({ ...described, scope: 'fetch' }),
  'GET /v1/fetch': defineOperation({ ...described, scope: null }),
}
const scopesOf = (...routes: [method: string, path: string][]) =>
  createRouteScopes(
    routes.map(([method, path]) => ({ method, path })),
    operations,
    (path) => path === '/public',
  )

describe('the scope of a route', () => {
  test('is the scope of its operation, also for HEAD', () => {
    const scopeOf = scopesOf(['GET', '/v1/runs/:run_id'], ['GET', '/v1/users/me'], ['ALL', '/mcp'], ['GET', '/metrics'])
    expect(scopeOf('GET', '/v1/runs/:run_id')).toBe('runs')
    expect(scopeOf('HEAD', '/v1/runs/:run_id')).toBe('runs')
    expect(scopeOf('GET', '/v1/users/me')).toBe('any')
    expect(scopeOf('DELETE', '/mcp')).toBe('any')
    expect(scopeOf('GET', '/metrics')).toBe('admin')
  })

  test('is missing for a route that is protected, but not described with a scope: an error at start', () => {
    expect(() => scopesOf(['POST', '/v1/runs/:run_id'])).toThrow('POST /v1/runs/:run_id has no scope.')
    expect(() => scopesOf(['GET', '/v1/fetch'])).toThrow('GET /v1/fetch has no scope.')
    expect(() => scopesOf(['GET', '/public'])).not.toThrow()
  })
})

describe('the usage endpoint of a route', () => {
  test('is the longest listed path that it starts with', () => {
    expect(usageEndpointOf('/v1/fetch/batch')).toBe('/v1/fetch/batch')
    expect(usageEndpointOf('/v1/runs/:run_id/results/:index')).toBe('/v1/runs')
    expect(usageEndpointOf('/v1/users/me/tokens')).toBe('/v1/users/me')
    expect(usageEndpointOf('/v1/users/:user_id/link')).toBe('/v1/users')
  })

  test('is missing for a route that nobody listed: an error at start', () => {
    expect(() => scopesOf(['GET', '/v1/unlisted'])).toThrow('/v1/unlisted has no usage endpoint.')
  })
})
