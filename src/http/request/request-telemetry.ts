import type { App } from '../../app.ts'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { otherLabel } from '../../telemetry/metrics.ts'
import { parseTraceparent } from '../../telemetry/span.ts'
import { pathOf } from './route-paths.ts'

/** Answers a request. */
export type RequestHandler = (request: Request) => MaybePromise<Response>

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
