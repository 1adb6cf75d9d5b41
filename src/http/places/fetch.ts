import { Type, type Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { answerBatch, batchLocationsMax } from '../../fetch/batch.ts'
import { answerAt, fetchWithGeometry, type FetchContext } from '../../fetch/fetch.ts'
import { unknownFieldPolicies } from '../../fetch/catalog/select.ts'
import { BatchAnswer, FetchAnswer } from '../../fetch/fetch-answer.ts'
import { ValidationError, type ApiCode, type Violation } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import { literals } from '../../model/schema.ts'
import { splitNames } from '../../model/text.ts'
import { geocodeErrorCodes } from './geocode.ts'
import { accountOf } from '../request/guard.ts'
import { createBodyAnswerer } from '../request/json-body.ts'
import { jsonType } from '../request/request-steps.ts'
import { locationRequestProperties, locationViolations } from './location.ts'
import { defineOperations, selectionErrorCodes } from '../request/operation.ts'
import { listViolations, literalViolations } from '../request/paging.ts'
import { createViolation, includeViolations, itemViolations } from '../request/violations.ts'

/** What `on_unknown` is for. */
export const onUnknownDescription =
  'reject: a name that is not in the catalog rejects the request. skip: the other fields are answered, and `partial_failures` lists that name. Default reject.'

/** The request members that select fields. */
export const selectionProperties = {
  fields: Type.Optional(Type.Array(Type.String(), { description: 'Names of catalog fields, at most 50.' })),
  preset: Type.Optional(Type.String({ description: 'Name of a preset. Its fields come before those in `fields`.' })),
  on_unknown: Type.Optional(literals(unknownFieldPolicies, { description: onUnknownDescription })),
}
const includable = ['geometry'] as const
const includeDescription =
  'geometry: each field also has the shapes that it was read from, as GeoJSON. Sources may take longer to send them.'
const FetchRequest = Type.Object({
  ...locationRequestProperties,
  ...selectionProperties,
  include: Type.Optional(Type.Array(literals(includable), { description: includeDescription })),
})
const BatchRequest = Type.Object({
  locations: Type.Array(Type.Object(locationRequestProperties), {
    minItems: 1,
    maxItems: batchLocationsMax,
    description: `1 to ${batchLocationsMax} locations, each a coordinate or an address.`,
  }),
  ...selectionProperties,
})

const denver = { lat: 39.7392, lng: -104.9903 }
const miamiBeach = { lat: 25.7907, lng: -80.13 }

const fetchErrorCodes: ApiCode[] = ['invalid_locator', 'coord_out_of_bounds', ...selectionErrorCodes, 'fetch_busy']

export const fetchOperations = defineOperations('Fields', {
  'GET /v1/fetch': {
    scope: 'fetch',
    summary: 'Fetch fields for one coordinate, from a URL',
    description:
      'The same answer as POST /v1/fetch, for an address bar or a spreadsheet. A street address can only be sent with POST, because URLs are logged. The token belongs in the Authorization header. HEAD checks the request and fetches nothing.',
    query: {
      lat: { description: 'Latitude in WGS 84 degrees.', schema: { type: 'number' } },
      lng: { description: 'Longitude in WGS 84 degrees, negative in the Americas.', schema: { type: 'number' } },
      fields: 'Names of catalog fields, comma-separated, at most 50. If it is repeated, the lists add up.',
      preset: 'Name of a preset. Its fields come before those in `fields`.',
      on_unknown: onUnknownDescription,
      include: includeDescription,
    },
    responses: { 200: FetchAnswer },
    errorCodes: fetchErrorCodes,
  },
  'POST /v1/fetch': {
    scope: 'fetch',
    summary: 'Fetch fields for one place',
    description:
      'Returns every requested field with value, status, unit, source and vintage. If a source fails, only its fields fail; the response is still 200.',
    body: FetchRequest,
    examples: {
      fields: { ...denver, fields: ['county', 'timezone', 'nearest_airport_name'] },
      preset: { ...miamiBeach, preset: 'place_context' },
    },
    responses: { 200: FetchAnswer },
    errorCodes: [...fetchErrorCodes, ...geocodeErrorCodes],
  },
  'POST /v1/fetch/batch': {
    scope: 'fetch',
    summary: `Fetch the same fields for up to ${batchLocationsMax} places`,
    description:
      'results[i] is the result of locations[i]. A location that cannot be answered is an entry with ok: false. It never fails the batch.',
    body: BatchRequest,
    examples: { two: { locations: [denver, miamiBeach], fields: ['county', 'timezone'] } },
    responses: { 200: BatchAnswer },
    errorCodes: ['no_fields_requested', 'preset_unknown', 'fields_unknown', 'fields_too_many'],
  },
})

const answerFetchBody = createBodyAnswerer(FetchRequest, (body) => locationViolations(body, ['body']))
const answerBatchBody = createBodyAnswerer(BatchRequest, (body) => [
  ...includeViolations(body, ['body'], 'Shapes are in the answers of /v1/fetch'),
  ...itemViolations(Array.isArray(body.locations) ? body.locations : [], (it: unknown, i) =>
    isRecord(it) ? locationViolations(it, ['body', 'locations', i]) : [],
  ),
])

/** The routes that answer fields at places. */
export const fetchRoutes = (app: App) =>
  new Elysia()
    .get('/v1/fetch', async ({ request, set }) => {
      const account = accountOf(request)
      const query = parseFetchQuery(request)
      set.headers['content-type'] = jsonType
      return answerRequest(query, request, app.fetchContext(account))
    })
    // Without this route, Elysia would answer GET and drop the body.
    .head('/v1/fetch', ({ request }) => {
      const query = parseFetchQuery(request)
      const { plans, placeAt } = app.fetchContext(accountOf(request))
      plans.select(query, 'union')
      placeAt(query)
      return new Response(null, { headers: { 'content-type': 'application/json' } })
    })
    .post('/v1/fetch', ({ request, set }) => {
      set.headers['content-type'] = jsonType
      return answerFetchBody(request, (body) => answerRequest(body, request, app.fetchContext(accountOf(request))))
    })
    .post('/v1/fetch/batch', ({ request, set }) => {
      set.headers['content-type'] = jsonType
      const context = app.fetchContext(accountOf(request), '/v1/fetch/batch')
      return answerBatchBody(request, (body) => answerBatchRequest(body, request, context))
    })

function answerRequest(
  body: Static<typeof FetchRequest>,
  request: Request,
  context: FetchContext,
): MaybePromise<string | FetchAnswer> {
  const plan = context.plans.select(body, 'union')
  if (body.include?.includes('geometry')) return fetchWithGeometry(body, plan, request, context)
  return andThen(answerAt(body, plan, request, context), (answer) => answer.toText())
}

async function answerBatchRequest(
  body: Static<typeof BatchRequest>,
  request: Request,
  context: FetchContext,
): Promise<string> {
  const batch = await answerBatch(body.locations, context.plans.select(body, 'explicit'), request, context)
  return batch.toText()
}

/** Parses the query of GET /v1/fetch. @throws {ValidationError} for a coordinate that is missing or not a number. */
function parseFetchQuery({ url }: Request) {
  const query = new URL(url).searchParams
  const include = query.getAll('include').flatMap(splitNames)
  const violations = [
    ...degreeViolations(query, 'lat'),
    ...degreeViolations(query, 'lng'),
    ...listViolations(query, 'include', includable),
    ...literalViolations(query, 'on_unknown', unknownFieldPolicies),
  ]
  if (violations.length > 0) throw new ValidationError(violations)
  const fields = query.getAll('fields')
  const preset = query.get('preset')
  return {
    lat: Number(query.get('lat')),
    lng: Number(query.get('lng')),
    ...(fields.length > 0 && { fields: fields.flatMap(splitNames) }),
    ...(preset !== null && { preset }),
    ...(query.get('on_unknown') === 'skip' && { on_unknown: 'skip' as const }),
    include: include.filter(isIncludable),
  }
}

function isIncludable(name: string): name is (typeof includable)[number] {
  return includable.some((it) => it === name)
}

function degreeViolations(query: URLSearchParams, name: 'lat' | 'lng'): Violation[] {
  const text = query.get(name)
  const loc = ['query', name]
  if (text === null || text.trim() === '') return [createViolation('missing', loc, 'Field required', text)]
  if (Number.isFinite(Number(text))) return []
  return [createViolation('float_parsing', loc, 'Input should be a valid number', text)]
}
