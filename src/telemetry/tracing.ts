import type { RequestContextStorage } from './request-context.ts'
import type { SpanAttributes, Traceparent, EndedSpan, SpanKind, Span } from './span.ts'

/** Follows work through the house. A trace is one request; its spans are the place, the datasets that were asked, and the calls that went out. */
export type Tracing = {
  /** Does the work as the first span of a trace. A caller that traces and wants no record of this request gets none. */
  root<T>(first: RootSpan, work: () => Promise<T>): Promise<T>
  /** Does the work as a part of what is under way; where nothing is traced, it only does the work. */
  span<T>(name: string, kind: SpanKind, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>
}

/** The first span of a trace. `ended`: what is known of it only when it is over. */
type RootSpan = {
  name: string
  kind: SpanKind
  request_id: string
  attributes: SpanAttributes
  parent: Traceparent | null
}

/** `ended` is handed every span that is over. */
export function createTracing(
  requests: RequestContextStorage,
  onSpanEnd: (span: EndedSpan) => void,
  randomBytes: (size: number) => Uint8Array,
): Tracing {
  const began_ns = BigInt(Date.now()) * 1_000_000n - BigInt(Bun.nanoseconds())
  const now_ns = () => began_ns + BigInt(Bun.nanoseconds())
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
          began_ns: now_ns(),
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
        { trace_id, span_id: randomId(8), parent_id, name, kind, began_ns: now_ns(), attributes },
        context.request_id,
        work,
      )
    },
  }

  async function runSpan<T>(span: Span, request_id: string, work: () => Promise<T>): Promise<T> {
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

/** The code of an error of ours; of all else only its kind, since a message may hold what came in. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
