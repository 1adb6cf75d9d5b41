import { Type, type TSchema } from '@sinclair/typebox'
import { Time } from '../../model/schema.ts'
import { RunReport } from '../../runs/report/run-report.ts'
import {
  RunEntry,
  RunLinks,
  RunPage,
  runPaths,
  RunResultsPage,
  RunStatusSchema,
  RunSummary,
} from '../../runs/report/run-summary.ts'
import { runFileRowsMax, runLocationsMax } from '../../runs/upload/upload.ts'
import { uploadColumnsMax } from '../../files/table/upload-columns.ts'
import { geocodeErrorCodes } from '../places/geocode.ts'
import { onUnknownDescription } from '../places/fetch.ts'
import { defineOperations, type Endpoint, selectionErrorCodes } from '../request/operation.ts'
import { RunRequest } from './run-body.ts'
import { RetryRequest } from './run-corrections.ts'
import { resultsPageDefault, resultsPageMax } from './run-results.ts'

const Text = Type.String()
const RunDocument = Type.Object({
  ...RunSummary.properties,
  request: Type.Object({}, { additionalProperties: true, description: 'The submitted request.' }),
  result: Type.Union(
    [
      Type.Null(),
      Type.Object({
        fetched_at: Time,
        results: Type.Array(RunEntry),
      }),
    ],
    { description: 'Null until the run is finished.' },
  ),
})
/** The answer to a submission. */
export const AcceptedRun = Type.Object({
  run_id: Text,
  status: RunStatusSchema,
  retry_of: Type.Optional(Text),
  ...runPaths,
  links: RunLinks,
})

const singleRun = { scope: 'runs' as const, limits: 'minute' as const, path: { run_id: 'Id of the run.' } }
const artifactFile = {
  ...singleRun,
  query: {
    include:
      'Comma-separated. `retries`: the rows of the original run, with the values that the retries of the run found. The others add columns after failed_fields. `margins`: <field>_moe. `geocodes`: geocode_accuracy_type, geocode_accuracy, geocode_normalized_address, geocode_provider and warnings. `covered_shares`: <field>_covered_share of each area. `reasons`: <field>_status and <field>_reason. `original_index`: the index in the original run of a retry.',
    columns:
      '`input_first`: the columns of your file come first and unchanged. A column of ours whose name they have gets the prefix fieldstone_. A run of addresses has the column warnings. Default: the columns of your file come last.',
  },
  headers: {
    Range: 'One byte range.',
    'If-None-Match': 'The ETag of your copy.',
    'If-Range': 'The ETag of your partial copy.',
  },
}
const unavailableCodes = ['shutting_down', 'worker_lost'] as const

/** A result file. `schema`: that of a whole file, which is text unless it is given. */
function resultFile(
  summary: string,
  description: string,
  type: string,
  { schema = Text, query = artifactFile.query }: { schema?: TSchema; query?: { include: string } } = {},
): Endpoint {
  return {
    ...artifactFile,
    query,
    summary,
    description,
    responses: { 200: schema, 206: Text, 302: null, 304: null },
    media: { 200: type, 206: type },
    errorCodes: ['run_not_found', 'run_not_ready', 'run_failed', 'range_not_satisfiable', ...unavailableCodes],
  }
}
const onRequest = 'The file is written when it is first requested.'

export const runOperations = defineOperations('Runs', {
  'POST /v1/runs': {
    scope: 'runs',
    limits: 'locations',
    writes: true,
    summary: `Submit a run of up to ${runLocationsMax} locations, or ${runFileRowsMax} rows of a file`,
    description: `Answers 202 when the run is stored on disk. A run continues after a restart of the server. The token also needs the scope of the kind: fetch, geocode or lookup. To submit a file, send a CSV file (text/csv) or a workbook (.xlsx, with its media type) as the body. Send kind, fields and preset in the query. Locations are read from columns with the usual names, such as lat and lng, X and Y, location, address, or street, city, state and zip. A file in which several columns can have the location is rejected until the query chooses one. For area_batch, the areas are in a column shape, geometry (GeoJSON) or county_fips. Every column is copied to the CSV artifact. A row that cannot be read becomes a failed entry. The first line can name up to ${uploadColumnsMax} columns.`,
    query: {
      fresh:
        '`true`: start a new run even if the Idempotency-Key was used. From then on, the key belongs to the new run.',
      kind: 'For CSV: kind of run.',
      name: 'For CSV: name of the run in lists, for example the name of the file.',
      fields: 'For CSV: field names, comma-separated.',
      preset: 'For CSV: name of a preset.',
      on_unknown: `For CSV: ${onUnknownDescription}`,
      include_parcel: 'For CSV of kind lookup_batch: `true` includes the parcels. Each is billed.',
      lat: 'For CSV: name or number of the latitude column. Default: recognized by its name.',
      lng: 'For CSV: name or number of the longitude column.',
      location:
        'For CSV: name or number of a column with both coordinates, such as `39.7,-104.9` or `POINT (-104.9 39.7)`, or of the column with the areas.',
      address: 'For CSV: name or number of the address column.',
      crs: 'For CSV: coordinate system of the numbers, such as EPSG:2232. `lat` is then the northing, and `lng` the easting. Default: degrees.',
      west: 'For CSV: `true` reads longitudes without a minus sign as west.',
      delimiter: 'For CSV: the character between cells. Default: comma, semicolon, tab or vertical bar, detected.',
      header_row: 'For CSV: number of the line with the names of the columns; 0 if there is none. Default: detected.',
      encoding:
        'For CSV: encoding of the text, such as windows-1252. Default: UTF-8, UTF-16 or Windows-1252, detected.',
      sheet: 'For a workbook (.xlsx): name of the sheet, if it has several.',
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
    responses: { 200: RunDocument, 202: AcceptedRun },
    errorCodes: [
      'run_kind_unknown',
      ...selectionErrorCodes,
      'idempotency_key_reused',
      'fetch_busy',
      ...unavailableCodes,
    ],
  },
  'GET /v1/runs': {
    scope: 'runs',
    limits: 'minute',
    summary: 'List runs',
    description: 'Your runs, newest first. next_cursor is null on the last page.',
    query: {
      limit: 'Page size, 1 to 100. Default 50.',
      cursor: 'The next_cursor of the previous page.',
      idempotency_key: 'Only the run that was submitted with this Idempotency-Key in the last 24 hours.',
    },
    responses: { 200: RunPage },
  },
  'GET /v1/runs/{run_id}': {
    ...singleRun,
    summary: 'Get a run',
    description: `Status and progress, and the result once the run is finished. Each entry of the result is what the endpoint for one location, such as /v1/fetch, returns for that location. If the run has more than ${resultsPageDefault} entries, a Link header gives the URL of the list of its entries, which is divided into pages. Prefer the pages for large runs. Runs are deleted 30 days after submission. Addresses can fail with ${geocodeErrorCodes.join(', ')}.`,
    query: {
      view: '`summary`: without `request` and `result`, for clients that follow a long run. Default: the whole document.',
    },
    responses: { 200: Type.Union([RunDocument, RunSummary]) },
    errorCodes: ['run_not_found'],
  },
  'GET /v1/runs/{run_id}/results': {
    ...singleRun,
    summary: 'List the entries of a run',
    description:
      'Entries in order of their index, once the run has ended. Before that: 409 run_not_ready, because a page could skip entries that arrive later. A failed run has only the entries answered before it failed. next_cursor is null on the last page.',
    query: {
      limit: `Page size, 1 to ${resultsPageMax}. Default ${resultsPageDefault}.`,
      cursor: 'The next_cursor of the previous page.',
      status:
        '`ok`: entries with ok: true, counted in progress.ok. `failed`: entries with ok: false, counted in progress.failed. An entry in which only some fields failed is `ok`; its partial_failures lists those fields. Default: all entries.',
    },
    responses: { 200: RunResultsPage },
    errorCodes: ['run_not_found', 'run_not_ready'],
  },
  'GET /v1/runs/{run_id}/results/{index}': {
    ...singleRun,
    summary: 'Get one entry of a run',
    description:
      'Available as soon as the location is answered, even before the run has finished. Until the location is answered: 409 run_not_ready. An entry never changes. Answers 404 not_found if the run has no such location, or if the run failed before the location was answered.',
    path: { ...singleRun.path, index: 'Index of the location, from 0.' },
    responses: { 200: RunEntry },
    errorCodes: ['run_not_found', 'run_not_ready', 'not_found'],
  },
  'GET /v1/runs/{run_id}/events': {
    ...singleRun,
    summary: 'Follow a run',
    description:
      'Server-sent events: `status` on every change, then `final` once with the document. Answers 204 after the final event.',
    headers: { 'Last-Event-ID': 'The id of the last received event.' },
    responses: { 200: Text, 204: null },
    media: { 200: 'text/event-stream' },
    errorCodes: ['run_not_found'],
  },
  'GET /v1/runs/{run_id}/artifacts/csv': resultFile(
    'Download the result as CSV',
    'One row per location: index, ok, lat, lng, source, error, the fields, failed_fields (the fields without a reliable value), and every input column with its text unchanged. An input column whose name is taken gets the prefix input_. The columns of `include` come after failed_fields.',
    'text/csv',
  ),
  'GET /v1/runs/{run_id}/artifacts/geojson': resultFile(
    'Download the result as GeoJSON',
    'One point per location, or the geometry of an area that was sent as one, with the fields, failed_fields and the input columns as properties, named as in the CSV. A failed location has no geometry.',
    'application/geo+json',
    { schema: Type.Object({}, { additionalProperties: true }) },
  ),
  'GET /v1/runs/{run_id}/artifacts/parquet': resultFile(
    'Download the result as GeoParquet',
    `The columns of the CSV with the types of the catalog, and the geometry of the GeoJSON as \`geometry\` (GeoParquet 1.1). Lists are text, joined with semicolons. ${onRequest}`,
    'application/vnd.apache.parquet',
  ),
  'GET /v1/runs/{run_id}/artifacts/ndjson': resultFile(
    'Download the result as JSON lines',
    `A JSON object for each location, with a member for each column of the CSV. ${onRequest}`,
    'application/x-ndjson',
  ),
  'GET /v1/runs/{run_id}/artifacts/xlsx': resultFile(
    'Download the result as a workbook',
    `The columns of the CSV in a sheet of a workbook (.xlsx). A text of more than 32,767 characters is an error, because a cell cannot have it. ${onRequest}`,
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ),
  'GET /v1/runs/{run_id}/artifacts/gpkg': resultFile(
    'Download the result as a GeoPackage',
    `The columns of the CSV with the types of the catalog, and the geometry of the GeoJSON, as the layer \`result\` of a GeoPackage. Lists are text, joined with semicolons. ${onRequest}`,
    'application/geopackage+sqlite3',
  ),
  'GET /v1/runs/{run_id}/artifacts/report': resultFile(
    'Count what a run found',
    'The number of locations and values that were answered, and the errors of the others: locations by error code, fields by error code and source.',
    'application/json',
    {
      schema: RunReport,
      query: { include: '`retries`: the counts of the rows of the original run, merged with its retries.' },
    },
  ),
  'POST /v1/runs/{run_id}/cancel': {
    ...singleRun,
    writes: true,
    summary: 'Cancel a run',
    description: 'Answered locations keep their entries. All others get the error run_cancelled.',
    responses: { 200: RunSummary },
    errorCodes: ['run_not_found', 'run_not_cancellable', ...unavailableCodes],
  },
  'POST /v1/runs/{run_id}/retry': {
    ...singleRun,
    limits: 'locations',
    writes: true,
    summary: 'Retry failed locations',
    description:
      'Starts a new run of the locations with a retryable error or a retryable failed field. With `corrections` in the body, starts a new run of these failed locations with a new input instead. Its entries have original_index. Artifacts with include=retries merge a run and its retries.',
    body: RetryRequest,
    isBodyOptional: true,
    examples: { one: { corrections: [{ index: 1, lat: 39.7392, lng: -104.9903 }] } },
    query: {
      include:
        '`missing`: retries what is missing in the merged result of the run and its retries. This includes fields that had no source during the run and have one now, for example because of a new pack or key. If such a retry is in progress, it is returned instead of a new run.',
    },
    responses: { 202: AcceptedRun },
    errorCodes: ['run_not_found', 'run_not_ready', 'run_not_retryable', 'bad_request', ...unavailableCodes],
  },
})
