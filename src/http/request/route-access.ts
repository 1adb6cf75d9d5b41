import { usageEndpointOf } from '../../auth/usage-meter.ts'
import type { AppliedLimits, Operations, RequiredScope } from './operation.ts'

/** What a protected route requires of its caller. */
type RouteAccess = { scope: RequiredScope; limits: AppliedLimits }

/** Returns the access of a route, by its method and pattern. */
export type AccessOfRoute = (method: string, route: string) => RouteAccess

type Route = { method: string; path: string }

/** The protected routes that are not in the OpenAPI document. */
const undocumentedAccess: Record<string, RouteAccess> = {
  'GET /metrics': { scope: 'admin', limits: 'both' },
  'ALL /mcp': { scope: 'any', limits: 'both' },
}

/**
 * Returns the access of all protected routes. Documented routes have the scope and limits of their OpenAPI operation.
 * @throws Error at start when a protected route has no scope or no usage endpoint.
 */
export function createRouteAccess(
  routes: readonly Route[],
  operations: Operations,
  isPublic: (path: string) => boolean,
): AccessOfRoute {
  // HEAD has the access of GET.
  const isProtected = ({ method, path }: Route) => method !== 'HEAD' && !isPublic(path)
  const entries = new Map(routes.filter(isProtected).map((route) => accessEntry(route, operations)))
  return (method, route) => {
    const access = entries.get(`${method === 'HEAD' ? 'GET' : method} ${route}`) ?? entries.get(`ALL ${route}`)
    if (access === undefined) throw new Error(`No scope for ${method} ${route}.`)
    return access
  }
}

function accessEntry({ method, path }: Route, operations: Operations): [route: string, access: RouteAccess] {
  const route = `${method} ${path}`
  const operation = operations[route.replace(/:(\w+)/g, '{$1}')]
  const access = operation ? accessOf(operation) : undocumentedAccess[route]
  if (!access)
    throw new Error(`${route} has no scope. Add an operation with a scope, or make the path public in public-paths.ts.`)
  usageEndpointOf(path)
  return [route, access]
}

/** Returns null for the operation of a public endpoint. */
function accessOf({ security, 'x-limits': limits = 'both' }: Operations[string]): RouteAccess | null {
  const [requirement, alternative] = security
  if (!requirement || !('bearer' in requirement)) return null
  return { scope: alternative ? 'admin_or_session' : (requirement.bearer[0] ?? 'any'), limits }
}
