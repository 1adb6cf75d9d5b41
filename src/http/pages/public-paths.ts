import type { App } from '../../app.ts'
import { matchPage } from '../../web/paths.ts'
import { areMetricsPublic, metricsPath } from '../meta/metrics.ts'

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
