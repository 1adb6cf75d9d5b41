import { kinds, type About, type EndedSpan } from './span.ts'

/** The body of an OTLP/HTTP request in JSON that hands over spans (opentelemetry-proto, ExportTraceServiceRequest; ids are hex, 64-bit numbers are texts). */
export function otlpOf(spans: EndedSpan[], service: { name: string; version: string }): object {
  const resource = { attributes: attributesOf({ 'service.name': service.name, 'service.version': service.version }) }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: service, spans: spans.map(spanOf) }] }] }
}

const failed = 2

function spanOf({ trace_id, span_id, parent_id, name, kind, began_ns, ended_ns, about, error }: EndedSpan): object {
  return {
    traceId: trace_id, spanId: span_id, ...(parent_id !== null && { parentSpanId: parent_id }),
    name, kind: kinds[kind],
    startTimeUnixNano: String(began_ns), endTimeUnixNano: String(ended_ns),
    attributes: attributesOf(error === null ? about : { ...about, 'error.type': error }),
    status: error === null ? {} : { code: failed, message: error },
  }
}

function attributesOf(about: About): object[] {
  return Object.entries(about).map(([key, value]) => ({ key, value: typeof value === 'string' ? { stringValue: value } : Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }))
}
