import * as contents from '../../catalog/contents.ts'
import type { MaybePromise } from '../../src/async/maybe-promise.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { withNestedReads } from '../../src/catalog/read-spec.ts'
import type { Driver, DriverDeps } from '../../src/drivers/driver.ts'
import { parseInThisThread } from '../../src/drivers/table/parse-download.ts'
import { drivers, type DriverName } from '../../src/drivers/drivers.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Estimate } from '../../src/model/estimate.ts'
import type { Absent } from '../../src/model/outcome.ts'
import type { Budget, Value } from '../../src/model/source.ts'
import { openHttpClient } from '../../src/net/http-client.ts'
import { operators } from '../../src/operators/operators.ts'
import type { TSchema } from '@sinclair/typebox'

/** A request as a publisher received it. */
export type PublisherRequest = {
  host: string
  path: string
  query: Record<string, string>
  method: string
  body: string
  type: string | null
}

type Opening = {
  key?: string | null
  email?: string
  now?: () => Date
  overpass?: string | null
  settings?: Record<string, unknown>
}
type Question = Record<string, unknown>
type Source = (query: Question, budget?: Budget) => Promise<unknown>

const catalog = createCatalog(contents)
const boulder = { lat: 40.0150123, lng: -105.2705456 }
const noDeadline: Budget = { signal: new AbortController().signal }
const inSummer = () => new Date('2026-07-16T12:00:00Z')

/**
 * All publishers, on this machine. The real HTTP client sends requests to one function, which answers with JSON or a
 * Response.
 */
export function startPublisher(respond: (request: PublisherRequest) => unknown) {
  const requests: PublisherRequest[] = []
  const server = Bun.serve({
    hostname: 'localhost',
    port: 0,
    async fetch(request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url)
      const [, host = '', ...path] = pathname.split('/')
      requests.push({
        host,
        path: decodeURIComponent(path.join('/')),
        query: Object.fromEntries(searchParams),
        method: request.method,
        body: await request.text(),
        type: request.headers.get('content-type'),
      })
      const response = await respond(requests.at(-1)!)
      return response instanceof Response ? (response.clone() as Response) : Response.json(response)
    },
  })
  const mirror = `http://localhost:${server.port}`
  const net = openHttpClient({
    mirror,
    userAgent: 'fieldstone-test',
    catalogHosts: new Set(),
    now: inSummer,
    random: () => 0,
    wait: async () => {},
  })

  /**
   * The source of a catalog dataset, from its first `serve` entry with this driver; null if the driver does not open
   * it.
   */
  function open(
    id: string,
    name: DriverName,
    { key = null, email, now = inSummer, overpass = null, settings = {} }: Opening = {},
  ): Source | null {
    const { serve, shape, attributes, ttl_seconds } = catalog.datasets.get(id)!
    const { driver, ...written } = serve.find(({ driver }) => driver === name)!
    const deps = { net, now, overpass, parse: parseInThisThread } as DriverDeps
    const opened = (drivers[driver] as Driver<TSchema>).open({ ...written, ...settings }, shape, deps, {
      id,
      key,
      ...(email && { email }),
      ttl_seconds,
      ...(attributes && { attributes }),
    })
    const source = opened?.source as ((query: Question, budget: Budget) => Promise<unknown>) | undefined
    return source ? (query, budget = noDeadline) => source({ at: boulder, ...query }, budget) : null
  }

  return {
    requests,
    open,
    [Symbol.dispose]: () => {
      net.close()
      void server.stop(true)
    },
  }
}

type AnyOperator = {
  run: (args: never, source: never, request: never, budget: Budget) => MaybePromise<Value | Estimate | Absent>
}

/** Evaluates a field's catalog read on a source, by its operator. */
export async function evaluateField(
  field: string,
  dataset: string,
  source: Source | null,
  key: string | null = null,
): Promise<Value | Estimate | Absent> {
  const read = withNestedReads(catalog.fields.get(field)!.read).find(
    (it) => it.dataset === dataset && it.op !== 'computed',
  )!
  const { run }: AnyOperator = operators[read.op]
  return run(
    read as never,
    source as never,
    { at: boulder, key, inputs: { state: 'CO' }, now: inSummer() } as never,
    noDeadline,
  )
}

/** The error code of a rejected promise, or its value. */
export async function driverErrorCode(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { gave: await promise }
  } catch (error) {
    return error instanceof UpstreamError ? error.code : error
  }
}

/** Invalid responses, with the error code of each. */
export const invalidResponses: [string, () => Response, string][] = [
  ['a server error', () => new Response('Service unavailable', { status: 503 }), 'upstream_5xx'],
  [
    'a page instead of data',
    () => new Response('<!DOCTYPE html><html>Maintenance</html>', { headers: { 'content-type': 'text/html' } }),
    'bad_response',
  ],
  [
    'truncated JSON',
    () => new Response('{"features":[{"prop', { headers: { 'content-type': 'application/json' } }),
    'bad_response',
  ],
  ['a number', () => Response.json(7), 'bad_response'],
  [
    'an error inside a 200',
    () => Response.json({ error: { code: 400, message: 'Failed to execute query.' } }),
    'upstream_rejected',
  ],
  ['too many requests', () => new Response('slow down', { status: 429 }), 'rate_limited'],
  ['no entry', () => new Response('no', { status: 400 }), 'upstream_rejected'],
]
