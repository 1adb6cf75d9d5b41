import type { Counter } from './metrics.ts'
import { type EndedSpan, spanKinds, type SpanAttributes } from './tracing.ts'

/** Sends spans to a collector in batches, in the background. Spans that cannot be sent are dropped and counted. */
export type SpanExporter = {
  add(span: EndedSpan): void
  /** Sends the queued spans. Resolves when that has ended, with or without success. */
  flush(): Promise<void>
  close(): void
}

const queueMax = 8_192
const batchMax = 512
const flushInterval_ms = 2_000
const timeout_ms = 5_000

/**
 * Opens an exporter that posts to `/v1/traces` below the endpoint, as OpenTelemetry specifies. `spanCounter` has the
 * label `result`: `sent` or `dropped`.
 */
export function openSpanExporter(
  endpoint: string,
  service: { name: string; version: string },
  spanCounter: Counter,
): SpanExporter {
  const queue: EndedSpan[] = []
  const url = `${endpoint}/v1/traces`
  let flushing: Promise<void> | null = null
  const timer = setInterval(() => void flush(), flushInterval_ms).unref()
  return {
    add(span) {
      if (queue.length >= queueMax) spanCounter.withLabels('dropped').value++
      else if (queue.push(span) === batchMax) void flush()
    },
    flush,
    close() {
      clearInterval(timer)
      void flush()
    },
  }

  function flush(): Promise<void> {
    flushing ??= drain().finally(() => {
      flushing = null
    })
    return flushing
  }

  /** Sends one batch at a time, so that a slow collector occupies only one connection. */
  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax)
      spanCounter.withLabels((await sendBatch(batch)) ? 'sent' : 'dropped').value += batch.length
    }
  }

  async function sendBatch(batch: EndedSpan[]): Promise<boolean> {
    try {
      // Bypasses the HTTP client: the collector may have a private address, and a traced call would create new spans.
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(otlpOf(batch, service)),
        redirect: 'error',
        decompress: false,
        signal: AbortSignal.timeout(timeout_ms),
      })
      await response.body?.cancel()
      return response.ok
    } catch {
      // The collector is down or slow. The counter of dropped spans reports it.
      return false
    }
  }
}

/**
 * Returns the JSON body of an OTLP/HTTP request with spans (opentelemetry-proto, ExportTraceServiceRequest). Ids are
 * hex, 64-bit numbers are strings.
 */
function otlpOf(spans: EndedSpan[], service: { name: string; version: string }): object {
  const resource = { attributes: attributesOf({ 'service.name': service.name, 'service.version': service.version }) }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: service, spans: spans.map(spanOf) }] }] }
}

const errorStatusCode = 2

function spanOf(span: EndedSpan): object {
  const { parent_id, name, attributes, error } = span
  return {
    traceId: span.trace_id,
    spanId: span.span_id,
    ...(parent_id !== null && { parentSpanId: parent_id }),
    name,
    kind: spanKinds[span.kind],
    startTimeUnixNano: String(span.started_ns),
    endTimeUnixNano: String(span.ended_ns),
    attributes: attributesOf(error === null ? attributes : { ...attributes, 'error.type': error }),
    status: error === null ? {} : { code: errorStatusCode, message: error },
  }
}

function attributesOf(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
  }))
}
