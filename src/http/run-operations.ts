import { Type } from '@sinclair/typebox'
import { runStatuses } from '../store/run-status.ts'
import { runLocationsMax } from '../runs/upload.ts'
import { uploadColumnsMax } from '../runs/upload-columns.ts'
import { geocodeErrorCodes } from './geocode.ts'
import { EntryError, defineOperation, type Operations } from './operation.ts'
import { RunRequest } from './run-body.ts'

const Text = Type.String()
const nullable = (type: 'string' | 'integer') => Type.Unsafe<unknown>({ type: [type, 'null'] })
const Time = Type.String({ format: 'date-time' })
const NullableTime = Type.Unsafe<unknown>({ type: ['string', 'null'], format: 'date-time' })
const Status = Type.Union(runStatuses.map((it) => Type.Literal(it)))
const Links = Type.Object({ self: Text, events: Text, csv: Text, geojson: Text, cancel: Text, retry: Text })

const summaryProperties = {
  run_id: Text,
  kind: Text,
  status: Status,
  created_at: Time,
  started_at: NullableTime,
  finished_at: NullableTime,
  expires_at: Type.String({ format: 'date-time', description: 'From then on the run is not found.' }),
  progress: Type.Object({ total: Type.Integer(), done: Type.Integer(), ok: Type.Integer(), failed: Type.Integer() }),
  catalog_version: Text,
  retry_of: nullable('string'),
  retryable_locations: Type.Integer({ description: 'How many of those that are done a retry would take.' }),
  error: Type.Union([Type.Null(), EntryError]),
  links: Links,
}
const RunSummary = Type.Object(summaryProperties)
const RunDocument = Type.Object({
  ...summaryProperties,
  request: Type.Object({}, { additionalProperties: true, description: 'What was submitted.' }),
  result: Type.Union(
    [
      Type.Null(),
      Type.Object({
        fetched_at: Time,
        results: Type.Array(
          Type.Object(
            { index: Type.Integer(), ok: Type.Boolean() },
            {
              additionalProperties: true,
              description:
                'What the single endpoint would have answered for this location; in a retry with original_index.',
            },
          ),
        ),
      }),
    ],
    { description: 'Once the run is finished.' },
  ),
})
const RunAccepted = Type.Object({ run_id: Text, status: Status, retry_of: Type.Optional(Text), links: Links })

const singleRun = { tag: 'Runs', scope: 'runs' as const, path: { run_id: 'The id of the run.' } }
const artifactFile = {
  ...singleRun,
  headers: {
    Range: 'One range of bytes.',
    'If-None-Match': 'The ETag of the file you have.',
    'If-Range': 'The ETag of the file of which you have a part.',
  },
}
const unavailableCodes = ['storage_full', 'storage_read_only', 'shutting_down', 'worker_lost'] as const

export const runOperations: Operations = {
  'POST /v1/runs': defineOperation({
    tag: 'Runs',
    scope: 'runs',
    summary: `The same for up to ${runLocationsMax} locations, later`,
    description: `Answers 202 when the run is stored for good. Nothing is lost when the server stops: it goes on with the next start. A CSV is sent as text/csv with kind, fields and preset in the query; its columns lat and lng, address, or street, city, state and zip are recognised, the others come along to the CSV of the result, and a row that cannot be read is an entry; the first line may name ${uploadColumnsMax} columns. Needs the scope of its kind as well: fetch, geocode or lookup.`,
    query: {
      kind: 'Of a CSV: the kind of run.',
      fields: 'Of a CSV: names of fields, with commas between.',
      preset: 'Of a CSV: the name of a preset.',
    },
    headers: {
      'Idempotency-Key': 'For 24 hours the same key and body mean the same run.',
      Prefer: '`wait=N`: answer with the finished document if it is done within N seconds, 30 at most.',
    },
    body: RunRequest,
    otherBodies: { 'text/csv': Type.String() },
    examples: {
      two: {
        kind: 'fetch_batch',
        request: {
          locations: [
            { lat: 39.7392, lng: -104.9903 },
            { lat: 25.7907, lng: -80.13 },
          ],
          fields: ['county', 'timezone'],
        },
      },
    },
    responses: { 200: RunDocument, 202: RunAccepted },
    errorCodes: [
      'run_kind_unknown',
      'no_fields_requested',
      'preset_unknown',
      'fields_unknown',
      'fields_too_many',
      'idempotency_key_reused',
      'fetch_busy',
      ...unavailableCodes,
    ],
  }),
  'GET /v1/runs': defineOperation({
    tag: 'Runs',
    scope: 'runs',
    summary: 'Your runs, newest first',
    description: 'next_cursor: null is the end.',
    query: {
      limit: 'How many at a time, 100 at most; 50 when not said.',
      cursor: 'The next_cursor of the page before.',
    },
    responses: { 200: Type.Object({ items: Type.Array(RunSummary), next_cursor: nullable('string') }) },
  }),
  'GET /v1/runs/{run_id}': defineOperation({
    ...singleRun,
    summary: 'A run',
    description: `Status, progress, and the result once it is finished. Each location of the result is what its single endpoint would have answered; a run goes 30 days after it was submitted. Addresses may come out as ${geocodeErrorCodes.join(', ')}.`,
    responses: { 200: RunDocument },
    errorCodes: ['run_not_found'],
  }),
  'GET /v1/runs/{run_id}/events': defineOperation({
    ...singleRun,
    summary: 'A run as it goes',
    description:
      'Server-sent events: `status` on every change, `final` once with the document. 204 when you have seen the last.',
    headers: { 'Last-Event-ID': 'The id of the last event you have.' },
    responses: { 200: Text, 204: null },
    media: { 200: 'text/event-stream' },
    errorCodes: ['run_not_found'],
  }),
  'GET /v1/runs/{run_id}/artifacts/csv': defineOperation({
    ...artifactFile,
    summary: 'The result as CSV',
    description:
      'One row a location: index, ok, lat, lng, source, error, the fields, failed_fields (which not to trust), and the columns that came along.',
    responses: { 200: Text, 206: Text, 304: null },
    media: { 200: 'text/csv', 206: 'text/csv' },
    errorCodes: ['run_not_found', 'run_not_finished', 'range_not_satisfiable'],
  }),
  'GET /v1/runs/{run_id}/artifacts/geojson': defineOperation({
    ...artifactFile,
    summary: 'The result as GeoJSON',
    description: 'One point a location, the fields as properties; a location that failed has no geometry.',
    responses: { 200: Type.Object({}, { additionalProperties: true }), 206: Text, 304: null },
    media: { 200: 'application/geo+json', 206: 'application/geo+json' },
    errorCodes: ['run_not_found', 'run_not_finished', 'range_not_satisfiable'],
  }),
  'POST /v1/runs/{run_id}/cancel': defineOperation({
    ...singleRun,
    summary: 'End a run',
    description: 'What was answered stays; every other location is run_cancelled.',
    responses: { 200: RunSummary },
    errorCodes: ['run_not_found', 'run_not_cancellable', ...unavailableCodes],
  }),
  'POST /v1/runs/{run_id}/retry': defineOperation({
    ...singleRun,
    summary: 'Try again what failed',
    description:
      'A new run of the locations that failed, or have a field that failed, in a way that may pass. Their entries have original_index.',
    responses: { 202: RunAccepted },
    errorCodes: ['run_not_found', 'run_not_finished', 'run_not_retryable', ...unavailableCodes],
  }),
}
