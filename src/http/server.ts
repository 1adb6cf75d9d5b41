import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { ApiError, ValidationError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { areaOperations, areaRoutes } from './areas.ts'
import { askOperations, askRoutes } from './ask.ts'
import { dashboardRoutes } from './dashboard.ts'
import { docsOperations, docsRoutes } from './docs.ts'
import { errorResponseOf, type ErrorResponse } from './errors.ts'
import { fetchOperations, fetchRoutes } from './fetch.ts'
import { geocodeOperations, geocodeRoutes } from './geocode.ts'
import { guideRoutes } from './guide.ts'
import { deviceRoutes } from './device.ts'
import {
  createGuard,
  createPublicPathCheck,
  isAuthenticated,
  isResponsePrivate,
  rateLimitHeaders,
  recordUsage,
  requireRateLimit,
  requireScope,
} from './guard.ts'
import { healthOperations, healthRoutes } from './health.ts'
import { loginOperations, loginRoutes } from './logins.ts'
import { lookupOperations, lookupRoutes } from './lookup.ts'
import { mcpErrorResponse, mcpRoutes } from './mcp.ts'
import { metaOperations, metaRoutes } from './meta.ts'
import { metricsRoutes } from './metrics.ts'
import { consentRoutes } from './oauth-consent.ts'
import { isHtmlPage, errorPage, notFoundPage, redirectTo, wantsPage } from './page.ts'
import { oauthRoutes } from './oauth.ts'
import { stalledReader_s } from './paced-stream.ts'
import { openApiRoutes } from './openapi.ts'
import type { Operations } from './operation.ts'
import { createQueryCheck } from './query-parameters.ts'
import { userAdminOperations, userAdminRoutes } from './user-admin.ts'
import { createRouteAccess, type AccessOfRoute } from './route-access.ts'
import { createRouteMatcher, methodsOf, pathOf } from './route-paths.ts'
import { reportOperations, reportPath, reportRoutes } from './report.ts'
import { runOperations } from './run-operations.ts'
import { runRoutes } from './runs.ts'
import { sessionOperations, sessionRoutes } from './sessions.ts'
import { signInRoutes } from './sign-in.ts'
import { meOperations, meRoutes } from './me.ts'
import { createRequestTelemetry } from './request-telemetry.ts'
import { tileOperations, tileRoutes } from './tiles.ts'
import { wellKnownRoutes } from './well-known.ts'

/** Bun answers larger bodies with an empty 413. body.ts checks the size instead. Bun does not buffer unread bodies. */
const bunBodyLimit_bytes = Number.MAX_SAFE_INTEGER
const idleTimeout_s = 130
/** The nginx status for a closed connection. No client receives it. */
const clientClosedRequest = 499

const elysiaOptions = {
  normalize: false,
  strictPath: true,
  handler: { standardHostname: false },
  serve: { development: false, reusePort: false, idleTimeout: idleTimeout_s, maxRequestBodySize: bunBodyLimit_bytes },
} as const

/**
 * Creates the HTTP server. A request is judged in this order: host, body size, token (the guard), path and method (the
 * router), scope, rate limit, and then the route itself.
 */
export function createHttpServer(app: App) {
  const guard = createGuard(app)
  let accessOf: AccessOfRoute
  const elysia = new Elysia(elysiaOptions)
    .onRequest(({ request, set }) => {
      const path = pathOf(request.url)
      set.headers['x-request-id'] = app.telemetry.requests.current()!.request_id
      set.headers['x-content-type-options'] = 'nosniff'
      if (path.startsWith('/v1/')) set.headers['x-catalog-version'] = app.catalog.version
      guard(request, path)
      // Routes may override this header.
      if (isResponsePrivate(request)) set.headers['cache-control'] = 'no-store'
    })
    .onBeforeHandle(({ request, route }) => {
      if (!isAuthenticated(request)) return requireKnownQuery(request, route)
      const { scope, limits } = accessOf(request.method, route)
      requireScope(request, scope)
      requireRateLimit(request, limits)
      recordUsage(request)
      requireKnownQuery(request, route)
    })
    .onAfterHandle(({ request, set, server, response }) => {
      Object.assign(set.headers, rateLimitHeaders(request))
      if (response instanceof Response) server?.timeout(request, stalledReader_s)
    })
    .onError(({ error, code, request, set }) => {
      // The client disconnected: not an error of the service, and nobody reads the response.
      if (request.signal.aborted && error instanceof DOMException)
        return new Response(null, { status: clientClosedRequest })
      const errorResponse = errorResponseOf(
        code === 'NOT_FOUND' ? notFound(request) : error,
        String(set.headers['x-request-id']),
        app.log,
      )
      const path = pathOf(request.url)
      if (path === reportPath && wantsPage(request, path)) return reportErrorPage(error, errorResponse, request)
      if (!methods(path) && wantsPage(request, path)) {
        app.telemetry.countErrorResponse('not_found')
        return notFoundPage(path)
      }
      const { status, body, headers } = path === '/mcp' ? mcpErrorResponse(errorResponse, app) : errorResponse
      set.status = status
      app.telemetry.countErrorResponse(
        isRecord(errorResponse.body.detail) ? String(errorResponse.body.detail.error) : 'validation_error',
      )
      Object.assign(set.headers, headers, rateLimitHeaders(request))
      if (status === 500) delete set.headers['x-request-id']
      return isHtmlPage(path) && isRecord(body.detail) ? errorPage(status, String(body.detail.message)) : body
    })
    .use(createRoutes(app))
  accessOf = createRouteAccess(elysia.routes, operations, createPublicPathCheck(app))
  const methods = methodsOf(elysia.routes)
  const observe = createRequestTelemetry(app, createRouteMatcher(elysia.routes))
  // Elysia's type declares a function that returns a handler, but it passes the handler itself.
  return elysia.wrap((handler, request) => observe(handler as never, request))

  function notFound({ url, method }: Request): ApiError {
    const path = pathOf(url)
    const allow = methods(path)
    if (!allow)
      return new ApiError('not_found', `Unknown path ${path.slice(0, 200)}. See /v1/docs for the available endpoints.`)
    return new ApiError('method_not_allowed', `Method ${method} is not allowed for ${path}. Use ${allow.join(', ')}.`, {
      allow: allow.join(', '),
    })
  }
}

/** A report is a page for people, so its errors are pages too. Signing in leads back to the report. */
function reportErrorPage(error: unknown, { status, body: { detail } }: ErrorResponse, { url }: Request): Response {
  const { pathname, search } = new URL(url)
  if (status === 401) return redirectTo(`/sign-in?next=${encodeURIComponent(pathname + search)}`)
  const messages =
    error instanceof ValidationError
      ? error.violations.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}.`)
      : [isRecord(detail) ? String(detail.message) : '']
  return errorPage(status, messages.join(' '))
}

/** Every documented operation. Their scopes protect the routes. */
const operations: Operations = {
  ...healthOperations,
  ...metaOperations,
  ...fetchOperations,
  ...areaOperations,
  ...geocodeOperations,
  ...lookupOperations,
  ...askOperations,
  ...runOperations,
  ...meOperations,
  ...loginOperations,
  ...sessionOperations,
  ...userAdminOperations,
  ...docsOperations,
  ...tileOperations,
  ...reportOperations,
}

const requireKnownQuery = createQueryCheck(operations)

/** Every route. To add an endpoint, add a file, its routes here and its operations above. */
function createRoutes(app: App) {
  return new Elysia()
    .use(healthRoutes(app))
    .use(metricsRoutes(app))
    .use(metaRoutes(app))
    .use(fetchRoutes(app))
    .use(areaRoutes(app))
    .use(geocodeRoutes(app))
    .use(lookupRoutes(app))
    .use(askRoutes(app))
    .use(runRoutes(app))
    .use(meRoutes(app))
    .use(loginRoutes(app))
    .use(sessionRoutes(app))
    .use(userAdminRoutes(app))
    .use(wellKnownRoutes(app))
    .use(oauthRoutes(app))
    .use(consentRoutes(app))
    .use(deviceRoutes(app))
    .use(signInRoutes(app))
    .use(mcpRoutes(app))
    .use(tileRoutes(app))
    .use(reportRoutes(app))
    .use(docsRoutes())
    .use(guideRoutes())
    .use(dashboardRoutes(app))
    .use(openApiRoutes(app, operations))
}
