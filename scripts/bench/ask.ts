import { goldHalves, additionalQuestions, recallOf } from '../../test/ask/gold.ts'
import type { TestService } from '../../test/support/test-service.ts'
import { reportFigure, quantile } from './report.ts'

const question = 'What county is this in, how far is the coast, and which airport is nearest?'
const requested = 300
const firstEvent_ms = 150
const whole_ms = 250
const leastRecall = 0.9

/**
 * Measures questions without a model: recall of the expected fields, for tuning and held-out questions, and the time to
 * the first event and to the complete answer.
 */
export async function benchAsk(service: TestService, at: () => { lat: number; lng: number }): Promise<void> {
  for (const [set, gold] of Object.entries({ ...goldHalves, ...additionalQuestions })) {
    const { recall } = recallOf(gold, service.app.catalog)
    reportFigure(
      `recall at 15, ${set.replace('_', ' ')} (${gold.length} questions)`,
      recall.toFixed(3),
      recall >= leastRecall,
      `at least ${leastRecall}`,
    )
  }
  const first: number[] = []
  const whole: number[] = []
  for (let i = 0; i < requested; i++) {
    const times = await streamed(service, at())
    first.push(times.first_ms)
    whole.push(times.whole_ms)
  }
  for (const [what, times, bound] of [
    ['first event', first, firstEvent_ms],
    ['whole answer on embedded fields', whole, whole_ms],
  ] as const) {
    const p99 = quantile(times, 0.99)
    reportFigure(
      what,
      `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, the first request ${times[0]!.toFixed(0)} ms`,
      p99 <= bound,
      `${bound} ms`,
    )
  }
}

async function streamed(
  service: TestService,
  at: { lat: number; lng: number },
): Promise<{ first_ms: number; whole_ms: number }> {
  const begun = performance.now()
  const response = await service.post('/v1/ask/stream', { question, ...at })
  let first_ms: number | null = null
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true })
    if (first_ms === null && text.includes('event: ')) first_ms = performance.now() - begun
  }
  if (!text.includes('event: final')) throw new Error(`The stream ended without an answer: ${text.slice(-500)}`)
  return { first_ms: first_ms ?? Infinity, whole_ms: performance.now() - begun }
}
