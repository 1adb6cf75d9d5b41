import { describe, expect, test } from 'bun:test'
import { usageEndpointOf } from '../../src/auth/usage-meter.ts'
import { defineOperations } from '../../src/http/request/operation.ts'
import { createRouteAccess } from '../../src/http/request/route-access.ts'

const described = { summary: 'Test', description: 'Test', responses: { 200: null } }
const operations = defineOperations('Test', {
  'GET /v1/runs/{run_id}': { ...described, scope: 'runs', limits: 'minute' },
  'DELETE /v1/users/me/sessions': { ...described, scope: 'admin_or_session', limits: 'none' },
  'GET /v1/users/me': { ...described, scope: 'any' },
  'GET /v1/unlisted': { ...described, scope: 'fetch' },
  'GET /v1/fetch': { ...described, scope: null },
})
const accessOfRoutes = (...routes: [method: string, path: string][]) =>
  createRouteAccess(
    routes.map(([method, path]) => ({ method, path })),
    operations,
    (path) => path === '/public',
  )

describe('the access of a route', () => {
  test('is the scope and the limits of its operation, also for HEAD', () => {
    const accessOf = accessOfRoutes(
      ['GET', '/v1/runs/:run_id'],
      ['GET', '/v1/users/me'],
      ['DELETE', '/v1/users/me/sessions'],
      ['ALL', '/mcp'],
      ['GET', '/metrics'],
    )
    expect(accessOf('GET', '/v1/runs/:run_id')).toEqual({ scope: 'runs', limits: 'minute' })
    expect(accessOf('HEAD', '/v1/runs/:run_id').scope).toBe('runs')
    expect(accessOf('GET', '/v1/users/me')).toEqual({ scope: 'any', limits: 'both' })
    expect(accessOf('DELETE', '/v1/users/me/sessions')).toEqual({ scope: 'admin_or_session', limits: 'none' })
    expect(accessOf('DELETE', '/mcp').scope).toBe('any')
    expect(accessOf('GET', '/metrics').scope).toBe('admin')
  })

  test('is missing for a route that is protected, but not described with a scope: an error at start', () => {
    expect(() => accessOfRoutes(['POST', '/v1/runs/:run_id'])).toThrow('POST /v1/runs/:run_id has no scope.')
    expect(() => accessOfRoutes(['GET', '/v1/fetch'])).toThrow('GET /v1/fetch has no scope.')
    expect(() => accessOfRoutes(['GET', '/public'])).not.toThrow()
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
    expect(() => accessOfRoutes(['GET', '/v1/unlisted'])).toThrow('/v1/unlisted has no usage endpoint.')
  })
})
