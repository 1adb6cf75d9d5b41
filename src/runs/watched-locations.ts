import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Answering } from './answering.ts'

/** The same answering, where each location is counted, and is a trace of its own: a run may go on for days. */
export function watchedLocations(answering: Answering, { countRunLocation, tracing, requests }: Telemetry): Answering {
  return (question, signal) => {
    const { run_id, idx } = question
    const request_id = `${run_id}.${idx}`
    if (!tracing) return requests.run({ request_id, span: null }, () => counted(question, signal))
    const attributes = { 'fieldstone.run_id': run_id, 'fieldstone.index': idx }
    return tracing.root({ name: 'run location', kind: 'internal', request_id, attributes, parent: null }, () => counted(question, signal))
  }

  async function counted(...[question, signal]: Parameters<Answering>): ReturnType<Answering> {
    const answer = await answering(question, signal)
    countRunLocation(answer === 'fault' ? 'fault' : answer.ok ? 'ok' : 'failed')
    return answer
  }
}
