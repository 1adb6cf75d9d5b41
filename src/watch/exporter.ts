import type { Counter } from './counter.ts'
import { otlpOf } from './otlp.ts'
import type { EndedSpan } from './span.ts'

/** Sends spans to a collector, many at a time and behind everybody's back: when it is slow, down or wrong, spans are dropped and counted, and nothing else happens. */
export type Exporter = {
  add(span: EndedSpan): void
  /** Sends what is there, and resolves when that is over, well or not. */
  flush(): Promise<void>
  close(): void
}

const queueMax = 8_192
const batchMax = 512
const every_ms = 2_000
const limit_ms = 5_000

/** `endpoint` is the base address, as OpenTelemetry has it: spans go to `/v1/traces` below it. `counted` has the label `result`: `sent` or `dropped`. */
export function openExporter(endpoint: string, service: { name: string; version: string }, counted: Counter): Exporter {
  const waiting: EndedSpan[] = []
  const url = `${endpoint}/v1/traces`
  let under: Promise<void> | null = null
  const timer = setInterval(() => void flush(), every_ms).unref()
  return {
    add(span) {
      if (waiting.length >= queueMax) counted.of('dropped').n++
      else if (waiting.push(span) === batchMax) void flush()
    },
    flush,
    close() {
      clearInterval(timer)
      void flush()
    },
  }

  function flush(): Promise<void> {
    under ??= emptied().finally(() => {
      under = null
    })
    return under
  }

  /** One batch at a time: a collector that is slow has one connection to hang on. */
  async function emptied(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchMax)
      counted.of((await isTaken(batch)) ? 'sent' : 'dropped').n += batch.length
    }
  }

  async function isTaken(batch: EndedSpan[]): Promise<boolean> {
    try {
      // Not by the way out: the collector is the operator's own and may be private, and a call that is traced would make spans without end.
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(otlpOf(batch, service)), redirect: 'error', decompress: false, signal: AbortSignal.timeout(limit_ms) })
      await response.body?.cancel()
      return response.ok
    } catch {
      // Whatever it is, it is the collector's: the count of what was dropped tells of it.
      return false
    }
  }
}
