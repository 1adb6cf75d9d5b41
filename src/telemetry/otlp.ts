import { spanKinds, type SpanAttributes, type EndedSpan } from './span.ts'

/**
 * Returns the JSON body of an OTLP/HTTP request with spans (opentelemetry-proto, ExportTraceServiceRequest). Ids are
 * hex, 64-bit numbers are strings.
 */
export function otlpOf(spans: EndedSpan[], service: { name: string; version: string }): object {
  const resource = { attributes: attributesOf({ 'service.name': service.name, 'service.version': service.version }) }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: service, spans: spans.map(spanOf) }] }] }
}

const errorStatusCode = 2

function spanOf({
  trace_id,
  span_id,
  parent_id,
  name,
  kind,
  started_ns,
  ended_ns,
  attributes,
  error,
}: EndedSpan): object {
  return {
    traceId: trace_id,
    spanId: span_id,
    ...(parent_id !== null && { parentSpanId: parent_id }),
    name,
    kind: spanKinds[kind],
    startTimeUnixNano: String(started_ns),
    endTimeUnixNano: String(ended_ns),
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
