import type { FetchAnswer } from '../fetch/fetch-answer.ts'

/** The answer to a question. Its shape is the same with and without a model. */
export type AskAnswer = {
  answer: string
  confidence: 'high' | 'medium' | 'low'
  citations: Citation[]
  data_gaps: DataGap[]
  fields: FetchAnswer['fields']
  resolved_location: FetchAnswer['resolved_location']
  geocode?: FetchAnswer['geocode']
  trace?: AskTrace
}

/** A source of an answer; `[id]` in the text refers to it. */
export type Citation = {
  id: number
  source: string
  source_name: string
  source_url: string
  fields: string[]
  vintage: string | null
}

/** A field without a value, and its absent reason or error code. */
export type DataGap = { field: string; reason: string }

/** How an answer was produced. */
export type AskTrace = {
  planner_model: string
  synthesizer_model: string
  planner_reasoning: string
  fields_requested: string[]
  preset_expanded?: string
  latency_ms: { planner_ms: number; fetch_ms: number; synth_ms: number; total_ms: number }
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
}
