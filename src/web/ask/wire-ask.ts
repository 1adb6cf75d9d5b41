import type { FieldResult } from '../wire.ts'

/** What the page reads of an answer to a question, and of the events before it. */
export type Citation = { id: number; source: string; source_name: string; source_url: string; fields: string[]; vintage: string | null }

export type Trace = {
  planner_model: string
  synthesizer_model: string
  planner_reasoning: string
  fields_requested: string[]
  preset_expanded?: string
  latency_ms: { planner_ms: number; fetch_ms: number; synth_ms: number; total_ms: number }
}

export type AskAnswer = {
  answer: string
  confidence: 'high' | 'medium' | 'low'
  citations: Citation[]
  data_gaps: { field: string; reason: string }[]
  fields: Record<string, FieldResult>
  trace?: Trace
}

export type Stage = 'locating' | 'planning' | 'fetching' | 'writing'
