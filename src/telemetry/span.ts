/** What is told of a span: names, numbers and codes, never an address, a coordinate, a key or a whole URL. */
export type SpanAttributes = Record<string, string | number>

/** A piece of work in a trace, while it is under way. Times are nanoseconds since 1970. */
export type Span = {
  trace_id: string
  span_id: string
  parent_id: string | null
  name: string
  kind: SpanKind
  began_ns: bigint
  attributes: SpanAttributes
}

/** What a span is as OpenTelemetry counts it: work inside, a request that came in, a call that went out. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const
export type SpanKind = keyof typeof spanKinds

/** A span that is over; `error` is the code of what went wrong. */
export type EndedSpan = Span & { ended_ns: bigint; error: string | null }

/** Where a trace goes on: the header of W3C Trace Context as its caller sent it. */
export type Traceparent = { trace_id: string; parent_id: string; isSampled: boolean }

/** Reads a `traceparent`; null for none, and for one that is not whole: the trace then begins here. */
export function parseTraceparent(traceparent: string | null): Traceparent | null {
  const parts = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(traceparent ?? '')
  if (!parts) return null
  const [, version, trace_id, parent_id, flags, rest] = parts
  if (version === 'ff' || (version === '00' && rest !== undefined) || /^0+$/.test(trace_id!) || /^0+$/.test(parent_id!))
    return null
  return { trace_id: trace_id!, parent_id: parent_id!, isSampled: (parseInt(flags!, 16) & 1) === 1 }
}
