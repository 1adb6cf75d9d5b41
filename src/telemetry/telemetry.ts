import { createCounter, type CounterCell, type Counter } from './counter.ts'
import { openSpanExporter } from './exporter.ts'
import { createHistogram, type Histogram } from './histogram.ts'
import { createRequestContextStorage, type RequestContextStorage } from './request-context.ts'
import type { SpanAttributes, SpanKind } from './span.ts'
import { createTracing, type Tracing } from './tracing.ts'

/** What the house counts as it goes. All else that /metrics tells is read where it is, at the moment when it is asked for. */
export type Telemetry = {
  requests: RequestContextStorage
  /** Null where no collector is named. */
  tracing: Tracing | null
  /** Does the work as a part of the trace that is under way, if any. */
  span<T>(name: string, kind: SpanKind, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>
  /** Requests by method, route and status, and how long they took by method and route. */
  httpRequests: Counter
  httpRequestDurations: Histogram
  /** Refusals by their code. */
  countErrorResponse(code: string): void
  /** A field that was answered. */
  countField(result: FieldOutcome): void
  /** Does a call to a host, and counts how it ends. */
  traceUpstreamCall<T>(host: string, method: string, work: () => Promise<T>): Promise<T>
  /** A question to a source that keeps its answers. */
  countCacheResult(cache: 'hit' | 'miss' | 'stale'): void
  /** An address, and what became of it; `provider` is null where nobody found it. */
  countGeocode(result: { provider: string | null; outcome: string; cached: boolean }): void
  /** A location of a run that was answered. */
  countRunLocation(outcome: 'ok' | 'failed' | 'internal_error'): void
  /** A worker that is started: the first time it is made, each further time it was lost before. */
  countWorkerStart(worker: string): void
  /** Tokens that a model took in or gave out. */
  countModelTokens(model: string, tokens: ModelTokens): void
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
export type TelemetryOptions = { otlp: string | null; version: string; randomBytes: (size: number) => Uint8Array }

export function openTelemetry({ otlp, version, randomBytes }: TelemetryOptions): Telemetry {
  const httpRequests = createCounter(
    'fieldstone_http_requests_total',
    'Requests that were answered, by method, route and status.',
    ['method', 'route', 'status'],
  )
  const httpRequestDurations = createHistogram(
    'fieldstone_http_request_duration_seconds',
    'How long requests took until their answer began, by method and route.',
    ['method', 'route'],
  )
  const errorResponses = createCounter('fieldstone_error_responses_total', 'Refusals, by their code.', ['code'])
  const fields = createCounter('fieldstone_fields_total', 'Fields that were answered, by source and status.', [
    'source',
    'status',
  ])
  const failures = createCounter('fieldstone_field_failures_total', 'Fields that failed, by source and error code.', [
    'source',
    'error',
  ])
  const upstreamCalls = createCounter(
    'fieldstone_upstream_calls_total',
    'Calls to other servers, by host and outcome: ok, or an error code.',
    ['host', 'outcome'],
  )
  const upstreamCallDurations = createHistogram(
    'fieldstone_upstream_call_duration_seconds',
    'How long calls to other servers took, by host, however they ended.',
    ['host'],
  )
  const cacheResults = createCounter(
    'fieldstone_cache_requests_total',
    'Questions to sources whose answers are kept: hit, miss, or stale where the source failed.',
    ['result'],
  )
  const geocodes = createCounter(
    'fieldstone_geocodes_total',
    'Addresses, by who found them (none: nobody), what became of them, and whether that was known before.',
    ['provider', 'outcome', 'cached'],
  )
  const runLocations = createCounter(
    'fieldstone_run_locations_total',
    'Locations of runs that were answered: ok, failed, or fault where answering broke.',
    ['outcome'],
  )
  const workerStarts = createCounter(
    'fieldstone_worker_starts_total',
    'How often each worker was started; all but the first are replacements of one that was lost.',
    ['worker'],
  )
  const modelTokens = createCounter('fieldstone_model_tokens_total', 'Tokens of the models, by model and kind.', [
    'model',
    'kind',
  ])
  const traceSpans = createCounter(
    'fieldstone_trace_spans_total',
    'Spans of traces: sent to the collector, or dropped.',
    ['result'],
  )
  // Told from the beginning: a rate begins with the second time that a line is read.
  for (const outcome of ['ok', 'failed', 'internal_error']) runLocations.withLabels(outcome)
  for (const result of ['hit', 'miss', 'stale']) cacheResults.withLabels(result)
  for (const worker of ['raster', 'run']) workerStarts.withLabels(worker)
  const requests = createRequestContextStorage()
  const exporter = otlp === null ? null : openSpanExporter(otlp, { name: 'fieldstone', version }, traceSpans)
  const tracing = exporter && createTracing(requests, exporter.add, randomBytes)
  const span: Telemetry['span'] = (name, kind, attributes, work) =>
    tracing ? tracing.span(name, kind, attributes, work) : work()
  return {
    requests,
    tracing,
    span,
    httpRequests,
    httpRequestDurations,
    families: [
      httpRequests,
      httpRequestDurations,
      errorResponses,
      fields,
      failures,
      upstreamCalls,
      upstreamCallDurations,
      cacheResults,
      geocodes,
      runLocations,
      workerStarts,
      modelTokens,
      traceSpans,
    ],
    countErrorResponse: (code) => increment(errorResponses.withLabels(code)),
    countField(result) {
      increment(fields.withLabels(result.source, result.status))
      if (result.status === 'failed') increment(failures.withLabels(result.source, result.error.split(':', 1)[0]!))
    },
    async traceUpstreamCall(host, method, work) {
      const began_ms = performance.now()
      let outcome = 'ok'
      try {
        return await span(
          `${method} ${host}`,
          'client',
          { 'http.request.method': method, 'server.address': host },
          work,
        )
      } catch (error) {
        outcome = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'aborted'
        throw error
      } finally {
        increment(upstreamCalls.withLabels(host, outcome))
        upstreamCallDurations.withLabels(host).observe((performance.now() - began_ms) / 1000)
      }
    },
    countCacheResult: (result) => increment(cacheResults.withLabels(result)),
    countGeocode: ({ provider, outcome, cached }) =>
      increment(geocodes.withLabels(provider ?? 'none', outcome, String(cached))),
    countRunLocation: (outcome) => increment(runLocations.withLabels(outcome)),
    countWorkerStart: (worker) => increment(workerStarts.withLabels(worker)),
    countModelTokens(model, counts) {
      for (const kind of tokenKinds) if (counts[kind]) modelTokens.withLabels(model, kind).value += counts[kind]
    },
    flush: async () => exporter?.flush(),
    close: () => exporter?.close(),
  }
}

function increment(cell: CounterCell): void {
  cell.value++
}
