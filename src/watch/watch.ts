import { openCounter, type Cell, type Counter } from './counter.ts'
import { openExporter } from './exporter.ts'
import { openHistogram, type Histogram } from './histogram.ts'
import { openMoments, type Moments } from './moment.ts'
import type { About, Kind } from './span.ts'
import { openTracing, type Tracing } from './tracing.ts'

/** What the house counts as it goes. All else that /metrics tells is read where it is, at the moment when it is asked for. */
export type Watch = {
  moments: Moments
  /** Null where no collector is named. */
  tracing: Tracing | null
  /** Does the work as a part of the trace that is under way, if any. */
  span<T>(name: string, kind: Kind, about: About, work: () => Promise<T>): Promise<T>
  /** Requests by method, route and status, and how long they took by method and route. */
  requests: Counter
  requestTimes: Histogram
  /** Refusals by their code. */
  refused(code: string): void
  /** A field that was answered. */
  field(result: FieldOutcome): void
  /** Does a call to a host, and counts how it ends. */
  upstream<T>(host: string, method: string, work: () => Promise<T>): Promise<T>
  /** A question to a source that keeps its answers. */
  kept(cache: 'hit' | 'miss' | 'stale'): void
  /** An address, and what became of it; `provider` is null where nobody found it. */
  geocoded(about: { provider: string | null; outcome: string; cached: boolean }): void
  /** A location of a run that was answered. */
  runLocation(outcome: 'ok' | 'failed' | 'fault'): void
  /** A worker that is started: the first time it is made, each further time it was lost before. */
  started(worker: string): void
  /** Tokens that a model took in or gave out. */
  spent(model: string, tokens: ModelTokens): void
  /** All that is counted here. */
  families: (Counter | Histogram)[]
  /** Sends the spans that are there, and resolves when that is over, well or not. */
  flush(): Promise<void>
  close(): void
}

type FieldOutcome = { source: string; status: 'ok' | 'absent' } | { source: string; status: 'failed'; error: string }
/** The counts of a model, as its provider names them; what is not told is none. */
type ModelTokens = Partial<Record<(typeof tokenKinds)[number], number | null>>

const tokenKinds = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const

/** `otlp`: the address of the collector of traces; null: none. */
export type WatchMeans = { otlp: string | null; version: string; randomBytes: (size: number) => Uint8Array }

export function openWatch({ otlp, version, randomBytes }: WatchMeans): Watch {
  const requests = openCounter('fieldstone_http_requests_total', 'Requests that were answered, by method, route and status.', ['method', 'route', 'status'])
  const requestTimes = openHistogram('fieldstone_http_request_seconds', 'How long requests took until their answer began, by method and route.', ['method', 'route'])
  const refusals = openCounter('fieldstone_refusals_total', 'Refusals, by their code.', ['code'])
  const fields = openCounter('fieldstone_fields_total', 'Fields that were answered, by source and status.', ['source', 'status'])
  const failures = openCounter('fieldstone_field_failures_total', 'Fields that failed, by source and error code.', ['source', 'error'])
  const calls = openCounter('fieldstone_upstream_calls_total', 'Calls to other servers, by host and outcome: ok, or an error code.', ['host', 'outcome'])
  const callTimes = openHistogram('fieldstone_upstream_call_seconds', 'How long calls to other servers took, by host, however they ended.', ['host'])
  const cache = openCounter('fieldstone_cache_answers_total', 'Questions to sources whose answers are kept: hit, miss, or stale where the source failed.', ['result'])
  const geocodes = openCounter('fieldstone_geocodes_total', 'Addresses, by who found them (none: nobody), what became of them, and whether that was known before.', ['provider', 'outcome', 'cached'])
  const runLocations = openCounter('fieldstone_run_locations_total', 'Locations of runs that were answered: ok, failed, or fault where answering broke.', ['outcome'])
  const starts = openCounter('fieldstone_worker_starts_total', 'How often each worker was started; all but the first are replacements of one that was lost.', ['worker'])
  const tokens = openCounter('fieldstone_model_tokens_total', 'Tokens of the models, by model and kind.', ['model', 'kind'])
  const spans = openCounter('fieldstone_trace_spans_total', 'Spans of traces: sent to the collector, or dropped.', ['result'])
  // Told from the beginning: a rate begins with the second time that a line is read.
  for (const outcome of ['ok', 'failed', 'fault']) runLocations.of(outcome)
  for (const result of ['hit', 'miss', 'stale']) cache.of(result)
  for (const worker of ['raster', 'run']) starts.of(worker)
  const moments = openMoments()
  const exporter = otlp === null ? null : openExporter(otlp, { name: 'fieldstone', version }, spans)
  const tracing = exporter && openTracing(moments, exporter.add, randomBytes)
  const span: Watch['span'] = (name, kind, about, work) => (tracing ? tracing.span(name, kind, about, work) : work())
  return {
    moments, tracing, span, requests, requestTimes,
    families: [requests, requestTimes, refusals, fields, failures, calls, callTimes, cache, geocodes, runLocations, starts, tokens, spans],
    refused: (code) => count(refusals.of(code)),
    field(result) {
      count(fields.of(result.source, result.status))
      if (result.status === 'failed') count(failures.of(result.source, result.error.split(':', 1)[0]!))
    },
    async upstream(host, method, work) {
      const began_ms = performance.now()
      let outcome = 'ok'
      try {
        return await span(`${method} ${host}`, 'client', { 'http.request.method': method, 'server.address': host }, work)
      } catch (error) {
        outcome = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'given_up'
        throw error
      } finally {
        count(calls.of(host, outcome))
        callTimes.of(host).observe((performance.now() - began_ms) / 1000)
      }
    },
    kept: (result) => count(cache.of(result)),
    geocoded: ({ provider, outcome, cached }) => count(geocodes.of(provider ?? 'none', outcome, String(cached))),
    runLocation: (outcome) => count(runLocations.of(outcome)),
    started: (worker) => count(starts.of(worker)),
    spent(model, told) {
      for (const kind of tokenKinds) if (told[kind]) tokens.of(model, kind).n += told[kind]
    },
    flush: async () => exporter?.flush(),
    close: () => exporter?.close(),
  }
}

function count(cell: Cell): void {
  cell.n++
}
