import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { AreaAnswer } from '../areas/area-answer.ts'
import { AreaGeometry, measureGeometry } from '../areas/area-geometry.ts'
import { answerArea } from '../areas/answer-area.ts'
import { selectFields } from '../fetch/select.ts'
import { selectionProperties } from './fetch.ts'
import { accountOf } from './guard.ts'
import { createBodyReader } from './json-body.ts'
import { defineOperation, type Operations } from './operation.ts'

const AreaRequest = Type.Object({ geometry: AreaGeometry, ...selectionProperties })

/** A square near Denver, and a line through it. */
const square = [
  [-105.02, 39.73],
  [-104.98, 39.73],
  [-104.98, 39.76],
  [-105.02, 39.76],
  [-105.02, 39.73],
]

export const areaOperations: Operations = {
  'POST /v1/areas': defineOperation({
    tag: 'Fields',
    scope: 'fetch',
    summary: 'Fetch fields for a polygon or a line',
    description:
      'Returns the shares of classes, counts and distances instead of the value at one point. `area_kind` of a field says which form its value has. If a source fails, only its fields fail; the response is still 200.',
    body: AreaRequest,
    examples: {
      polygon: { geometry: { type: 'Polygon', coordinates: [square] }, fields: ['county', 'timezone'] },
      line: { geometry: { type: 'LineString', coordinates: square.slice(0, 3) }, fields: ['county'] },
    },
    responses: { 200: AreaAnswer },
    errorCodes: [
      'coord_out_of_bounds',
      'no_fields_requested',
      'preset_unknown',
      'fields_unknown',
      'fields_too_many',
      'fetch_busy',
    ],
  }),
}

const readAreaBody = createBodyReader(AreaRequest, () => [])

export const areaRoutes = (app: App) =>
  new Elysia().post(
    '/v1/areas',
    async ({ request }) => {
      const account = accountOf(request)
      const body = await readAreaBody(request)
      const context = app.fetchContext(account, '/v1/areas')
      const fields = selectFields(body, 'union', context.catalog)
      return answerArea(measureGeometry(body.geometry, ['body', 'geometry']), fields, request, context)
    },
    { parse: 'none' },
  )
