/** Attributes of a span: names, numbers and codes, never an address, a coordinate, a key or a complete URL. */
export type SpanAttributes = Record<string, string | number>

/** A span that has not ended. Times are nanoseconds since 1970. */
export type Span = {
  trace_id: string
  span_id: string
  parent_id: string | null
  name: string
  kind: SpanKind
  started_ns: bigint
  attributes: SpanAttributes
}

/** The span kinds of OpenTelemetry: internal work, an incoming request, an outgoing call. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const
/** One span kind. */
export type SpanKind = keyof typeof spanKinds

/** A span that has ended. `error` is an error code; null after success. */
export type EndedSpan = Span & { ended_ns: bigint; error: string | null }

/** The `traceparent` header of W3C Trace Context. */
export type Traceparent = { trace_id: string; parent_id: string; isSampled: boolean }

/** Parses a `traceparent` header. Returns null for a missing or malformed one; the trace then begins here. */
export function parseTraceparent(traceparent: string | null): Traceparent | null {
  const parts = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(traceparent ?? '')
  if (!parts) return null
  const [, version, trace_id, parent_id, flags, rest] = parts
  if (version === 'ff' || (version === '00' && rest !== undefined) || /^0+$/.test(trace_id!) || /^0+$/.test(parent_id!))
    return null
  return { trace_id: trace_id!, parent_id: parent_id!, isSampled: (parseInt(flags!, 16) & 1) === 1 }
}
