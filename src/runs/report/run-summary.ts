import { Type, type Static } from '@sinclair/typebox'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import type { ErrorDetail } from '../../model/error.ts'
import { ErrorDetailSchema, literals, nullable, NullableTime, Time } from '../../model/schema.ts'
import { runStatuses } from '../../store/runs/runs.ts'

const Text = Type.String()

/** What the locations of a run are answered with. */
export const RunKind = literals(['fetch_batch', 'geocode_batch', 'lookup_batch', 'area_batch'])
export type RunKind = Static<typeof RunKind>

/** The progress of a run. */
export const RunProgress = Type.Object({
  total: Type.Integer(),
  done: Type.Integer(),
  ok: Type.Integer(),
  failed: Type.Integer(),
})
export type RunProgress = Static<typeof RunProgress>

/** How many values a run has, one per location and field, and how many of them have failed so far. */
export const RunValues = Type.Object({ total: Type.Integer(), failed: Type.Integer() })
export type RunValues = Static<typeof RunValues>

export const RunStatusSchema = literals(runStatuses)

/** The paths of a run. */
export const RunLinks = Type.Object({
  self: Text,
  events: Text,
  results: Text,
  csv: Text,
  geojson: Text,
  parquet: Text,
  ndjson: Text,
  xlsx: Text,
  gpkg: Text,
  cancel: Text,
  retry: Text,
})

const Columns = Type.Optional(Type.Array(Text))

/** How a file was read: what was given or found. A member is null if the format has no such thing. */
export const UploadReading = Type.Object({
  format: Text,
  encoding: nullable('string'),
  delimiter: nullable('string'),
  header_row: Type.Union([Type.Null(), Type.Integer()], {
    description: 'The line with the names of the columns, from 1; 0: there is none.',
  }),
  columns: Type.Object(
    {
      lat: Columns,
      lng: Columns,
      location: Columns,
      address: Columns,
      input: Columns,
      shape: Columns,
      county: Columns,
    },
    { description: 'The columns of the location, by their use.' },
  ),
  reason: Type.String({
    description: 'Why these columns were read: `by name`, `as chosen`, `by their values` or `geometry`.',
  }),
  crs: Text,
})
export type UploadReading = Static<typeof UploadReading>

/** The paths that a client needs to follow a run. */
export const runPaths = {
  poll: Type.String({ description: 'The path of the run, for polling.' }),
  events: Type.String({ description: 'The path of the events of the run.' }),
}

/** A run without its request and result. */
export const RunSummary = Type.Object({
  run_id: Text,
  name: Type.Union([Type.Null(), Text], {
    description: 'The name given at submission, for example the name of the uploaded file. A retry has the same name.',
  }),
  kind: RunKind,
  status: RunStatusSchema,
  created_at: Time,
  started_at: NullableTime,
  finished_at: NullableTime,
  updated_at: Type.String({
    format: 'date-time',
    description: 'When the status last changed, or the run was asked to stop.',
  }),
  expires_at: Type.String({ format: 'date-time', description: 'When the run is deleted.' }),
  progress: RunProgress,
  values: Type.Union([Type.Null(), RunValues], {
    description:
      'For fetch_batch and area_batch: the number of values, one per location and field, and how many have failed so far. All values of a failed location count as failed. Null for other kinds.',
  }),
  preset: nullable('string', { description: 'The preset that the run answers; null for single fields.' }),
  read: Type.Union([Type.Null(), UploadReading], { description: 'How the uploaded file was read. Null for JSON.' }),
  catalog_version: Text,
  retry_of: nullable('string'),
  retryable_locations: Type.Integer({ description: 'Number of answered locations that a retry would repeat.' }),
  error: Type.Union([Type.Null(), ErrorDetailSchema]),
  ...runPaths,
  links: RunLinks,
})
export type RunSummary = Static<typeof RunSummary>

/** A page of runs, newest first. */
export const RunPage = Type.Object({ items: Type.Array(RunSummary), next_cursor: nullable('string') })
export type RunPage = Static<typeof RunPage>

/** One entry of the result. */
export const RunEntry = Type.Unsafe<
  { index: number; original_index?: number } & (
    ({ ok: true } & Partial<FetchAnswer>) | { ok: false; fetched_at: string; error: ErrorDetail }
  )
>(
  Type.Object(
    { index: Type.Integer(), ok: Type.Boolean() },
    {
      additionalProperties: true,
      description:
        'What the endpoint for one location, such as /v1/fetch, returns for this location. The entries of a retry have original_index.',
    },
  ),
)
export type RunEntry = Static<typeof RunEntry>

/** A page of entries, in order of their index. */
export const RunResultsPage = Type.Object({ items: Type.Array(RunEntry), next_cursor: nullable('string') })
export type RunResultsPage = Static<typeof RunResultsPage>
