import type { AskAnswer } from '../../ask/ask-answer.ts'
import type { AskStage } from '../../ask/ask-event.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { ApiFault } from '../api-fault.ts'
import type { ServerEvent } from '../server-events.ts'

/** How far a question is: what has been told, and what came of it. */
export type Answering = {
  stage: AskStage
  planned: string[]
  fields: Record<string, FieldResult>
  text: string
  end: End
}

/** `null`: it goes on. */
type End = { state: 'done'; answer: AskAnswer } | { state: 'failed'; fault: ApiFault } | { state: 'stopped' } | null

export const begun: Answering = { stage: 'locating', planned: [], fields: {}, text: '', end: null }

/** What is known after a further event. */
export function afterEvent(before: Answering, { name, data }: ServerEvent): Answering {
  const told = JSON.parse(data) as Record<string, unknown>
  switch (name) {
    // What was written so far does not hold: it is begun anew.
    case 'status':
      return told.stage === 'rewriting' ? { ...before, text: '' } : { ...before, stage: told.stage as AskStage }
    case 'plan':
      return { ...before, planned: told.fields as string[] }
    case 'field':
      return { ...before, fields: { ...before.fields, [String(told.name)]: told.result as FieldResult } }
    case 'delta':
      return { ...before, text: before.text + String(told.text) }
    case 'final':
      return { ...before, end: { state: 'done', answer: told as unknown as AskAnswer } }
    // The stream is open by then: the status of the response is 200, and the code alone tells.
    case 'error':
      return {
        ...before,
        end: { state: 'failed', fault: new ApiFault(200, String(told.error), String(told.message), told) },
      }
    default:
      return before
  }
}
