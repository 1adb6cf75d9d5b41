import { arcgisDriver } from '../../src/drivers/arcgis/arcgis.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Feature, FeatureQuery, Sources } from '../../src/model/source.ts'
import type { HttpClient } from '../../src/net/http-client.ts'

/** A request as the server received it, with its parameters from the URL or the form. */
export type ArcgisRequest = { path: string; method: string; query: URLSearchParams }

/** A local server that answers with JSON, or with a Response as is, and records its requests. */
export function arcgisServer(respond: (request: ArcgisRequest) => unknown) {
  const requests: ArcgisRequest[] = []
  const server = Bun.serve({
    hostname: 'localhost',
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const query = request.method === 'POST' ? new URLSearchParams(await request.text()) : searchParams
      requests.push({ path: pathname, method: request.method, query })
      const response = respond(requests.at(-1)!)
      return response instanceof Response ? response : Response.json(response)
    },
  })
  const service = `http://localhost:${server.port}/arcgis/rest/services/Made/MapServer`
  return {
    service,
    requests,
    queries: () => requests.filter(({ path }) => path.endsWith('/query')),
    [Symbol.dispose]: () => void server.stop(true),
  }
}

type Settings = Parameters<typeof arcgisDriver.open>[0]
type Asking = { attributes?: string[]; now?: () => Date }

/** Opens the driver on a server and queries it. */
export function openArcgis(settings: Settings, { attributes, now = () => new Date(0) }: Asking = {}) {
  const jobs: (() => void | Promise<void>)[] = []
  const deps = {
    net: plainNet,
    now,
    runHourly: (_name: string, work: () => void | Promise<void>) => void jobs.push(work),
  } as unknown as Parameters<typeof arcgisDriver.open>[2]
  const opened = arcgisDriver.open(settings, 'features', deps, {
    id: 'made',
    key: null,
    ttl_seconds: 60,
    ...(attributes && { attributes }),
  })!
  const source = opened.source as unknown as Sources['features']
  const near = async (query: FeatureQuery, signal = new AbortController().signal): Promise<Feature[]> =>
    source(query, { signal })
  const runJobs = () => Promise.all(jobs.map(async (work) => work()))
  return { near, remote: opened.remote, missingOf: opened.missingOf!, editedOn: opened.editedOn!, runJobs }
}

/** Sends requests without the retries, circuit breakers and limits of the real client. */
const plainNet: Pick<HttpClient, 'fetchJson'> = {
  async fetchJson({ url, method = 'GET', body, headers = {} }, { signal }) {
    const response = await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) })
    if (response.status >= 500) throw new UpstreamError('upstream_5xx', `${response.status}`)
    if (!response.headers.get('content-type')?.includes('json')) throw new UpstreamError('bad_response', 'no JSON')
    return response.json()
  },
}

/** A MapServer response; each feature has attributes and optionally a geometry. */
export function answerOf(
  features: { attributes: Record<string, unknown>; geometry?: unknown }[],
  more: Record<string, unknown> = {},
) {
  return {
    displayFieldName: '',
    fieldAliases: {},
    geometryType: 'esriGeometryPolygon',
    spatialReference: { wkid: 4326, latestWkid: 4326 },
    fields: [],
    features,
    ...more,
  }
}

/** A square around a point, in degrees, with Esri's winding order. */
export function squarePolygon(lng: number, lat: number, half: number) {
  const [w, s, e, n] = [lng - half, lat - half, lng + half, lat + half]
  return [
    [w, s],
    [w, n],
    [e, n],
    [e, s],
    [w, s],
  ]
}

/** The code of the thrown error. */
export async function arcgisErrorCode(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof UpstreamError ? error.code : `no fault of the source: ${String(error)}`
}
