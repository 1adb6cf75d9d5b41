import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { fetchAt, fetchBatch, batchLocationsMax } from '../fetch/batch.ts'
import { selectFields } from '../fetch/select.ts'
import { isRecord } from '../model/record.ts'
import { bodyOf } from './body.ts'
import { geocodeRefusals } from './geocode.ts'
import { allowing } from './guard.ts'
import { location, locationFaults } from './location.ts'
import { operation, type Operations } from './operation.ts'
import { BatchResponse, FetchResponse } from './results.ts'

const wanted = {
  fields: Type.Optional(Type.Array(Type.String(), { description: 'Names of catalog fields, at most 50.' })),
  preset: Type.Optional(Type.String({ description: 'The name of a preset; its members come first.' })),
}
const FetchRequest = Type.Object({ ...location, ...wanted })
const BatchRequest = Type.Object({
  locations: Type.Array(Type.Object(location), { minItems: 1, maxItems: batchLocationsMax, description: `1 to ${batchLocationsMax} locations, each a coordinate or an address.` }),
  ...wanted,
})

const here = { lat: 39.7392, lng: -104.9903 }
const there = { lat: 25.7907, lng: -80.13 }

export const fetchOperations: Operations = {
  'POST /v1/fetch': operation({
    tag: 'Fields', scope: 'fetch',
    summary: 'Named fields at one place',
    description: 'Every requested field comes back with value, status, unit, source and vintage. A source that fails costs its own fields only: the answer is still 200.',
    body: FetchRequest,
    examples: { fields: { ...here, fields: ['county', 'timezone', 'nearest_airport_name'] }, preset: { ...there, preset: 'place_context' } },
    answers: { 200: FetchResponse },
    refusals: ['location_conflict', 'coord_out_of_bounds', 'no_fields_requested', 'preset_unknown', 'fields_unknown', 'fields_too_many', 'fetch_busy', ...geocodeRefusals],
  }),
  'POST /v1/fetch/batch': operation({
    tag: 'Fields', scope: 'fetch',
    summary: `The same fields at up to ${batchLocationsMax} places`,
    description: 'results[i] answers locations[i]. A location that cannot be answered is an entry with ok: false; it never fails the batch.',
    body: BatchRequest,
    examples: { two: { locations: [here, there], fields: ['county', 'timezone'] } },
    answers: { 200: BatchResponse },
    refusals: ['no_fields_requested', 'preset_unknown', 'fields_unknown', 'fields_too_many'],
  }),
}

const fetchBody = bodyOf(FetchRequest, (body) => locationFaults(body, ['body']))
const batchBody = bodyOf(BatchRequest, ({ locations }) => (Array.isArray(locations) ? locations : []).flatMap((it: unknown, i) => (isRecord(it) ? locationFaults(it, ['body', 'locations', i]) : [])))

export const fetchRoutes = (app: App) =>
  new Elysia()
    .post('/v1/fetch', async ({ request }) => {
      const account = allowing(request, 'fetch', app.accounts)
      const body = await fetchBody(request)
      const counter = app.fetchContext(account)
      return fetchAt(body, selectFields(body, 'union', counter.catalog), request, counter)
    }, { parse: 'none' })
    .post('/v1/fetch/batch', async ({ request }) => {
      const account = allowing(request, 'fetch', app.accounts)
      const body = await batchBody(request)
      const counter = app.fetchContext(account, '/v1/fetch/batch')
      return fetchBatch(body.locations, selectFields(body, 'explicit', counter.catalog), request, counter)
    }, { parse: 'none' })
