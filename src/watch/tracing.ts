import type { Moments } from './moment.ts'
import type { About, Caller, EndedSpan, Kind, Span } from './span.ts'

/** Follows work through the house. A trace is one request; its spans are the place, the datasets that were asked, and the calls that went out. */
export type Tracing = {
  /** Does the work as the first span of a trace. A caller that traces and wants no record of this request gets none. */
  root<T>(first: First, work: () => Promise<T>): Promise<T>
  /** Does the work as a part of what is under way; where nothing is traced, it only does the work. */
  span<T>(name: string, kind: Kind, about: About, work: () => Promise<T>): Promise<T>
}

/** The first span of a trace. `ended`: what is known of it only when it is over. */
type First = { name: string; kind: Kind; request_id: string; about: About; caller: Caller | null }

/** `ended` is handed every span that is over. */
export function openTracing(moments: Moments, ended: (span: EndedSpan) => void, randomBytes: (size: number) => Uint8Array): Tracing {
  const began_ns = BigInt(Date.now()) * 1_000_000n - BigInt(Bun.nanoseconds())
  const now_ns = () => began_ns + BigInt(Bun.nanoseconds())
  return {
    root({ name, kind, request_id, about, caller }, work) {
      if (caller && !caller.isSampled) return moments.run({ request_id, span: null }, work)
      return through({ trace_id: caller?.trace_id ?? idOf(16), span_id: idOf(8), parent_id: caller?.parent_id ?? null, name, kind, began_ns: now_ns(), about }, request_id, work)
    },
    span(name, kind, about, work) {
      const moment = moments.now()
      if (!moment?.span) return work()
      const { trace_id, span_id: parent_id } = moment.span
      return through({ trace_id, span_id: idOf(8), parent_id, name, kind, began_ns: now_ns(), about }, moment.request_id, work)
    },
  }

  async function through<T>(span: Span, request_id: string, work: () => Promise<T>): Promise<T> {
    let error: string | null = null
    try {
      return await moments.run({ request_id, span }, work)
    } catch (fault) {
      error = codeOf(fault)
      throw fault
    } finally {
      ended({ ...span, ended_ns: now_ns(), error })
    }
  }

  function idOf(bytes: number): string {
    return Buffer.from(randomBytes(bytes)).toString('hex')
  }
}

/** The code of an error of ours; of all else only its kind, since a message may hold what came in. */
function codeOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown'
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name
}
