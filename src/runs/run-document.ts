import type { ErrorDetail } from '../model/error.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import type { RunReader, StoredRun } from '../store/run-reader.ts'
import type { RunKind, RunProgress, RunSummary } from './run-summary.ts'

const rowsPerRead = 100

/** The document of a run in pieces of text, however long it is: JSON without a line break. */
export function* runDocumentOf(run: StoredRun, reader: RunReader): Generator<string> {
  yield `${JSON.stringify(runSummaryOf(run)).slice(0, -1)},"request":`
  yield* requestOf(run, reader)
  yield ',"result":'
  if (hasRunResult(run)) yield* resultOf(run, reader)
  else yield 'null'
  yield '}'
}

/** What a list tells of a run: all but its request and its result. */
export function runSummaryOf(run: StoredRun): RunSummary {
  const { id, kind, status, created_at, started_at, finished_at, expires_at, catalog_version, retry_of, again, error } =
    run
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
    retryable_locations: again,
    error: error === null ? null : (JSON.parse(error) as ErrorDetail),
    links: runLinksOf(id),
  }
}

/** How far a run is, in numbers. */
export function runProgressOf({ total, done, ok }: Pick<StoredRun, 'total' | 'done' | 'ok'>): RunProgress {
  return { total, done, ok, failed: done - ok }
}

/** Where everything about a run is. */
export function runLinksOf(id: string): RunSummary['links'] {
  const self = `/v1/runs/${id}`
  return {
    self,
    events: `${self}/events`,
    csv: `${self}/artifacts/csv`,
    geojson: `${self}/artifacts/geojson`,
    cancel: `${self}/cancel`,
    retry: `${self}/retry`,
  }
}

/** Whether every location of it has its entry. */
export function hasRunResult({ status }: StoredRun): boolean {
  return status === 'succeeded' || status === 'cancelled'
}

function* requestOf(run: StoredRun, reader: RunReader): Generator<string> {
  const isFetch = run.kind === 'fetch_batch'
  yield `{"${isFetch ? 'locations' : 'inputs'}":[`
  for (let from = 0; from < run.total; from += rowsPerRead) {
    const texts = reader
      .listInputs(run.number, from, rowsPerRead)
      .map(({ input }) => (isFetch ? input : JSON.stringify((JSON.parse(input) as { input?: string }).input ?? null)))
    yield `${from === 0 ? '' : ','}${texts.join()}`
  }
  const selection = run.selection.slice(1, -1)
  yield `]${selection === '' ? '' : ','}${selection}}`
}

function* resultOf(run: StoredRun, reader: RunReader): Generator<string> {
  yield `{"fetched_at":${JSON.stringify(timeOrNull(run.finished_at))},"results":[`
  for (let from = 0; from < run.total; from += rowsPerRead) {
    const entries = reader.listEntries(run.number, from, rowsPerRead)
    // It was swept while it was read: half a document is no document.
    if (entries.length === 0) throw new Error(`The rows of ${run.id} are gone.`)
    yield `${from === 0 ? '' : ','}${entries.map(({ entry }) => entry).join()}`
  }
  yield ']}'
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeOf(ms)
}

function timeOf(ms: number): string {
  return formatTimestamp(new Date(ms))
}
