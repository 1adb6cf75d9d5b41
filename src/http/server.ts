/**
 * The HTTP interface. Every request passes through `request/`, and each family of routes has its folder. A route
 * declares its OpenAPI description and its scope.
 */
import { Elysia, type AnyElysia } from 'elysia'
import type { App } from '../app.ts'
import { ApiError, ValidationError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { areaOperations, areaRoutes } from './places/areas.ts'
import { askOperations, askRoutes } from './places/ask.ts'
import { linkedDataOperations, linkedDataRoutes } from './meta/catalog-linked-data.ts'
import { allowOrigins } from './request/cors.ts'
import { dashboardRoutes } from './pages/dashboard.ts'
import { docsOperations, docsRoutes } from './pages/docs.ts'
import { errorResponseOf, type ErrorResponse } from './request/errors.ts'
import { fetchOperations, fetchRoutes } from './places/fetch.ts'
import { functionErrorResponse } from './functions/function-engines.ts'
import { edrRoutes } from './ogc/edr.ts'
import { edrOperations } from './ogc/edr-operations.ts'
import { geocodeOperations, geocodeRoutes } from './places/geocode.ts'
import { guideRoutes } from './pages/guide.ts'
import { deviceRoutes } from './sign-in/device.ts'
import { deviceLoginOperations, deviceLoginRoutes } from './sign-in/device-login.ts'
import { proximityOperations, proximityRoutes } from './places/proximity.ts'
import {
  createPublicPathCheck,
  createRouteAccess,
  createRouteMatcher,
  methodsOf,
  pathOf,
} from './request/route-access.ts'
import { healthOperations, healthRoutes } from './meta/health.ts'
import { loginOperations, loginRoutes } from './sign-in/logins.ts'
import { lookupOperations, lookupRoutes } from './places/lookup.ts'
import { mcpErrorResponse, mcpRoutes } from './mcp/mcp.ts'
import { metaOperations, metaRoutes } from './meta/meta.ts'
import { metricsRoutes } from './meta/metrics.ts'
import { consentRoutes } from './sign-in/oauth-consent.ts'
import { isHtmlPage, errorPage, notFoundPage, redirectTo, wantsPage } from './pages/page.ts'
import { oauthRoutes } from './sign-in/oauth.ts'
import { stalledReader_s } from './runs/paced-stream.ts'
import { ogcFeatureOperations, ogcFeatureRoutes } from './ogc/ogc-features.ts'
import { packOperations, packRoutes } from './meta/packs.ts'
import { openApiRoutes } from './pages/openapi.ts'
import type { Operations } from './request/operation.ts'
import {
  createGuard,
  isAuthenticated,
  isResponsePrivate,
  rateLimitHeaders,
  recordUsage,
  requireRateLimit,
  requireScope,
} from './request/guard.ts'
import { createQueryCheck, closedResponse, createRequestTelemetry } from './request/request-steps.ts'
import { userAdminOperations, userAdminRoutes } from './account/user-admin.ts'
import { functionOperations, remoteFunctionRoutes } from './functions/remote-functions.ts'
import { reportOperations, reportRoutes } from './report/report.ts'
import { reportPath } from './report/report-query.ts'
import { runOperations } from './runs/run-operations.ts'
import { runRoutes } from './runs/runs.ts'
import { serverOptions } from './server-options.ts'
import { sessionOperations, sessionRoutes } from './sign-in/sessions.ts'
import { pinOperations, pinRoutes } from './account/pins.ts'
import { shareOperations, shareRoutes } from './account/shares.ts'
import { sharedPageRoutes } from './account/shared-pages.ts'
import { signInRoutes } from './sign-in/sign-in.ts'
import { meOperations, meRoutes } from './account/me.ts'
import { tileOperations, tileRoutes } from './ogc/tiles.ts'
import { wellKnownRoutes } from './sign-in/well-known.ts'

const elysiaOptions = {
  normalize: false,
  // A path with a slash at its end is the path without it; `pathOf` reads it so.
  strictPath: false,
  // The handler is given to a server that listens already, so that the routes are not those of Bun.
  systemRouter: false,
  handler: { standardHostname: false },
  serve: serverOptions,
} as const

/**
 * Creates the HTTP server. A request is checked in this order: host, body size, token (the guard), path and method (the
 * router), scope, rate limit, and then the route itself.
 */
export function createHttpServer(app: App) {
  const routes = createRoutes(app)
  const methods = methodsOf(routes.routes)
  const accessOf = createRouteAccess(routes.routes, operations, createPublicPathCheck(app))
  const requireKnownQuery = createQueryCheck(operations)
  const guard = createGuard(app)
  const elysia = new Elysia(elysiaOptions)
    .onRequest(({ request, set }) => {
      const path = pathOf(request.url)
      set.headers['x-request-id'] = app.telemetry.requests.current()!.request_id
      set.headers['x-content-type-options'] = 'nosniff'
      if (path === '/v1' || path.startsWith('/v1/')) set.headers['x-catalog-version'] = app.catalog.version
      guard.requirePassed(request)
      // Routes may override this header.
      if (isResponsePrivate(request)) set.headers['cache-control'] = 'no-store'
    })
    .onBeforeHandle(({ request, route }) => {
      if (isAuthenticated(request)) {
        const { scope, limits } = accessOf(request.method, route)
        requireScope(request, scope)
        requireRateLimit(request, limits)
        recordUsage(request)
      }
      requireKnownQuery(request, route)
    })
    .onAfterHandle(({ request, set, server, response }) => {
      Object.assign(set.headers, rateLimitHeaders(request))
      if (response instanceof Response) server?.timeout(request, stalledReader_s)
    })
    .onError(({ error, code, request, set }) => {
      const closed = closedResponse(error, request)
      if (closed) return closed
      const headers = set.headers
      const thrown = code === 'NOT_FOUND' ? notFound(request) : error
      const response = errorResponseOf(thrown, String(headers['x-request-id']), app.log)
      const path = pathOf(request.url)
      if (path === reportPath && wantsPage(request, path)) return reportErrorPage(error, response, request)
      if (!methods(path) && wantsPage(request, path)) {
        app.telemetry.countErrorResponse('not_found')
        return notFoundPage(path)
      }
      const { detail } = response.body
      app.telemetry.countErrorResponse(isRecord(detail) ? String(detail.error) : 'validation_error')
      const {
        status,
        body,
        headers: errorHeaders,
      } = path === '/mcp' ? mcpErrorResponse(response, app) : functionErrorResponse(path, response)
      set.status = status
      Object.assign(headers, errorHeaders, rateLimitHeaders(request))
      if (status === 500) delete headers['x-request-id']
      return isHtmlPage(path) && isRecord(body.detail) ? errorPage(status, String(body.detail.message)) : body
    })
    .use(routes)
  const observe = createRequestTelemetry(app, createRouteMatcher(elysia.routes))
  // Elysia's type declares a function that returns a handler, but it passes the handler itself.
  return elysia.wrap(
    (handler, request) => () => observe(allowOrigins(guard.before(handler as never), app.config.cors_origins), request),
  )

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
export const operations: Operations = {
  ...healthOperations,
  ...metaOperations,
  ...linkedDataOperations,
  ...fetchOperations,
  ...areaOperations,
  ...functionOperations,
  ...geocodeOperations,
  ...lookupOperations,
  ...askOperations,
  ...runOperations,
  ...meOperations,
  ...loginOperations,
  ...sessionOperations,
  ...shareOperations,
  ...pinOperations,
  ...userAdminOperations,
  ...docsOperations,
  ...deviceLoginOperations,
  ...proximityOperations,
  ...packOperations,
  ...tileOperations,
  ...ogcFeatureOperations,
  ...edrOperations,
  ...reportOperations,
}

/** Every route. To add an endpoint, add a file, its routes here and its operations above. */
function createRoutes(app: App): Elysia {
  // The type of each part would be inferred from all parts before it, which the compiler gives up on.
  const parts: AnyElysia[] = [
    healthRoutes(app),
    metricsRoutes(app),
    metaRoutes(app),
    linkedDataRoutes(app),
    fetchRoutes(app),
    areaRoutes(app),
    remoteFunctionRoutes(app),
    geocodeRoutes(app),
    lookupRoutes(app),
    askRoutes(app),
    runRoutes(app),
    meRoutes(app),
    loginRoutes(app),
    sessionRoutes(app),
    shareRoutes(app),
    pinRoutes(app),
    sharedPageRoutes(app),
    userAdminRoutes(app),
    wellKnownRoutes(app),
    oauthRoutes(app),
    consentRoutes(app),
    deviceRoutes(app),
    deviceLoginRoutes(app),
    proximityRoutes(app),
    signInRoutes(app),
    mcpRoutes(app),
    packRoutes(app),
    tileRoutes(app),
    ogcFeatureRoutes(app),
    edrRoutes(app),
    reportRoutes(app),
    docsRoutes(),
    guideRoutes(),
    dashboardRoutes(app),
    openApiRoutes(app, operations),
  ]
  const routes = new Elysia()
  for (const part of parts) routes.use(part)
  return routes
}
