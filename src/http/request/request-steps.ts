import type { App } from '../../app.ts'
import { isRecord } from '../../model/record.ts'
import { errorResponseOf, type ErrorResponse } from './errors.ts'
import {
  createGuard,
  type Guard,
  isAuthenticated,
  isResponsePrivate,
  rateLimitHeaders,
  recordUsage,
  requireRateLimit,
  requireScope,
} from './guard.ts'
import type { AccessOfRoute } from './route-access.ts'
import { pathOf } from './route-paths.ts'

/** The headers of a response that is being made. */
type ResponseHeaders = Record<string, string | number>

/** The steps of every request around its route. */
export type RequestSteps = {
  /**
   * Checks the host, the body size and the token of each request before the handler gets it. The handler waits only if
   * the account must be read from the database.
   */
  before: Guard['before']
  /** Sets the headers of every response. Throws the error of a request that did not pass the checks before. */
  begin(request: Request, request_id: string, headers: ResponseHeaders): void
  /** Checks the scope and the rate limit of a protected route, and the query. Counts the request. */
  admit(request: Request, route: string): void
  /** Sets the headers that tell the rate limit. */
  finish(request: Request, headers: ResponseHeaders): void
  /** Counts an error and sets its headers. */
  fail(response: ErrorResponse, request: Request, headers: ResponseHeaders): void
  /** Returns the response to an error, and logs an unexpected error. */
  errorResponse(error: unknown, headers: ResponseHeaders): ErrorResponse
}

type Checks = { accessOf: AccessOfRoute; requireKnownQuery: (request: Request, route: string) => void }

/** Creates the steps. */
export function createRequestSteps(app: App, { accessOf, requireKnownQuery }: Checks): RequestSteps {
  const guard = createGuard(app)
  return {
    before: guard.before,
    begin(request, request_id, headers) {
      const path = pathOf(request.url)
      headers['x-request-id'] = request_id
      headers['x-content-type-options'] = 'nosniff'
      if (path === '/v1' || path.startsWith('/v1/')) headers['x-catalog-version'] = app.catalog.version
      guard.requirePassed(request)
      // Routes may override this header.
      if (isResponsePrivate(request)) headers['cache-control'] = 'no-store'
    },
    admit(request, route) {
      if (isAuthenticated(request)) {
        const { scope, limits } = accessOf(request.method, route)
        requireScope(request, scope)
        requireRateLimit(request, limits)
        recordUsage(request)
      }
      requireKnownQuery(request, route)
    },
    finish: (request, headers) => void Object.assign(headers, rateLimitHeaders(request)),
    fail({ status, headers: errorHeaders, body: { detail } }, request, headers) {
      app.telemetry.countErrorResponse(isRecord(detail) ? String(detail.error) : 'validation_error')
      Object.assign(headers, errorHeaders, rateLimitHeaders(request))
      if (status === 500) delete headers['x-request-id']
    },
    errorResponse: (error, headers) => errorResponseOf(error, String(headers['x-request-id']), app.log),
  }
}

/** The nginx status for a closed connection. No client receives it. */
const clientClosedRequest = 499

/** Returns the response to a request whose client has disconnected; null if the error is another one. */
export function closedResponse(error: unknown, { signal }: Request): Response | null {
  // Not an error of the service, and nobody reads the response.
  return signal.aborted && error instanceof DOMException ? new Response(null, { status: clientClosedRequest }) : null
}

/** The media type of JSON, as the router sets it. */
export const jsonType = 'application/json;charset=utf-8'
