import type { App } from '../app.ts'
import { isRecord } from '../model/record.ts'
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

/** The steps of every request around its route. The router calls them, and `answerDirectly` does. */
export type RequestSteps = {
  /**
   * Checks the host, the body size and the token of each request before the handler gets it. The handler waits only if
   * the account must be read from the database.
   */
  before: Guard['before']
  /** Sets the headers of every response. Throws the error of a request that did not pass the checks before. */
  begin(request: Request, headers: ResponseHeaders): void
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
    begin(request, headers) {
      const path = pathOf(request.url)
      headers['x-request-id'] = app.telemetry.requests.current()!.request_id
      headers['x-content-type-options'] = 'nosniff'
      if (path.startsWith('/v1/')) headers['x-catalog-version'] = app.catalog.version
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

/** Answers a request of one path: with the JSON of the answer, or with an object. */
export type DirectRoute = (request: Request) => Promise<string | object>

/** The media type of JSON, as the router sets it. */
export const jsonType = 'application/json;charset=utf-8'

/** Answers a request without the router, which costs as much as ten fields. The steps are the same. */
export async function answerDirectly(
  request: Request,
  path: string,
  route: DirectRoute,
  steps: RequestSteps,
): Promise<Response> {
  const headers: Record<string, string> = {}
  try {
    steps.begin(request, headers)
    steps.admit(request, path)
    const answer = await route(request)
    steps.finish(request, headers)
    headers['content-type'] = jsonType
    return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { headers })
  } catch (error) {
    const closed = closedResponse(error, request)
    if (closed) return closed
    const response = steps.errorResponse(error, headers)
    steps.fail(response, request, headers)
    return Response.json(response.body, { status: response.status, headers })
  }
}
