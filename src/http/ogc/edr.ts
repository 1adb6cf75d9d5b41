import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { answerArea } from '../../areas/answer-area.ts'
import type { AreaShape } from '../../areas/area-schema.ts'
import type { Field } from '../../catalog/records.ts'
import { answerLocations, batchLocationsMax, batchMax_ms } from '../../fetch/batch.ts'
import { answerAt, type FetchContext } from '../../fetch/fetch.ts'
import { circleAround } from '../../geo/circle.ts'
import { roundDegrees } from '../../geo/text/geojson.ts'
import { ApiError, ValidationError } from '../../model/error.ts'
import type { Position } from '../../model/source.ts'
import type { LocationInput } from '../../place/locate.ts'
import {
  areaCoverageOf,
  type PolygonAnswer,
  multiPointCoverageOf,
  pointCoverageOf,
  type PositionAnswer,
} from '../../ogc/coverage-json.ts'
import { areaFeatureOf, positionFeatureOf } from '../../ogc/edr-geojson.ts'
import {
  describeEdrCollection,
  edrFormats,
  edrRoot,
  findEdrCollection,
  listEdrCollections,
  type EdrFormat,
} from './edr-collections.ts'
import { edrInterface, edrOperations } from './edr-operations.ts'
import {
  edrFieldsOf,
  edrFormatOf,
  parsePolygons,
  parsePositions,
  parseRadius_m,
  requireEdrParameters,
} from './edr-query.ts'
import { accountOf } from '../request/guard.ts'
import { addressViolations } from '../places/location.ts'
import { ogcDocumentRoutes, ogcQueryOf } from './ogc-documents.ts'

const positionNames = ['coords', 'z', 'datetime', 'parameter-name', 'crs']
const radiusNames = [...positionNames, 'within', 'within-units']
const locationNames = ['datetime', 'parameter-name', 'crs']

export const edrRoutes = (app: App) => {
  const { base_url } = app.config
  return new Elysia()
    .use(ogcDocumentRoutes(edrInterface, edrOperations, app))
    .get(`${edrRoot}/collections`, ({ request }) => {
      ogcQueryOf(request, [])
      return {
        collections: listEdrCollections(app.catalog).map((it) => describeEdrCollection(it, app)),
        links: [{ href: `${base_url}${edrRoot}/collections`, rel: 'self', type: 'application/json' }],
      }
    })
    .get(`${edrRoot}/collections/:collection`, ({ request, params: { collection } }) => {
      ogcQueryOf(request, [])
      return describeEdrCollection(findEdrCollection(collection, app.catalog), app)
    })
    .get(`${edrRoot}/collections/:collection/position`, async ({ request, params: { collection } }) => {
      const query = openEdrQuery(request, collection, positionNames, app)
      const { points, isMulti } = parsePositions(query.parameters, batchLocationsMax)
      if (!isMulti) return positionResponse([await answerPosition(points[0]!, query)], 'Point', query)
      const budget = { signal: request.signal, until_ms: performance.now() + batchMax_ms }
      const answers = await answerLocations<PositionAnswer>(
        {
          locations: points,
          plan: query.context.plans.planOf(query.fields),
          answered: (answer, i) => ({ at: points[i]!, fields: answer.toJSON().fields }),
          failed: ({ detail }, i) => ({ at: points[i]!, error: detail }),
        },
        budget,
        query.context,
      )
      return positionResponse(answers, 'MultiPoint', query)
    })
    .get(`${edrRoot}/collections/:collection/radius`, async ({ request, params: { collection } }) => {
      const query = openEdrQuery(request, collection, radiusNames, app)
      const { points, isMulti } = parsePositions(query.parameters, 1)
      if (isMulti) throw new ApiError('bad_request', 'coords is the center of a circle: a POINT.')
      const radius_m = parseRadius_m(query.parameters)
      const ring = circleAround(points[0]!, radius_m).map(({ lat, lng }): Position => [
        roundDegrees(lng),
        roundDegrees(lat),
      ])
      return areaResponse([{ rings: [ring], shape: { around: { ...points[0]!, radius_m } } }], query)
    })
    .get(`${edrRoot}/collections/:collection/area`, async ({ request, params: { collection } }) => {
      const query = openEdrQuery(request, collection, positionNames, app)
      const areas = parsePolygons(query.parameters, batchLocationsMax).map((rings) => ({
        rings,
        shape: { geometry: { type: 'Polygon' as const, coordinates: [...rings] } },
      }))
      return areaResponse(areas, query)
    })
    .get(`${edrRoot}/collections/:collection/locations`, ({ request, params: { collection } }) => {
      ogcQueryOf(request, locationNames, ['GeoJSON', 'json'])
      findEdrCollection(collection, app.catalog)
      return featuresResponse([], { request, base_url })
    })
    .get(
      `${edrRoot}/collections/:collection/locations/:address`,
      async ({ request, params: { collection, address } }) => {
        const query = openEdrQuery(request, collection, locationNames, app)
        return positionResponse([await answerPosition(addressInputOf(address), query)], 'Point', query)
      },
    )
}

/** A request for values: the fields, and how to answer. */
interface EdrQuery {
  parameters: URLSearchParams
  fields: Field[]
  format: EdrFormat
  context: FetchContext
  request: Request
  base_url: string
}

function openEdrQuery(request: Request, collection: string, names: readonly string[], app: App): EdrQuery {
  const context = app.fetchContext(accountOf(request), edrRoot)
  const found = findEdrCollection(collection, context.catalog)
  const parameters = ogcQueryOf(request, names, Object.keys(edrFormats))
  requireEdrParameters(parameters)
  return {
    parameters,
    fields: edrFieldsOf(parameters, found, context),
    format: edrFormatOf(parameters, request),
    context,
    request,
    base_url: app.config.base_url,
  }
}

async function answerPosition(
  location: LocationInput,
  { fields, context, request }: EdrQuery,
): Promise<PositionAnswer> {
  const answer = (await answerAt(location, context.plans.planOf(fields), request, context)).toJSON()
  return { at: { lat: answer.lat, lng: answer.lng }, fields: answer.fields }
}

function positionResponse(answers: PositionAnswer[], domain: 'Point' | 'MultiPoint', query: EdrQuery): Response {
  if (query.format === 'GeoJSON') return featuresResponse(answers.map(positionFeatureOf), query)
  return jsonOf(
    domain === 'Point' ? pointCoverageOf(answers[0]!, query) : multiPointCoverageOf(answers, query),
    'CoverageJSON',
  )
}

/** A polygon, and the request for its answer. */
type RequestedArea = { rings: Position[][]; shape: AreaShape }

/** Answers the polygons one after the other. */
async function areaResponse(areas: RequestedArea[], query: EdrQuery): Promise<Response> {
  const { fields, context, request, format } = query
  const budget = { signal: request.signal, until_ms: performance.now() + batchMax_ms }
  const answers: PolygonAnswer[] = []
  for (const { rings, shape } of areas) {
    const answer = await answerArea({ ...shape, loc: ['coords'] }, fields, budget, context).catch(rejectInvalidArea)
    answers.push({ rings, results: answer.fields })
  }
  return format === 'GeoJSON'
    ? featuresResponse(answers.map(areaFeatureOf), query)
    : jsonOf(areaCoverageOf(answers, query), format)
}

function rejectInvalidArea(error: unknown): never {
  throw error instanceof ValidationError ? badRequestOf('coords', error) : error
}

/** @throws {ApiError} `bad_request` for a long address, and for one with invisible characters. */
function addressInputOf(address: string): LocationInput {
  const violations = addressViolations(address, ['path', 'address'])
  if (violations.length > 0) throw badRequestOf('address', new ValidationError(violations))
  return { address }
}

/** The OGC interfaces answer 400 where others answer 422. */
function badRequestOf(parameter: string, cause: ValidationError): ApiError {
  return new ApiError(
    'bad_request',
    `${parameter}: ${cause.violations.map(({ msg }) => msg).join('; ')}.`,
    {},
    { cause },
  )
}

/** Returns GeoJSON features with links to this document, and to the same answer as CoverageJSON if there is one. */
function featuresResponse(features: object[], { request, base_url }: Pick<EdrQuery, 'request' | 'base_url'>): Response {
  const { pathname, searchParams } = new URL(request.url)
  const linkTo = (format: EdrFormat, rel: string) => {
    searchParams.set('f', format)
    return { href: `${base_url}${pathname}?${searchParams.toString()}`, rel, type: edrFormats[format] }
  }
  const links = [linkTo('GeoJSON', 'self'), ...(features.length > 0 ? [linkTo('CoverageJSON', 'alternate')] : [])]
  return jsonOf({ type: 'FeatureCollection', features, links }, 'GeoJSON')
}

function jsonOf(document: object, format: EdrFormat): Response {
  return new Response(JSON.stringify(document), {
    headers: { 'content-type': edrFormats[format], 'cache-control': 'private, no-store' },
  })
}
