import type { App } from '../../app.ts'
import type { RequestHandler } from './guard.ts'
import { pathOf } from './route-access.ts'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { otherLabel } from '../../telemetry/metrics.ts'
import { parseTraceparent } from '../../telemetry/tracing.ts'
import { ValidationError } from '../../model/error.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { mediaTypeOf } from './body.ts'
import type { Operations } from './operation.ts'
import { createViolation } from './violations.ts'

/** The nginx status for a closed connection. No client receives it. */
const clientClosedRequest = 499

/** Returns the response to a request whose client has disconnected; null if the error is another one. */
export function closedResponse(error: unknown, { signal }: Request): Response | null {
  // Not an error of the service, and nobody reads the response.
  return signal.aborted && error instanceof DOMException ? new Response(null, { status: clientClosedRequest }) : null
}

/** The media type of JSON, as the router sets it. */
export const jsonType = 'application/json;charset=utf-8'

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/
/** The methods with their own metric label. Clients can invent others. */
const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

type ObservedRequest = { request: Request; request_id: string; started_ms: number }

/**
 * Returns a function that answers each request in its context. It counts every request by route, traces it if a
 * collector is configured, and logs it at level `debug`.
 */
export function createRequestTelemetry({ telemetry, log }: App, routeOf: (path: string) => string) {
  const { requests, tracing, httpRequests, httpRequestDurations } = telemetry
  return observe

  function observe(handler: RequestHandler, request: Request): MaybePromise<Response> {
    const started_ms = performance.now()
    const request_id = requestIdOf(request)
    const response = tracing
      ? trace(tracing, handler, request, request_id)
      : requests.run({ request_id, span: null }, () => handler(request))
    return andThen(response, (it) => record(it, { request, request_id, started_ms }))
  }

  function record(response: Response, { request, request_id, started_ms }: ObservedRequest): Response {
    const duration_ms = performance.now() - started_ms
    const method = knownMethods.has(request.method) ? request.method : otherLabel
    const route = routeOf(pathOf(request.url))
    httpRequests.withLabels(method, route, String(response.status)).value++
    httpRequestDurations.withLabels(method, route).observe(duration_ms / 1000)
    log.debug?.('request', {
      request_id,
      method,
      route,
      status: response.status,
      ms: Math.round(duration_ms * 100) / 100,
    })
    return response
  }

  function trace(
    { root }: NonNullable<typeof tracing>,
    handler: RequestHandler,
    request: Request,
    request_id: string,
  ): Promise<Response> {
    const route = routeOf(pathOf(request.url))
    const attributes: Record<string, string | number> = {
      'http.request.method': request.method,
      'http.route': route,
      'fieldstone.request_id': request_id,
    }
    return root(
      {
        name: `${request.method} ${route}`,
        kind: 'server',
        request_id,
        attributes,
        parent: parseTraceparent(request.headers.get('traceparent')),
      },
      async () => {
        const response = await handler(request)
        attributes['http.response.status_code'] = response.status
        return response
      },
    )
  }
}

/** Returns the X-Request-ID of a request if it is valid, else a new UUIDv7. */
function requestIdOf({ headers }: Request): string {
  const given = headers.get('x-request-id')
  return given !== null && requestIdPattern.test(given) ? given : Bun.randomUUIDv7()
}

/**
 * Returns a check of the query of a request against the parameters of its operation, by its route pattern. A request
 * outside of `/v1/`, and one whose body has a media type that the operation rejects, are not checked. A GET ignores
 * what it does not know, as the public interface does; what is sent must not be half understood.
 */
export function createQueryCheck(operations: Operations): (request: Request, route: string) => void {
  return (request, route) => {
    if (!request.url.includes('?') || !pathOf(request.url).startsWith('/v1/')) return
    if (request.method === 'GET' || request.method === 'HEAD') return
    const operation = operations[`${request.method} ${route.replace(/:(\w+)/g, '{$1}')}`]
    if (!operation) return
    // An unsupported media type is reported before a wrong query.
    if (operation.requestBody?.required && !(mediaTypeOf(request) in operation.requestBody.content)) return
    const names = (operation.parameters ?? []).filter((it) => it.in === 'query').map(({ name }) => name)
    const query = new URL(request.url).searchParams
    const unknown = [...new Set(query.keys())].filter((name) => !names.includes(name))
    if (unknown.length > 0)
      throw new ValidationError(
        unknown
          .slice(0, reportedMax)
          .map((name) =>
            createViolation('value_error', ['query', name.slice(0, 100)], adviceFor(name, names), query.get(name)),
          ),
      )
  }
}

const reportedMax = 20

function adviceFor(name: string, names: string[]): string {
  const nearest = nearestName(name, names)
  if (nearest !== null) return `Unknown query parameter. Did you mean \`${nearest}\`?`
  return names.length === 0
    ? 'This endpoint has no query parameters'
    : `Unknown query parameter. The parameters are ${names.map((it) => `\`${it}\``).join(', ')}`
}
