import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { AreaAnswer } from '../../areas/area-answer.ts'
import { areaShapeProperties } from '../../areas/area-schema.ts'
import { areaShapeViolations } from '../../areas/shape/area-shape.ts'
import { answerArea, areaMapMembers } from '../../areas/answer-area.ts'
import { selectKnownFields } from '../../fetch/catalog/select.ts'
import { isRecord } from '../../model/record.ts'
import { literals } from '../../model/schema.ts'
import { selectionProperties } from './fetch.ts'
import { geocodeErrorCodes } from './geocode.ts'
import { accountOf, requireScope } from '../request/guard.ts'
import { createBodyAnswerer } from '../request/json-body.ts'
import { locationRequestProperties, locationViolations } from './location.ts'
import { defineOperations, selectionErrorCodes } from '../request/operation.ts'
import { jsonType } from '../request/request-steps.ts'

const AreaRequest = Type.Object({
  ...areaShapeProperties,
  parcel_of: Type.Optional(
    Type.Object(locationRequestProperties, {
      description:
        'The parcel that contains a coordinate or an address. The provider bills it, and the token needs the parcel scope.',
    }),
  ),
  ...selectionProperties,
  include: Type.Optional(
    Type.Array(literals(areaMapMembers), {
      description:
        'geometry: each field that divides the area also has its parts as GeoJSON, joined by value. outline: the answer also has the outline of the area. Both are simplified for a map, and a parcel has neither.',
    }),
  ),
})

/** A square near Denver, and a line through it. */
const square = [
  [-105.02, 39.73],
  [-104.98, 39.73],
  [-104.98, 39.76],
  [-105.02, 39.76],
  [-105.02, 39.73],
]

export const areaOperations = defineOperations('Fields', {
  'POST /v1/areas': {
    scope: 'fetch',
    summary: 'Fetch fields for a polygon or a line',
    description:
      'The area is one of geometry, around, corridor, county_fips and parcel_of. Returns the shares of classes, counts and distances instead of the value at one point. `area_kind` of a field says which form its value has. If a source fails, only its fields fail; the response is still 200.',
    body: AreaRequest,
    examples: {
      polygon: { geometry: { type: 'Polygon', coordinates: [square] }, fields: ['county', 'timezone'] },
      line: { geometry: { type: 'LineString', coordinates: square.slice(0, 3) }, fields: ['county'] },
      around: { around: { lat: 39.7392, lng: -104.9903, radius_m: 500 }, fields: ['county'] },
      corridor: {
        corridor: { line: { type: 'LineString', coordinates: square.slice(0, 3) }, width_m: 60 },
        fields: ['county'],
      },
      county: { county_fips: '08031', fields: ['county', 'timezone'] },
    },
    responses: { 200: AreaAnswer },
    errorCodes: [
      ...geocodeErrorCodes,
      'parcel_not_found',
      'parcel_unavailable',
      'parcels_not_configured',
      'invalid_locator',
      'not_found',
      ...selectionErrorCodes,
      'fetch_busy',
    ],
  },
})

const answerAreaBody = createBodyAnswerer(AreaRequest, (body) => [
  ...areaShapeViolations(body, ['body']),
  ...(isRecord(body.parcel_of) ? locationViolations(body.parcel_of, ['body', 'parcel_of']) : []),
])

/** The route that answers fields in areas. */
export const areaRoutes = (app: App) =>
  new Elysia().post('/v1/areas', ({ request, set }) => {
    set.headers['content-type'] = jsonType
    return answerAreaBody(request, (body) => {
      if (body.parcel_of) requireScope(request, 'parcel')
      const context = app.fetchContext(accountOf(request), '/v1/areas')
      const { fields, unknown } = selectKnownFields(body, 'union', context.catalog)
      return answerArea({ ...body, loc: ['body'], unknown }, fields, request, context)
    })
  })
