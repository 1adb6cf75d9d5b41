import type { ErrorDetail } from '../model/error.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import type { ResultRange, RunReader, StoredRun } from '../store/run-reader.ts'
import type { RunKind, RunProgress, RunSummary } from './run-summary.ts'

const rowsPerRead = 100

/**
 * Yields the JSON text of a run document in pieces, without line breaks. The locations and entries are stored as JSON
 * text and are copied as they are.
 */
export function* runDocumentOf(run: StoredRun, reader: RunReader): Generator<string> {
  yield* jsonObject({
    ...textMembers(runSummaryOf(run)),
    request: requestOf(run, reader),
    result: hasRunResult(run) ? resultOf(run, reader) : ['null'],
  })
}

/** Yields the JSON text of a page of entries in pieces. */
export function* resultsPageOf(run: StoredRun, range: ResultRange, reader: RunReader): Generator<string> {
  let last: number | null = null
  const items = readResults(run, range, reader, (idx) => (last = idx))
  yield* jsonObject({ items: jsonArray(items), next_cursor: nextCursor() })

  function* nextCursor(): Generator<string> {
    const isLastPage =
      last === null || reader.listResults(run.number, { ...range, from: last + 1, limit: 1 }).length === 0
    yield isLastPage ? 'null' : JSON.stringify(String(last))
  }
}

/** Returns a run without its request and result. */
export function runSummaryOf(run: StoredRun): RunSummary {
  const {
    id,
    kind,
    status,
    created_at,
    started_at,
    finished_at,
    expires_at,
    catalog_version,
    retry_of,
    retryable_locations,
    error,
  } = run
  return {
    run_id: id,
    kind: kind as RunKind,
    status,
    created_at: timeOf(created_at),
    started_at: timeOrNull(started_at),
    finished_at: timeOrNull(finished_at),
    expires_at: timeOf(expires_at),
    progress: runProgressOf(run),
    catalog_version,
    retry_of,
    retryable_locations,
    error: error === null ? null : (JSON.parse(error) as ErrorDetail),
    links: runLinksOf(id),
  }
}

/** Returns the progress of a run. */
export function runProgressOf({ total, done, ok }: Pick<StoredRun, 'total' | 'done' | 'ok'>): RunProgress {
  return { total, done, ok, failed: done - ok }
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
    cancel: `${self}/cancel`,
    retry: `${self}/retry`,
  }
}

/** Reports whether every location of a run has an entry. */
export function hasRunResult({ status }: StoredRun): boolean {
  return status === 'succeeded' || status === 'cancelled'
}

function* requestOf(run: StoredRun, reader: RunReader): Generator<string> {
  const isFetch = run.kind === 'fetch_batch'
  yield* jsonObject({
    [isFetch ? 'locations' : 'inputs']: jsonArray(inputTexts(run, isFetch, reader)),
    ...textMembers(JSON.parse(run.selection) as Record<string, unknown>),
  })
}

function* inputTexts(run: StoredRun, isFetch: boolean, reader: RunReader): Generator<string[]> {
  for (let from = 0; from < run.total; from += rowsPerRead)
    yield reader
      .listInputs(run.number, from, rowsPerRead)
      .map(({ input }) => (isFetch ? input : JSON.stringify((JSON.parse(input) as { input?: string }).input ?? null)))
}

function* resultOf(run: StoredRun, reader: RunReader): Generator<string> {
  yield* jsonObject({
    fetched_at: [JSON.stringify(timeOrNull(run.finished_at))],
    results: jsonArray(readResults(run, { from: 0, limit: run.total, ok: null }, reader)),
  })
}

/**
 * Yields the stored entries of a range, at most `rowsPerRead` at a time. `onRead` gets the last index of each piece.
 */
function* readResults(
  run: StoredRun,
  { from, limit, ok }: ResultRange,
  reader: RunReader,
  onRead: (idx: number) => void = () => {},
): Generator<string[]> {
  let remaining = limit
  for (let next = from; remaining > 0;) {
    const rows = reader.listResults(run.number, { from: next, limit: Math.min(remaining, rowsPerRead), ok })
    const last = rows.at(-1)
    // A run with a result has all its entries. Without them it expired while it was read: do not send half a document.
    if (!last && ok === null && hasRunResult(run) && next < run.total)
      throw new Error(`The entries of ${run.id} are gone.`)
    if (!last) return
    onRead(last.idx)
    yield rows.map(({ entry }) => entry)
    next = last.idx + 1
    remaining -= rows.length
  }
}

/** Yields a JSON object whose values are JSON texts in pieces. */
function* jsonObject(members: Record<string, Iterable<string>>): Generator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(members)) {
    yield `${separator}${JSON.stringify(name)}:`
    yield* value
    separator = ','
  }
  yield '}'
}

/** Yields a JSON array of items that are JSON texts, in groups. */
function* jsonArray(groups: Iterable<string[]>): Generator<string> {
  let separator = '['
  for (const items of groups) {
    if (items.length === 0) continue
    yield separator + items.join()
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

function textMembers(record: object): Record<string, string[]> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [JSON.stringify(value)]]))
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeOf(ms)
}

function timeOf(ms: number): string {
  return formatTimestamp(new Date(ms))
}
