import { afterEach } from 'bun:test'
import type { DriverDeps, OpenedSource } from '../../src/drivers/driver.ts'
import type { Point } from '../../src/model/place.ts'
import type { Budget, Grid, RasterQuery } from '../../src/model/source.ts'
import { openHttpClient } from '../../src/net/http-client.ts'

/** A request that the host received. `form`: the form in the body, or the query. */
export type ImageRequest = { method: string; path: string; form: URLSearchParams; body: string }

const opened: { close: () => void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

const now = new Date('2026-06-01T00:00:00Z')
export const imageBudget = { signal: new AbortController().signal }

/** Returns a function that reads a raster source at a point: by default, one cell. */
export function cellReaderOf({ source }: OpenedSource, at: Point): (query?: Partial<RasterQuery>) => Promise<Grid> {
  const read = source as unknown as (query: RasterQuery, budget: Budget) => Promise<Grid>
  return (query = {}) => read({ at, radius_cells: 0, ...query }, imageBudget)
}

/** A local publisher and driver dependencies that send every call there. It answers with JSON, text or a Response. */
export function startImageHost(answer: (requests: ImageRequest) => unknown) {
  const requests: ImageRequest[] = []
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const body = await request.text()
      const isForm = request.headers.get('content-type') === 'application/x-www-form-urlencoded'
      const it = {
        method: request.method,
        path: decodeURIComponent(pathname),
        form: isForm ? new URLSearchParams(body) : searchParams,
        body,
      }
      requests.push(it)
      const response = await answer(it)
      return response instanceof Response
        ? response
        : typeof response === 'string'
          ? new Response(response)
          : Response.json(response)
    },
  })
  const net = openHttpClient({
    mirror: `http://localhost:${server.port}`,
    userAgent: 'test',
    catalogHosts: new Set(),
    now: () => now,
    random: () => 0.5,
    wait: async () => {},
  })
  opened.push({
    close: () => {
      net.close()
      void server.stop(true)
    },
  })
  return { requests, deps: { net, now: () => now } as unknown as DriverDeps, stop: () => server.stop(true) }
}

export const offlineDeps = { net: null, now: () => now } as unknown as DriverDeps
export const datasetInfo = { id: 'made_up', key: null, ttl_seconds: 60 }

/** Invalid responses to any request, and the error code of each. */
export const invalidImageResponses: [what: string, answer: () => Response, code: string][] = [
  ['a status of 503', () => new Response('busy', { status: 503 }), 'upstream_5xx'],
  ['a status of 429', () => new Response('slowly', { status: 429 }), 'rate_limited'],
  ['a status of 400', () => new Response('what?', { status: 400 }), 'upstream_rejected'],
  [
    'a page with status 200',
    () => new Response('<!doctype html><title>Maintenance</title>', { headers: { 'content-type': 'text/html' } }),
    'bad_response',
  ],
  ['nothing', () => new Response(''), 'bad_response'],
  ['a truncated response', () => new Response('{"value": "4'), 'bad_response'],
]
