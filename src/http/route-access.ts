import type { Scope } from '../auth/scope.ts'
import { usageEndpointOf } from '../auth/usage-meter.ts'
import type { Operations } from './operation.ts'

/** The scope of a route. `any` accepts every valid token. */
export type RequiredScope = Scope | 'any'

/** Returns the scope of a route, by its method and pattern. */
export type ScopeOfRoute = (method: string, route: string) => RequiredScope

type Route = { method: string; path: string }

/** The protected routes that are not in the OpenAPI document. */
const undocumentedScopes: Record<string, RequiredScope> = { 'GET /metrics': 'admin', 'ALL /mcp': 'any' }

/**
 * Returns the scopes of all protected routes. Documented routes have the scope of their OpenAPI operation.
 * @throws Error at start when a protected route has no scope or no usage endpoint.
 */
export function createRouteScopes(
  routes: readonly Route[],
  operations: Operations,
  isPublic: (path: string) => boolean,
): ScopeOfRoute {
  const scopes = new Map(routes.filter(({ path }) => !isPublic(path)).map((route) => scopeEntry(route, operations)))
  return (method, route) => {
    const scope = scopes.get(`${method === 'HEAD' ? 'GET' : method} ${route}`) ?? scopes.get(`ALL ${route}`)
    if (scope === undefined) throw new Error(`No scope for ${method} ${route}.`)
    return scope
  }
}

function scopeEntry({ method, path }: Route, operations: Operations): [route: string, scope: RequiredScope] {
  const route = `${method} ${path}`
  const requirement = operations[route.replace(/:(\w+)/g, '{$1}')]?.security[0]
  const scope = requirement ? (requirement.bearer[0] ?? 'any') : undocumentedScopes[route]
  if (scope === undefined)
    throw new Error(`${route} has no scope. Add an operation with a scope, or make the path public in guard.ts.`)
  usageEndpointOf(path)
  return [route, scope]
}
