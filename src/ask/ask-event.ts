import type { FieldResult } from '../fetch/fetch-answer.ts'

/** An event while a question is answered. `rewriting` withdraws the text so far; a new text follows. */
type AskEvent =
  | { event: 'status'; stage: AskStage | 'rewriting' }
  | { event: 'plan'; fields: string[]; preset: string | null; reasoning: string }
  | { event: 'field'; name: string; result: FieldResult }
  | { event: 'delta'; text: string }

/** The stages of a question. */
export type AskStage = 'locating' | 'planning' | 'fetching' | 'writing'
/** Receives the events of a question. */
export type AskEventListener = (event: AskEvent) => void
