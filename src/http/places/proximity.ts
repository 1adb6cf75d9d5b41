import { Type, type Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { FetchContext } from '../../fetch/fetch.ts'
import { distanceBetween_m } from '../../geo/ecef.ts'
import { nearestOfSet, type NearFeature } from '../../lookup/proximity.ts'
import { ApiError, type Violation } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import { roundTo } from '../../model/round.ts'
import { literals, nullable } from '../../model/schema.ts'
import type { Budget } from '../../model/source.ts'
import type { LocatedPlace, LocationInput } from '../../place/locate.ts'
import { parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import { geocodeErrorCodes } from './geocode.ts'
import { accountOf } from '../request/guard.ts'
import { createBodyReader } from '../request/json-body.ts'
import { addressMax_characters } from '../../model/text.ts'
import { addressViolations, locationRequestProperties } from './location.ts'
import { defineOperations } from '../request/operation.ts'
import { createViolation } from '../request/violations.ts'

const nearestMax = 25

const Place = Type.Union([Type.String(), Type.Object(locationRequestProperties)], {
  description: `A coordinate as text with the latitude first, an address of at most ${addressMax_characters} characters, or an object with lat and lng, or address.`,
})
const ProximityRequest = Type.Object({
  op: literals(['nearest', 'distance'], {
    description: 'nearest: the nearest features of `set`. distance: how far `destination` is.',
  }),
  origin: Place,
  destination: Type.Optional(Place),
  set: Type.Optional(Type.String({ maxLength: 100, description: 'For nearest: a named set, such as `@airports`.' })),
  n: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: nearestMax,
      description: `For nearest: how many, at most ${nearestMax}. Default 1.`,
    }),
  ),
  mode: Type.Optional(
    literals(['straightline', 'driving'], { description: 'Only straight lines are measured. Default straightline.' }),
  ),
})

const EndPoint = Type.Object({
  query: Type.String(),
  lat: Type.Number(),
  lng: Type.Number(),
  formatted_address: nullable('string'),
  accuracy_type: nullable('string'),
  accuracy: nullable('number'),
  error: Type.Null(),
})
const distanceMembers = {
  distance_miles: Type.Number(),
  distance_km: Type.Number(),
  duration_seconds: Type.Null({ description: 'A straight line has no duration.' }),
  duration_minutes: Type.Null(),
}
const Candidate = Type.Object({
  name: Type.String(),
  lat: Type.Number(),
  lng: Type.Number(),
  attributes: Type.Record(Type.String(), nullable(['string', 'number', 'boolean'])),
  ...distanceMembers,
})
const sharedMembers = {
  origin: EndPoint,
  applied_filters: Type.Null(),
  paid_driving_calcs: Type.Integer({ description: 'Always 0: nothing is billed.' }),
  credits_charged: Type.Integer({ description: 'Always 0: nothing is billed.' }),
  notes: Type.Array(Type.String()),
}
const ProximityAnswer = Type.Union([
  Type.Object({ op: Type.Literal('nearest'), ...sharedMembers, candidates: Type.Array(Candidate) }),
  Type.Object({ op: Type.Literal('distance'), ...sharedMembers, destination: EndPoint, ...distanceMembers }),
])
type ProximityAnswer = Static<typeof ProximityAnswer>

export const proximityOperations = defineOperations('Addresses', {
  'POST /v1/proximity': {
    scope: 'fetch',
    summary: 'Measure how far places are',
    description:
      'The distance between two places, or the nearest features of a named set, in a straight line. The sets are the features whose nearest distance is a field, such as `@airports` for `nearest_airport_distance_m`. A driving distance is rejected: this server has no roads to drive on.',
    body: ProximityRequest,
    examples: { airports: { op: 'nearest', origin: '39.7392,-104.9903', set: '@airports', n: 3 } },
    responses: { 200: ProximityAnswer },
    errorCodes: [
      'unknown_set',
      'mode_unsupported',
      'proximity_data_unavailable',
      'coord_out_of_bounds',
      'invalid_locator',
      ...geocodeErrorCodes,
      'fetch_busy',
    ],
  },
})

const readProximityBody = createBodyReader(ProximityRequest, (body) => [
  ...placeViolations(body.origin, ['body', 'origin']),
  ...placeViolations(body.destination, ['body', 'destination']),
  ...requiredViolations(body),
])

export const proximityRoutes = (app: App) =>
  new Elysia().post('/v1/proximity', async ({ request }) => {
    const context = app.fetchContext(accountOf(request), '/v1/proximity')
    const body = await readProximityBody(request)
    requireStraightLine(body.mode)
    return context.admission.run(() => answerProximity(body, request, context), request)
  })

async function answerProximity(
  { op, origin, destination, set, n = 1 }: Static<typeof ProximityRequest>,
  budget: Budget,
  context: FetchContext,
): Promise<ProximityAnswer> {
  const from = await context.locate(locationOf(origin), budget)
  const shared = {
    origin: endPointOf(origin, from),
    applied_filters: null,
    paid_driving_calcs: 0,
    credits_charged: 0,
    notes: ['Distances are straight lines, not routes.'],
  }
  if (op === 'nearest') {
    const features = await nearestOfSet({ set: set!, place: from, limit: n }, budget, context)
    return { op, ...shared, candidates: features.map(candidateOf) }
  }
  const to = await context.locate(locationOf(destination!), budget)
  return { op, ...shared, destination: endPointOf(destination!, to), ...distanceOf(distanceBetween_m(from, to)) }
}

/** @throws {ApiError} `mode_unsupported` for a distance along roads. */
function requireStraightLine(mode: string | undefined): void {
  if (mode === 'driving')
    throw new ApiError(
      'mode_unsupported',
      'Driving distances are not available, because this server has no routes. Use the mode straightline.',
      { modes: ['straightline'] },
    )
}

/** A place of a request. Text that is no coordinate is an address. */
function locationOf(place: Static<typeof Place>): LocationInput {
  if (typeof place !== 'string') return place
  const parsed = parseCoordinates(place)
  return parsed?.kind === 'coordinates' ? { lat: parsed.lat, lng: parsed.lng } : { address: place }
}

function endPointOf(place: Static<typeof Place>, { lat, lng, geocode }: LocatedPlace): Static<typeof EndPoint> {
  return {
    query: typeof place === 'string' ? place : (place.address ?? `${lat},${lng}`),
    lat,
    lng,
    formatted_address: geocode?.normalized_address ?? null,
    accuracy_type: geocode?.accuracy_type ?? null,
    accuracy: geocode?.accuracy ?? null,
    error: null,
  }
}

function candidateOf({ name, lat, lng, distance_m, attributes }: NearFeature): Static<typeof Candidate> {
  return { name, lat, lng, attributes, ...distanceOf(distance_m) }
}

const metersPerMile = 1609.344

function distanceOf(distance_m: number) {
  return {
    distance_miles: roundTo(distance_m / metersPerMile, 3),
    distance_km: roundTo(distance_m / 1000, 3),
    duration_seconds: null,
    duration_minutes: null,
  }
}

function placeViolations(place: unknown, loc: string[]): Violation[] {
  return addressViolations(isRecord(place) ? place.address : place, isRecord(place) ? [...loc, 'address'] : loc)
}

/** The member that the operation needs besides the origin. */
function requiredViolations(body: Record<string, unknown>): Violation[] {
  const name = body.op === 'distance' ? 'destination' : body.op === 'nearest' ? 'set' : null
  if (name === null || body[name] !== undefined) return []
  return [createViolation('missing', ['body', name], 'Field required', body)]
}
