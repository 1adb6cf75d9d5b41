/** Metrics, traces and their export. */
import type { MaybePromise } from '../async/maybe-promise.ts'
import { createCounter, type CounterCell, type Counter, createHistogram, type Histogram } from './metrics.ts'
import { openSpanExporter } from './exporter.ts'
import {
  type SpanAttributes,
  type SpanKind,
  createRequestContextStorage,
  createTracing,
  type RequestContextStorage,
  type Tracing,
} from './tracing.ts'

/** The counters, histograms and traces of the app. Gauges are read where their values are (http/gauges.ts). */
export type Telemetry = {
  requests: RequestContextStorage
  /** Null without a collector. */
  tracing: Tracing | null
  /** Runs the work as a span of the current trace, if there is one. */
  span<T>(name: string, kind: SpanKind, attributes: SpanAttributes, work: () => MaybePromise<T>): MaybePromise<T>
  /** Requests by method, route and status. */
  httpRequests: Counter
  /** Time until a response begins, by method and route. */
  httpRequestDurations: Histogram
  countErrorResponse(code: string): void
  /** Counts fields with the same source and status. */
  countFields(result: FieldOutcome, fields: number): void
  /** Makes a call to another server in a span, and counts its outcome and duration. */
  traceUpstreamCall<T>(host: string, method: string, work: () => Promise<T>): Promise<T>
  /** Counts a query to a cached source. */
  countCacheResult(cache: 'hit' | 'miss' | 'stale'): void
  /** Counts an address; `provider` is null when no provider found it. */
  countGeocode(result: { provider: string | null; outcome: string; cached: boolean }): void
  /** Counts a location of a run, or several. */
  countRunLocation(outcome: 'ok' | 'failed' | 'internal_error', locations?: number): void
  /** Counts the start of a worker. Every start after the first replaces a worker that was lost. */
  countWorkerStart(worker: string): void
  countModelTokens(model: string, tokens: ModelTokens): void
  /** All metrics that are counted here. */
  families: (Counter | Histogram)[]
  /** Sends the queued spans. Resolves when that has ended, with or without success. */
  flush(): Promise<void>
  close(): void
}

type FieldOutcome = { source: string; status: 'ok' | 'absent' } | { source: string; status: 'failed'; error: string }
/** Token counts by the names of the model provider; a missing count is 0. */
type ModelTokens = Partial<Record<(typeof tokenKinds)[number], number | null>>

const tokenKinds = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const

/** `otlp` is the base address of the trace collector; null: none. */
export type TelemetryOptions = { otlp: string | null; version: string; randomBytes: (size: number) => Uint8Array }

/** Opens the telemetry of the app. Closing it sends the queued spans. */
export function openTelemetry({ otlp, version, randomBytes }: TelemetryOptions): Telemetry {
  const metrics = createMetrics()
  const requests = createRequestContextStorage()
  const exporter = otlp === null ? null : openSpanExporter(otlp, { name: 'fieldstone', version }, metrics.traceSpans)
  const tracing = exporter && createTracing(requests, exporter.add, randomBytes)
  const span: Telemetry['span'] = (name, kind, attributes, work) =>
    tracing ? tracing.span(name, kind, attributes, work) : work()
  return {
    requests,
    tracing,
    span,
    httpRequests: metrics.httpRequests,
    httpRequestDurations: metrics.httpRequestDurations,
    families: Object.values(metrics),
    countErrorResponse: (code) => increment(metrics.errorResponses.withLabels(code)),
    countFields(result, fields) {
      metrics.fields.withLabels(result.source, result.status).value += fields
      if (result.status === 'failed')
        metrics.fieldFailures.withLabels(result.source, result.error.split(':', 1)[0]!).value += fields
    },
    async traceUpstreamCall(host, method, work) {
      const started_ms = performance.now()
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
        increment(metrics.upstreamCalls.withLabels(host, outcome))
        metrics.upstreamCallDurations.withLabels(host).observe((performance.now() - started_ms) / 1000)
      }
    },
    countCacheResult: (result) => increment(metrics.cacheResults.withLabels(result)),
    countGeocode: ({ provider, outcome, cached }) =>
      increment(metrics.geocodes.withLabels(provider ?? 'none', outcome, String(cached))),
    countRunLocation(outcome, locations = 1) {
      metrics.runLocations.withLabels(outcome).value += locations
    },
    countWorkerStart: (worker) => increment(metrics.workerStarts.withLabels(worker)),
    countModelTokens(model, counts) {
      for (const kind of tokenKinds) if (counts[kind]) metrics.modelTokens.withLabels(model, kind).value += counts[kind]
    },
    flush: async () => exporter?.flush(),
    close: () => exporter?.close(),
  }
}

/** Creates the metrics in the order in which /metrics lists them. */
function createMetrics() {
  const metrics = {
    httpRequests: createCounter('fieldstone_http_requests_total', 'HTTP requests, by method, route and status.', [
      'method',
      'route',
      'status',
    ]),
    httpRequestDurations: createHistogram(
      'fieldstone_http_request_duration_seconds',
      'Time until a response begins, by method and route.',
      ['method', 'route'],
    ),
    errorResponses: createCounter('fieldstone_error_responses_total', 'Error responses, by code.', ['code']),
    fields: createCounter('fieldstone_fields_total', 'Answered fields, by source and status.', ['source', 'status']),
    fieldFailures: createCounter('fieldstone_field_failures_total', 'Failed fields, by source and error code.', [
      'source',
      'error',
    ]),
    upstreamCalls: createCounter(
      'fieldstone_upstream_calls_total',
      'Calls to other servers, by host and outcome (ok or an error code).',
      ['host', 'outcome'],
    ),
    upstreamCallDurations: createHistogram(
      'fieldstone_upstream_call_duration_seconds',
      'Duration of calls to other servers, successful or not, by host.',
      ['host'],
    ),
    cacheResults: createCounter(
      'fieldstone_cache_requests_total',
      'Queries to cached sources, by result: hit, miss, or stale when the source failed.',
      ['result'],
    ),
    geocodes: createCounter(
      'fieldstone_geocodes_total',
      'Geocoded addresses, by provider, by outcome, and by whether the result was cached. The provider is none if the address was not found.',
      ['provider', 'outcome', 'cached'],
    ),
    runLocations: createCounter(
      'fieldstone_run_locations_total',
      'Locations of runs, by outcome: ok, failed, or internal_error.',
      ['outcome'],
    ),
    workerStarts: createCounter(
      'fieldstone_worker_starts_total',
      'Worker starts, by worker. Every start after the first replaces a lost worker.',
      ['worker'],
    ),
    modelTokens: createCounter('fieldstone_model_tokens_total', 'Model tokens, by model and kind.', ['model', 'kind']),
    traceSpans: createCounter('fieldstone_trace_spans_total', 'Trace spans, by result: sent or dropped.', ['result']),
  }
  // Prometheus computes a rate from the second sample on, so these series start at 0.
  for (const outcome of ['ok', 'failed', 'internal_error']) metrics.runLocations.withLabels(outcome)
  for (const result of ['hit', 'miss', 'stale']) metrics.cacheResults.withLabels(result)
  for (const worker of ['raster', 'run']) metrics.workerStarts.withLabels(worker)
  return metrics
}

function increment(cell: CounterCell): void {
  cell.value++
}
