import type { ErrorDetail } from '../../model/error.ts'
import { formatTimestamp, formatTimestampOrNull } from '../../model/text.ts'
import { parseRunColumn } from '../../store/runs/run-request.ts'
import type { JsonGroup, ResultRange, RunReader, StoredRun } from '../../store/runs/runs.ts'
import type { RunKind, RunProgress, RunSummary, RunValues, UploadReading } from './run-summary.ts'
import { hasFields } from '../run-kind.ts'

/** A piece of JSON: text, or text in UTF-8 as the database returns it. */
export type JsonPiece = string | Uint8Array<ArrayBuffer>

/**
 * Yields the JSON text of a run document in pieces, without line breaks. The locations and entries are stored as JSON
 * text and are copied as they are.
 */
export async function* runDocumentOf(run: StoredRun, reader: RunReader): AsyncGenerator<JsonPiece> {
  yield* jsonObject({
    ...textMembers(runSummaryOf(run)),
    request: requestOf(run, reader),
    result: hasRunResult(run) ? resultOf(run, reader) : ['null'],
  })
}

/** Yields the JSON text of a page of entries in pieces. */
export async function* resultsPageOf(run: StoredRun, range: ResultRange, reader: RunReader): AsyncGenerator<JsonPiece> {
  let last: number | null = null
  const items = readResults(run, range, reader, (idx) => (last = idx))
  yield* jsonObject({ items, next_cursor: nextCursor() })

  async function* nextCursor(): AsyncGenerator<string> {
    const isLastPage =
      last === null || (await reader.readResults(run.number, { ...range, from: last + 1, limit: 1 }, '')) === null
    yield isLastPage ? 'null' : JSON.stringify(String(last))
  }
}

/** Returns a run without its request and result. */
export function runSummaryOf(run: StoredRun): RunSummary {
  const { id, created_at, started_at, finished_at, cancelled_at, error } = run
  const { read, preset, fields } = selectionOf(run)
  const links = runLinksOf(id)
  return {
    run_id: id,
    name: run.name,
    kind: run.kind as RunKind,
    status: run.status,
    created_at: formatTimestamp(created_at),
    started_at: formatTimestampOrNull(started_at),
    finished_at: formatTimestampOrNull(finished_at),
    updated_at: formatTimestamp(Math.max(created_at, started_at ?? 0, cancelled_at ?? 0, finished_at ?? 0)),
    expires_at: formatTimestamp(run.expires_at),
    progress: runProgressOf(run),
    values: valuesOf(run),
    preset: fields === undefined ? (preset ?? null) : null,
    read: read ?? null,
    catalog_version: run.catalog_version,
    retry_of: run.retry_of,
    retryable_locations: run.retryable_locations,
    error: error === null ? null : (JSON.parse(error) as ErrorDetail),
    poll: links.self,
    events: links.events,
    links,
  }
}

/** Returns the progress of a run. */
export function runProgressOf({ total, done, ok }: Pick<StoredRun, 'total' | 'done' | 'ok'>): RunProgress {
  return { total, done, ok, failed: done - ok }
}

function valuesOf({ kind, total, fields, failed_values }: StoredRun): RunValues | null {
  if (!hasFields(kind) || failed_values === null) return null
  const names = parseFieldNames(fields)
  return names && { total: total * names.length, failed: failed_values }
}

type Selection = { read?: UploadReading; preset?: string; fields?: string[] }

/** Empty if the stored text is damaged, as for the names of fields. */
function selectionOf({ selection }: StoredRun): Selection {
  try {
    return JSON.parse(selection) as Selection
  } catch {
    return {}
  }
}

/** Null if the stored text is damaged: a list of runs has the other runs nevertheless. */
function parseFieldNames(fields: string): string[] | null {
  try {
    const names: unknown = JSON.parse(fields)
    return Array.isArray(names) ? names : null
  } catch {
    return null
  }
}

/** Returns the paths of a run. */
export function runLinksOf(id: string): RunSummary['links'] {
  const self = `/v1/runs/${id}`
  return {
    self,
    events: `${self}/events`,
    results: `${self}/results`,
    csv: `${self}/artifacts/csv`,
    geojson: `${self}/artifacts/geojson`,
    parquet: `${self}/artifacts/parquet`,
    ndjson: `${self}/artifacts/ndjson`,
    xlsx: `${self}/artifacts/xlsx`,
    gpkg: `${self}/artifacts/gpkg`,
    cancel: `${self}/cancel`,
    retry: `${self}/retry`,
  }
}

/** Reports whether every location of a run has an entry. */
export function hasRunResult({ status }: StoredRun): boolean {
  return status === 'done' || status === 'cancelled'
}

async function* requestOf(run: StoredRun, reader: RunReader): AsyncGenerator<JsonPiece> {
  const { read: _, ...selection } = parseRunColumn(run, 'selection')
  yield* jsonObject({
    [listMemberOf(run.kind)]: jsonArray({ from: 0, limit: run.total }, (range, start) =>
      reader.readInputs(run, range, start),
    ),
    ...textMembers(selection),
  })
}

/** The member of a request with the rows of a run. */
function listMemberOf(kind: string): string {
  return kind === 'fetch_batch' ? 'locations' : kind === 'area_batch' ? 'areas' : 'inputs'
}

async function* resultOf(run: StoredRun, reader: RunReader): AsyncGenerator<JsonPiece> {
  yield* jsonObject({
    fetched_at: [JSON.stringify(formatTimestampOrNull(run.finished_at))],
    results: readResults(run, { from: 0, limit: run.total, ok: null }, reader),
  })
}

/** Yields the stored entries of a range as a JSON array. `onRead` gets the last index of each group. */
async function* readResults(
  run: StoredRun,
  { from, limit, ok }: ResultRange,
  reader: RunReader,
  onRead: (idx: number) => void = () => {},
): AsyncGenerator<JsonPiece> {
  let [next, remaining] = [from, limit]
  yield* jsonArray({ from, limit }, async (range, start) => {
    const group = await reader.readResults(run.number, { ...range, ok }, start)
    if (group) onRead(group.last)
    if (group) [next, remaining] = [group.last + 1, remaining - group.rows]
    return group
  })
  // A run with a result has all its entries. Without them it expired while it was read: do not send half a document.
  if (remaining > 0 && ok === null && hasRunResult(run) && next < run.total)
    throw new Error(`The entries of ${run.id} were deleted.`)
}

/** Yields a JSON array of stored items in groups. `read` puts `start` before its group. */
async function* jsonArray(
  { from, limit }: { from: number; limit: number },
  read: (range: { from: number; limit: number }, start: string) => Promise<JsonGroup | null>,
): AsyncGenerator<JsonPiece> {
  let [next, remaining, start] = [from, limit, '[']
  while (remaining > 0) {
    const group = await read({ from: next, limit: remaining }, start)
    if (!group) break
    yield group.bytes
    next = group.last + 1
    remaining -= group.rows
    start = ','
  }
  yield start === '[' ? '[]' : ']'
}

/** Yields a JSON object whose values are JSON texts in pieces. */
async function* jsonObject(
  members: Record<string, Iterable<JsonPiece> | AsyncIterable<JsonPiece>>,
): AsyncGenerator<JsonPiece> {
  let separator = '{'
  for (const [name, value] of Object.entries(members)) {
    yield `${separator}${JSON.stringify(name)}:`
    yield* value
    separator = ','
  }
  yield '}'
}

function textMembers(record: object): Record<string, string[]> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [JSON.stringify(value)]]))
}
