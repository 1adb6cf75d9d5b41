import { Type, type Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { ApiError } from '../../model/error.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { openApiDocument } from '../pages/openapi.ts'
import type { Endpoint, Operations } from '../request/operation.ts'
import type { Extent } from '../../model/area.ts'

/** The longitude and latitude on WGS 84, in this order: the only coordinate system of the OGC interfaces. */
export const crs84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'

/** A link of an OGC document. */
export const OgcLink = Type.Object({
  href: Type.String(),
  rel: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
})
export type OgcLink = Static<typeof OgcLink>

/** The first document of an OGC interface. */
const OgcLandingPage = Type.Object({
  title: Type.String(),
  description: Type.String(),
  links: Type.Array(OgcLink),
})
/** The parts of the standards that an interface implements. */
const OgcConformance = Type.Object({ conformsTo: Type.Array(Type.String()) })

/** Where the data of a collection is. */
export const OgcExtent = Type.Object({
  spatial: Type.Object({
    bbox: Type.Array(Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), {
      description: 'West, south, east, north.',
    }),
    crs: Type.String(),
  }),
})

const json = 'application/json'

/** An OGC interface: its path, its title, and the classes of the standards that it implements. */
export type OgcInterface = { root: string; title: string; description: string; conformsTo: string[] }

/** Returns the operations of the documents with which every OGC interface begins. */
export function ogcDocumentOperations(
  { root }: OgcInterface,
  common: Pick<Endpoint, 'scope' | 'limits'>,
  description: string,
): Record<string, Endpoint> {
  return {
    [`GET ${root}`]: {
      ...common,
      summary: 'Landing page',
      description,
      responses: { 200: OgcLandingPage },
    },
    [`GET ${root}/conformance`]: {
      ...common,
      summary: 'List the conformance classes',
      description: 'The parts of the standard that these endpoints implement.',
      responses: { 200: OgcConformance },
    },
    [`GET ${root}/api`]: {
      ...common,
      summary: 'API definition',
      description: 'The OpenAPI document of these endpoints.',
      responses: { 200: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
      media: { 200: 'application/vnd.oai.openapi+json' },
    },
  }
}

/** Returns the routes of these documents. */
export function ogcDocumentRoutes(
  { root, title, description, conformsTo }: OgcInterface,
  operations: Operations,
  app: App,
) {
  const { base_url } = app.config
  const at = `${base_url}${root}`
  const links = [
    { href: at, rel: 'self', type: json, title: 'This document' },
    { href: `${at}/api`, rel: 'service-desc', type: openApiType, title: 'The API definition' },
    { href: `${base_url}/v1/docs`, rel: 'service-doc', type: 'text/html', title: 'The documentation' },
    { href: `${at}/conformance`, rel: 'conformance', type: json, title: 'Conformance classes' },
    { href: `${at}/collections`, rel: 'data', type: json, title: 'The collections' },
  ]
  return new Elysia()
    .get(root, ({ request }) => ogcQueryOf(request, []) && { title, description, links })
    .get(`${root}/conformance`, ({ request }) => ogcQueryOf(request, []) && { conformsTo })
    .get(`${root}/api`, ({ request }) => {
      ogcQueryOf(request, [])
      const headers = { 'content-type': openApiType, 'cache-control': 'private, no-store' }
      return Response.json(openApiDocument(app, operations), { headers })
    })
}

/** The media type of the API definition. */
const openApiType = 'application/vnd.oai.openapi+json;version=3.1'

/** Returns the extent of a box. */
export function ogcExtentOf(boxes: readonly Extent[]): Static<typeof OgcExtent> {
  return {
    spatial: { bbox: boxes.map(({ west, south, east, north }) => [west, south, east, north]), crs: crs84 },
  }
}

/**
 * Returns the query of a request to an OGC interface, which answers 400 where others answer 422. `formats`: the values
 * of the parameter `f`, in any case.
 * @throws {ApiError} `bad_request` for an unknown parameter, and for another format.
 */
export function ogcQueryOf(
  { url }: Request,
  names: readonly string[],
  formats: readonly string[] = ['json'],
): URLSearchParams {
  const query = new URL(url).searchParams
  const known = [...names, 'f']
  for (const name of query.keys()) {
    if (known.includes(name)) continue
    const nearest = nearestName(name, known)
    const advice = nearest === null ? `The parameters are ${known.join(', ')}.` : `Did you mean ${nearest}?`
    throw new ApiError('bad_request', `Unknown query parameter ${JSON.stringify(name.slice(0, 100))}. ${advice}`)
  }
  const format = query.get('f')?.toLowerCase()
  if (format !== undefined && !formats.some((it) => it.toLowerCase() === format))
    throw new ApiError(
      'bad_request',
      `Unknown format ${JSON.stringify(format.slice(0, 100))}. The parameter f is ${formats.join(' or ')}.`,
    )
  return query
}

/** Parses `bbox`: four numbers, or six with heights, which are ignored; null if not given. @throws {ApiError} */
export function parseBbox(query: URLSearchParams): Extent | null {
  const text = query.get('bbox')
  if (text === null) return null
  const numbers = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))
  const [west, south, east, north] = numbers.length === 6 ? [0, 1, 3, 4].map((i) => numbers[i]!) : numbers
  const isBox = (numbers.length === 4 || numbers.length === 6) && numbers.every(Number.isFinite)
  if (!isBox || south! > north! || Math.abs(west!) > 180 || Math.abs(east!) > 180)
    throw new ApiError(
      'bad_request',
      'bbox is west,south,east,north in degrees, such as bbox=-105.1,39.6,-104.8,39.9, with south below north.',
    )
  // A box whose west is east of its east crosses the antimeridian.
  return { west: west!, south: south!, east: east! < west! ? east! + 360 : east!, north: north! }
}

/** Parses `limit`. A limit above the maximum counts as the maximum. @throws {ApiError} */
export function parseOgcLimit(query: URLSearchParams, limits: { max: number; default: number }): number {
  const text = query.get('limit')
  if (text === null) return limits.default
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Math.min(limits.max, Number(text))
  throw new ApiError('bad_request', `limit is a whole number from 1 to ${limits.max}.`)
}

const dateTime = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})`
const instantPattern = new RegExp(`^${dateTime}$`)

/**
 * Checks `datetime`, an instant or an interval. Our features and values have no time that it could select.
 * @throws {ApiError}
 */
export function requireDateTime(query: URLSearchParams): void {
  const text = query.get('datetime')
  if (text === null) return
  const ends = text.split('/')
  const isOpen = (end: string) => ends.length === 2 && (end === '' || end === '..')
  const areValid = ends.length <= 2 && ends.every((end) => isOpen(end) || isInstant(end))
  const [from, to] = ends.map((end) => (isInstant(end) ? Date.parse(end) : NaN))
  if (!areValid || ends.every(isOpen) || from! > to!)
    throw new ApiError(
      'bad_request',
      'datetime is a time such as 2026-11-23T00:00:00Z, or an interval such as 2026-01-01T00:00:00Z/.. with its start before its end.',
    )
}

function isInstant(text: string): boolean {
  return instantPattern.test(text) && !Number.isNaN(Date.parse(text))
}
