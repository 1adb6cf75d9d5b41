import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { ApiError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { askOperations, askRoutes } from './ask.ts'
import { dashboardRoutes } from './dashboard.ts'
import { docsOperations, docsRoutes } from './docs.ts'
import { refusalOf } from './errors.ts'
import { fetchOperations, fetchRoutes } from './fetch.ts'
import { geocodeOperations, geocodeRoutes } from './geocode.ts'
import { deviceRoutes } from './device.ts'
import { isPrivate, standingOf, wallOf } from './guard.ts'
import { healthOperations, healthRoutes } from './health.ts'
import { loginOperations, loginRoutes } from './logins.ts'
import { lookupOperations, lookupRoutes } from './lookup.ts'
import { mcpRefusal, mcpRoutes } from './mcp.ts'
import { metaOperations, metaRoutes } from './meta.ts'
import { metricsRoutes } from './metrics.ts'
import { consentRoutes } from './oauth-consent.ts'
import { isPage, refusalPage } from './page.ts'
import { oauthRoutes } from './oauth.ts'
import { openApiRoutes } from './openapi.ts'
import { peopleOperations, peopleRoutes } from './people.ts'
import { pathOf } from './path-of.ts'
import { routeNames } from './route-names.ts'
import { runOperations } from './run-operations.ts'
import { runRoutes } from './runs.ts'
import { sessionOperations, sessionRoutes } from './sessions.ts'
import { signInRoutes } from './sign-in.ts'
import { userOperations, userRoutes } from './users.ts'
import { watched } from './watched.ts'
import { wellKnownRoutes } from './well-known.ts'

/** Bun answers a body above this with an empty 413; it must never be the one to judge (http/body.ts does), and keeps nothing of what nobody reads. */
const bodyCeiling_bytes = Number.MAX_SAFE_INTEGER
const idleTimeout_s = 130
/** Not in any RFC, and never seen: the socket is closed. */
const callerGone = 499

const settings = {
  normalize: false,
  strictPath: true,
  handler: { standardHostname: false },
  serve: { development: false, reusePort: false, idleTimeout: idleTimeout_s, maxRequestBodySize: bodyCeiling_bytes },
} as const

/** Every route of the service. A new endpoint is a new file and a new line here. */
export function server(app: App) {
  const wall = wallOf(app)
  const whole = new Elysia(settings)
    .onRequest(({ request, set }) => {
      const path = pathOf(request.url)
      set.headers['x-request-id'] = app.telemetry.requests.current()!.request_id
      set.headers['x-content-type-options'] = 'nosniff'
      if (path.startsWith('/v1/')) set.headers['x-catalog-version'] = app.catalog.version
      wall(request, path)
      // An answer that says otherwise of itself is as it says.
      if (isPrivate(request)) set.headers['cache-control'] = 'no-store'
    })
    .onAfterHandle(({ request, set }) => {
      Object.assign(set.headers, standingOf(request))
    })
    .onError(({ error, code, request, set }) => {
      // A caller who went away is no fault of ours, and nobody is left to read this.
      if (request.signal.aborted && error instanceof DOMException) return new Response(null, { status: callerGone })
      const refusal = refusalOf(code === 'NOT_FOUND' ? nothingHere(request) : error, String(set.headers['x-request-id']), app.log)
      const path = pathOf(request.url)
      const { status, body, headers } = path === '/mcp' ? mcpRefusal(refusal, app) : refusal
      set.status = status
      app.telemetry.countErrorResponse(isRecord(refusal.body.detail) ? String(refusal.body.detail.error) : 'wrong_form')
      Object.assign(set.headers, headers, standingOf(request))
      if (status === 500) delete set.headers['x-request-id']
      return isPage(path) && isRecord(body.detail) ? refusalPage(status, String(body.detail.message)) : body
    })
    .use(healthRoutes(app))
    .use(metricsRoutes(app))
    .use(metaRoutes(app))
    .use(fetchRoutes(app))
    .use(geocodeRoutes(app))
    .use(lookupRoutes(app))
    .use(askRoutes(app))
    .use(runRoutes(app))
    .use(userRoutes(app))
    .use(loginRoutes(app))
    .use(sessionRoutes(app))
    .use(peopleRoutes(app))
    .use(wellKnownRoutes(app))
    .use(oauthRoutes(app))
    .use(consentRoutes(app))
    .use(deviceRoutes(app))
    .use(signInRoutes(app))
    .use(mcpRoutes(app))
    .use(docsRoutes())
    .use(dashboardRoutes(app))
    .use(openApiRoutes(app, { ...healthOperations, ...metaOperations, ...fetchOperations, ...geocodeOperations, ...lookupOperations, ...askOperations, ...runOperations, ...userOperations, ...loginOperations, ...sessionOperations, ...peopleOperations, ...docsOperations }))
  const methods = methodsOf(whole.routes)
  const watch = watched(app, routeNames(whole.routes))
  // Elysia's type speaks of a function that gives a function; what comes is the one that answers.
  return whole.wrap((answer, request) => watch(answer as never, request))

  function nothingHere({ url, method }: Request): ApiError {
    const path = pathOf(url)
    const allow = methods(path)
    if (!allow) return new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}: /v1/docs has what there is.`)
    return new ApiError('method_not_allowed', `${path} takes ${allow.join(', ')}, not ${method}.`, { allow: allow.join(', ') })
  }
}

/** The methods that a path takes, or undefined where there is nothing. */
function methodsOf(routes: readonly { method: string; path: string }[]): (path: string) => string[] | undefined {
  const methods = new Map<string, string[]>()
  for (const { method, path } of routes) methods.set(path, [...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])])
  const patterns = [...methods].filter(([path]) => path.includes(':')).map(([path, allowed]) => [new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`), allowed] as const)
  return (path) => methods.get(path) ?? patterns.find(([pattern]) => pattern.test(path))?.[1]
}
