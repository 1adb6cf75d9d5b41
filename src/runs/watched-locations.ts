import type { Watch } from '../watch/watch.ts'
import type { Answering } from './answering.ts'

/** The same answering, where each location is counted, and is a trace of its own: a run may go on for days. */
export function watchedLocations(answering: Answering, { runLocation, tracing, moments }: Watch): Answering {
  return (question, signal) => {
    const { run_id, idx } = question
    const request_id = `${run_id}.${idx}`
    if (!tracing) return moments.run({ request_id, span: null }, () => counted(question, signal))
    const about = { 'fieldstone.run_id': run_id, 'fieldstone.index': idx }
    return tracing.root({ name: 'run location', kind: 'internal', request_id, about, caller: null }, () => counted(question, signal))
  }

  async function counted(...[question, signal]: Parameters<Answering>): ReturnType<Answering> {
    const answer = await answering(question, signal)
    runLocation(answer === 'fault' ? 'fault' : answer.ok ? 'ok' : 'failed')
    return answer
  }
}
