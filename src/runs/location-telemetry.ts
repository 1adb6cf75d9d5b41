import type { Telemetry } from '../telemetry/telemetry.ts'
import type { LocationAnswerer } from './location-answerer.ts'

/** Counts each location and gives it a trace of its own: a run may take days. */
export function withLocationTelemetry(
  answerLocation: LocationAnswerer,
  { countRunLocation, tracing, requests }: Telemetry,
): LocationAnswerer {
  return (...args) => {
    const [question] = args
    const { run_id, idx } = question
    const request_id = `${run_id}.${idx}`
    if (!tracing) return requests.run({ request_id, span: null }, () => answerAndCount(...args))
    const attributes = { 'fieldstone.run_id': run_id, 'fieldstone.index': idx }
    return tracing.root({ name: 'run location', kind: 'internal', request_id, attributes, parent: null }, () =>
      answerAndCount(...args),
    )
  }

  async function answerAndCount(...args: Parameters<LocationAnswerer>): ReturnType<LocationAnswerer> {
    const answer = await answerLocation(...args)
    countRunLocation(answer === 'internal_error' ? 'internal_error' : answer.ok ? 'ok' : 'failed')
    return answer
  }
}
