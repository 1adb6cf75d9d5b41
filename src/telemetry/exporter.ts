import type { Counter } from './counter.ts'
import { otlpOf } from './otlp.ts'
import type { EndedSpan } from './span.ts'

/** Sends spans to a collector, many at a time and behind everybody's back: when it is slow, down or wrong, spans are dropped and counted, and nothing else happens. */
export type SpanExporter = {
  add(span: EndedSpan): void
  /** Sends what is there, and resolves when that is over, well or not. */
  flush(): Promise<void>
  close(): void
}

const queueMax = 8_192
const batchMax = 512
const flushInterval_ms = 2_000
const timeout_ms = 5_000

/** `endpoint` is the base address, as OpenTelemetry has it: spans go to `/v1/traces` below it. `counted` has the label `result`: `sent` or `dropped`. */
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

  /** One batch at a time: a collector that is slow has one connection to hang on. */
  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax)
      spanCounter.withLabels((await sendBatch(batch)) ? 'sent' : 'dropped').value += batch.length
    }
  }

  async function sendBatch(batch: EndedSpan[]): Promise<boolean> {
    try {
      // Not by the way out: the collector is the operator's own and may be private, and a call that is traced would make spans without end.
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
      // Whatever it is, it is the collector's: the count of what was dropped tells of it.
      return false
    }
  }
}
