import type { FieldResult } from '../fetch/fetch-answer.ts'

/** What is told of a question while it is answered. `rewriting`: what was written so far does not hold, it is begun anew. */
type AskEvent =
  | { event: 'status'; stage: AskStage | 'rewriting' }
  | { event: 'plan'; fields: string[]; preset: string | null; reasoning: string }
  | { event: 'field'; name: string; result: FieldResult }
  | { event: 'delta'; text: string }

/** How far the answering is. */
export type AskStage = 'locating' | 'planning' | 'fetching' | 'writing'
/** Hears what happens while a question is answered. */
export type AskEventListener = (event: AskEvent) => void
