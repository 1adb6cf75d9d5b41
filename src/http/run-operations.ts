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
  expires_at: Type.String({ format: 'date-time', description: 'When the run is deleted.' }),
  progress: Type.Object({ total: Type.Integer(), done: Type.Integer(), ok: Type.Integer(), failed: Type.Integer() }),
  catalog_version: Text,
  retry_of: nullable('string'),
  retryable_locations: Type.Integer({ description: 'Number of answered locations that a retry would repeat.' }),
  error: Type.Union([Type.Null(), EntryError]),
  links: Links,
}
const RunSummary = Type.Object(summaryProperties)
const RunDocument = Type.Object({
  ...summaryProperties,
  request: Type.Object({}, { additionalProperties: true, description: 'The submitted request.' }),
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
                'The response of the single endpoint for this location. The entries of a retry have original_index.',
            },
          ),
        ),
      }),
    ],
    { description: 'Null until the run is finished.' },
  ),
})
const RunAccepted = Type.Object({ run_id: Text, status: Status, retry_of: Type.Optional(Text), links: Links })

const singleRun = { tag: 'Runs', scope: 'runs' as const, path: { run_id: 'Id of the run.' } }
const artifactFile = {
  ...singleRun,
  headers: {
    Range: 'One byte range.',
    'If-None-Match': 'The ETag of your copy.',
    'If-Range': 'The ETag of your partial copy.',
  },
}
const unavailableCodes = ['storage_full', 'storage_read_only', 'shutting_down', 'worker_lost'] as const

export const runOperations: Operations = {
  'POST /v1/runs': defineOperation({
    tag: 'Runs',
    scope: 'runs',
    summary: `Submit a run of up to ${runLocationsMax} locations`,
    description: `Answers 202 when the run is stored on disk. A run continues after a restart of the server. The token also needs the scope of the kind: fetch, geocode or lookup. To submit CSV, send text/csv with kind, fields and preset in the query. The columns lat and lng, address, or street, city, state and zip are recognized; other columns are copied to the CSV artifact. A row that cannot be read becomes a failed entry. The first line can name up to ${uploadColumnsMax} columns.`,
    query: {
      kind: 'For CSV: kind of run.',
      fields: 'For CSV: field names, comma-separated.',
      preset: 'For CSV: name of a preset.',
    },
    headers: {
      'Idempotency-Key': 'A repeated request with the same key and body within 24 hours returns the same run.',
      Prefer: '`wait=N`: wait up to N seconds, at most 30, and return the document if the run finishes in that time.',
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
    summary: 'List runs',
    description: 'Your runs, newest first. next_cursor is null on the last page.',
    query: {
      limit: 'Page size, 1 to 100. Default 50.',
      cursor: 'The next_cursor of the previous page.',
    },
    responses: { 200: Type.Object({ items: Type.Array(RunSummary), next_cursor: nullable('string') }) },
  }),
  'GET /v1/runs/{run_id}': defineOperation({
    ...singleRun,
    summary: 'Get a run',
    description: `Status and progress, and the result once the run is finished. Each entry of the result is the response of the single endpoint for that location. Runs are deleted 30 days after submission. Addresses can fail with ${geocodeErrorCodes.join(', ')}.`,
    responses: { 200: RunDocument },
    errorCodes: ['run_not_found'],
  }),
  'GET /v1/runs/{run_id}/events': defineOperation({
    ...singleRun,
    summary: 'Follow a run',
    description:
      'Server-sent events: `status` on every change, then `final` once with the document. Answers 204 after the final event.',
    headers: { 'Last-Event-ID': 'The id of the last received event.' },
    responses: { 200: Text, 204: null },
    media: { 200: 'text/event-stream' },
    errorCodes: ['run_not_found'],
  }),
  'GET /v1/runs/{run_id}/artifacts/csv': defineOperation({
    ...artifactFile,
    summary: 'Download the result as CSV',
    description:
      'One row per location: index, ok, lat, lng, source, error, the fields, failed_fields (the fields without a reliable value), and the copied input columns.',
    responses: { 200: Text, 206: Text, 304: null },
    media: { 200: 'text/csv', 206: 'text/csv' },
    errorCodes: ['run_not_found', 'run_not_finished', 'range_not_satisfiable'],
  }),
  'GET /v1/runs/{run_id}/artifacts/geojson': defineOperation({
    ...artifactFile,
    summary: 'Download the result as GeoJSON',
    description: 'One point per location with the fields as properties. A failed location has no geometry.',
    responses: { 200: Type.Object({}, { additionalProperties: true }), 206: Text, 304: null },
    media: { 200: 'application/geo+json', 206: 'application/geo+json' },
    errorCodes: ['run_not_found', 'run_not_finished', 'range_not_satisfiable'],
  }),
  'POST /v1/runs/{run_id}/cancel': defineOperation({
    ...singleRun,
    summary: 'Cancel a run',
    description: 'Answered locations keep their entries. All others get the error run_cancelled.',
    responses: { 200: RunSummary },
    errorCodes: ['run_not_found', 'run_not_cancellable', ...unavailableCodes],
  }),
  'POST /v1/runs/{run_id}/retry': defineOperation({
    ...singleRun,
    summary: 'Retry failed locations',
    description:
      'Starts a new run of the locations with a retryable error or a retryable failed field. Its entries have original_index.',
    responses: { 202: RunAccepted },
    errorCodes: ['run_not_found', 'run_not_finished', 'run_not_retryable', ...unavailableCodes],
  }),
}
