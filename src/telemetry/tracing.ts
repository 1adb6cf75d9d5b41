import { AsyncLocalStorage } from 'node:async_hooks'
import type { MaybePromise } from '../async/maybe-promise.ts'

/** The request that the current code runs for, and its span, if it is traced. */
type RequestContext = { request_id: string; span: Span | null }

/**
 * Stores the context of the current request across awaits. Measured on Bun: 30 awaits take the same time without it.
 */
export type RequestContextStorage = {
  current(): RequestContext | undefined
  run<T>(context: RequestContext, work: () => T): T
}

/** Creates an empty storage. */
export function createRequestContextStorage(): RequestContextStorage {
  const storage = new AsyncLocalStorage<RequestContext>()
  return { current: () => storage.getStore(), run: (context, work) => storage.run(context, work) }
}

/** Traces requests. The spans of a trace are the request, its place, its datasets, and the calls to other servers. */
export type Tracing = {
  /** Runs the work as the root span of a trace. Records nothing when the caller's `traceparent` is not sampled. */
  root<T>(first: RootSpan, work: () => Promise<T>): Promise<T>
  /** Runs the work as a child of the current span; without one, only runs it. */
  span<T>(name: string, kind: SpanKind, attributes: SpanAttributes, work: () => MaybePromise<T>): MaybePromise<T>
}

/** The first span of a trace. Its attributes may change until it ends. */
type RootSpan = {
  name: string
  kind: SpanKind
  request_id: string
  attributes: SpanAttributes
  parent: Traceparent | null
}

/** Creates a tracer that passes every ended span to `onSpanEnd`. */
export function createTracing(
  requests: RequestContextStorage,
  onSpanEnd: (span: EndedSpan) => void,
  randomBytes: (size: number) => Uint8Array,
): Tracing {
  const epoch_ns = BigInt(Date.now()) * 1_000_000n - BigInt(Bun.nanoseconds())
  const now_ns = () => epoch_ns + BigInt(Bun.nanoseconds())
  return {
    root({ name, kind, request_id, attributes, parent }, work) {
      if (parent && !parent.isSampled) return requests.run({ request_id, span: null }, work)
      return runSpan(
        {
          trace_id: parent?.trace_id ?? randomId(16),
          span_id: randomId(8),
          parent_id: parent?.parent_id ?? null,
          name,
          kind,
          started_ns: now_ns(),
          attributes,
        },
        request_id,
        work,
      )
    },
    span(name, kind, attributes, work) {
      const context = requests.current()
      if (!context?.span) return work()
      const { trace_id, span_id: parent_id } = context.span
      return runSpan(
        { trace_id, span_id: randomId(8), parent_id, name, kind, started_ns: now_ns(), attributes },
        context.request_id,
        work,
      )
    },
  }

  async function runSpan<T>(span: Span, request_id: string, work: () => MaybePromise<T>): Promise<T> {
    let error: string | null = null
    try {
      return await requests.run({ request_id, span }, work)
    } catch (thrown) {
      error = codeOf(thrown)
      throw thrown
    } finally {
      onSpanEnd({ ...span, ended_ns: now_ns(), error })
    }
  }

  function randomId(bytes: number): string {
    return Buffer.from(randomBytes(bytes)).toString('hex')
  }
}

/** Returns the code of our own errors, else the class name. A message may contain input, such as an address. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Attributes of a span: names, numbers and codes, never an address, a coordinate, a key or a complete URL. */
export type SpanAttributes = Record<string, string | number>

/** A span that has not ended. Times are nanoseconds since 1970. */
type Span = {
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
type Traceparent = { trace_id: string; parent_id: string; isSampled: boolean }

/** Parses a `traceparent` header. Returns null for a missing or malformed one; the trace then begins here. */
export function parseTraceparent(traceparent: string | null): Traceparent | null {
  const parts = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(traceparent ?? '')
  if (!parts) return null
  const [, version, trace_id, parent_id, flags, rest] = parts
  if (version === 'ff' || (version === '00' && rest !== undefined) || /^0+$/.test(trace_id!) || /^0+$/.test(parent_id!))
    return null
  return { trace_id: trace_id!, parent_id: parent_id!, isSampled: (parseInt(flags!, 16) & 1) === 1 }
}
