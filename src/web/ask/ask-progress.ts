import type { AskAnswer } from '../../ask/answer/ask-answer.ts'
import type { AskStage } from '../../ask/ask-event.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { RequestError } from '../request.ts'
import type { ServerEvent } from '../../async/server-events.ts'

/** The progress of a question: what has arrived so far, and how it ended. */
export type AskProgress = {
  stage: AskStage
  plannedFields: string[]
  fields: Record<string, FieldResult>
  text: string
  end: AskEnd
}

/** `null` while the question is still running. */
type AskEnd =
  { status: 'done'; answer: AskAnswer } | { status: 'failed'; error: RequestError } | { status: 'stopped' } | null

export const initialProgress: AskProgress = { stage: 'locating', plannedFields: [], fields: {}, text: '', end: null }

/** Returns the progress after one more event. */
export function applyEvent(progress: AskProgress, { name, data }: ServerEvent): AskProgress {
  const payload = JSON.parse(data) as Record<string, unknown>
  switch (name) {
    // The text so far is withdrawn, and the answer is written again.
    case 'status':
      return payload.stage === 'rewriting'
        ? { ...progress, text: '' }
        : { ...progress, stage: payload.stage as AskStage }
    case 'plan':
      return { ...progress, plannedFields: payload.fields as string[] }
    case 'field':
      return { ...progress, fields: { ...progress.fields, [String(payload.name)]: payload.result as FieldResult } }
    case 'delta':
      return { ...progress, text: progress.text + String(payload.text) }
    case 'final':
      return { ...progress, end: { status: 'done', answer: payload as unknown as AskAnswer } }
    // The stream has already answered 200, so only the code tells what failed.
    case 'error':
      return {
        ...progress,
        end: {
          status: 'failed',
          error: new RequestError(200, String(payload.error), String(payload.message), payload),
        },
      }
    default:
      return progress
  }
}
