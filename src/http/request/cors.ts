import { andThen } from '../../async/maybe-promise.ts'
import type { RequestHandler } from './guard.ts'
import { pathOf } from './route-access.ts'

/** The paths of data. The pages, sign-in and OAuth stay closed to pages of other servers. */
const dataPaths = /^\/(?:(?:v1|ogc|edr|tiles)(?:\/|$)|mcp$|catalog\.jsonld$)/
const preflightMaxAge_s = 600
const exposedHeaders =
  'Content-Disposition, Deprecation, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Catalog-Version, X-Request-ID'

/**
 * Lets pages of the origins (`*`: of any origin) read the data with a token. Never with cookies, so that no page acts
 * with a browser session. Without origins, the handler is returned as it is.
 */
export function allowOrigins(handler: RequestHandler, origins: readonly string[]): RequestHandler {
  if (origins.length === 0) return handler
  return (request) => {
    if (!dataPaths.test(pathOf(request.url))) return handler(request)
    const allowed = allowedOriginOf(request, origins)
    if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method'))
      return preflightResponse(request, allowed)
    return andThen(handler(request), (response) => {
      response.headers.append('vary', 'origin')
      if (allowed === null) return response
      response.headers.set('access-control-allow-origin', allowed)
      response.headers.set('access-control-expose-headers', exposedHeaders)
      return response
    })
  }
}

/** Returns the value of Access-Control-Allow-Origin; null if the origin is not allowed. */
function allowedOriginOf({ headers }: Request, origins: readonly string[]): string | null {
  if (origins.includes('*')) return '*'
  const origin = headers.get('origin')
  return origin !== null && origins.includes(origin) ? origin : null
}

function preflightResponse({ headers }: Request, allowed: string | null): Response {
  return new Response(null, {
    status: 204,
    headers: {
      vary: 'origin, access-control-request-headers',
      ...(allowed !== null && {
        'access-control-allow-origin': allowed,
        'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
        'access-control-allow-headers': headers.get('access-control-request-headers') ?? 'authorization, content-type',
        'access-control-max-age': String(preflightMaxAge_s),
      }),
    },
  })
}
