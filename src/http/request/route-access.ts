import { usageEndpointOf } from '../../auth/usage-meter.ts'
import type { AppliedLimits, Operations, RequiredScope } from './operation.ts'
import type { App } from '../../app.ts'
import { matchPage } from '../../web/paths.ts'
import { areMetricsPublic, metricsPath } from '../meta/metrics.ts'
import { otherLabel } from '../../telemetry/metrics.ts'

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
    throw new Error(`${route} has no scope. Add an operation with a scope, or make the path public in route-access.ts.`)
  usageEndpointOf(path)
  return [route, access]
}

/** Returns null for the operation of a public endpoint. */
function accessOf({ security, 'x-limits': limits = 'both' }: Operations[string]): RouteAccess | null {
  const [requirement, alternative] = security
  if (!requirement || !('bearer' in requirement)) return null
  return { scope: alternative ? 'admin_or_session' : (requirement.bearer[0] ?? 'any'), limits }
}

/** Returns a function that reports whether a path, or a route pattern, needs no token. */
export function createPublicPathCheck({ config }: Pick<App, 'config'>): (path: string) => boolean {
  const isMetricsPublic = areMetricsPublic(config)
  return (path) => isPublicPath(path) || (path === metricsPath && isMetricsPublic)
}

const publicPaths = new Set([
  '/healthz',
  '/readyz',
  '/v1/docs',
  '/v1/openapi.json',
  '/v1/mcp/device/start',
  '/v1/mcp/device/poll',
  '/catalog.jsonld',
  '/guide',
  '/sign-in',
  '/sign-out',
  '/device',
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/register',
  '/oauth/device_authorization',
])
const publicPrefixes = [
  '/v1/meta/',
  '/v1/docs/',
  '/guide/',
  '/.well-known/',
  '/sign-in/',
  '/invitation/',
  '/shared/',
  '/assets/',
]

function isPublicPath(path: string): boolean {
  return (
    publicPaths.has(path) ||
    publicPrefixes.some((folder) => path.startsWith(folder)) ||
    (!path.startsWith('/v1/') && matchPage(path) !== null)
  )
}

/** Returns the path of an absolute URL, without a slash at its end, and without parsing all of it. */
export function pathOf(url: string): string {
  const begin = url.indexOf('/', url.indexOf('//') + 2)
  if (begin < 0) return '/'
  const query = url.indexOf('?', begin)
  const end = query < 0 ? url.length : query
  return url.slice(begin, end - begin > 1 && url[end - 1] === '/' ? end - 1 : end)
}

/** Returns a function from a path to its route pattern, such as `/v1/runs/:run_id`, or to `other`. */
export function createRouteMatcher(routes: readonly { path: string }[]): (path: string) => string {
  const exactPaths = new Set(routes.map(({ path }) => path).filter((path) => !/[:*]/.test(path)))
  const patterns = [...new Set(routes.map(({ path }) => path).filter((path) => /[:*]/.test(path)))].map(
    (path) => [new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`), path] as const,
  )
  return (path) => (exactPaths.has(path) ? path : (patterns.find(([pattern]) => pattern.test(path))?.[1] ?? otherLabel))
}

/** Returns a function from a path to its methods, undefined for an unknown path. */
export function methodsOf(routes: readonly { method: string; path: string }[]): (path: string) => string[] | undefined {
  const methods = new Map<string, string[]>()
  for (const { method, path } of routes)
    methods.set(path, [...new Set([...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])])])
  const patterns = [...methods]
    .filter(([path]) => path.includes(':'))
    .map(([path, allowed]) => [new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`), allowed] as const)
  return (path) => methods.get(path) ?? patterns.find(([pattern]) => pattern.test(path))?.[1]
}
