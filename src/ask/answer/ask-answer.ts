import { Type, type Static } from '@sinclair/typebox'
import { FetchAnswer } from '../../fetch/fetch-answer.ts'
import { confidenceLevels } from '../../model/outcome.ts'
import { literals, nullable, Time } from '../../model/schema.ts'

const { fields, resolved_location, geocode } = FetchAnswer.properties
const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })

/** A source of an answer; `[id]` in the text refers to it. */
export const Citation = Type.Object({
  id: Count,
  source: Text,
  source_name: Text,
  source_url: Text,
  fields: Type.Array(Text),
  dataset_vintage: nullable('string'),
  fetched_at: Time,
  confidence: literals(confidenceLevels, { description: 'The lowest confidence of the fields.' }),
})
export type Citation = Static<typeof Citation>

/** A field without a value, and its absent reason or error code. */
export const DataGap = Type.Object({ field: Text, reason: Text })
export type DataGap = Static<typeof DataGap>

/** How an answer was produced. */
export const AskTrace = Type.Object(
  {
    planner_model: Text,
    synthesizer_model: Text,
    planner_reasoning: Text,
    fields_requested: Type.Array(Text),
    preset_expanded: nullable('string'),
    latency_ms: Type.Object({ planner_ms: Count, fetch_ms: Count, synth_ms: Count, total_ms: Count }),
    cache_creation_input_tokens: Count,
    cache_read_input_tokens: Count,
  },
  { description: 'Only with include_trace.' },
)
export type AskTrace = Static<typeof AskTrace>

const NamedPlaceAnswer = Type.Object({ name: Text, lat: Type.Number(), lng: Type.Number(), fields })

/** The answer to a question. Its shape is the same with and without a model. */
export const AskAnswer = Type.Object({
  lat: Type.Number(),
  lng: Type.Number(),
  question: Text,
  answered_at: Time,
  fetched_at: Time,
  answer: Type.String({ description: 'Plain text; [n] refers to citations.' }),
  confidence: literals(['high', 'medium', 'low'], {
    description:
      'high: the fields cover all main words of the question, and all have values. medium: a field failed, or some main words match a field only by full-text search. low: no field has a value, or a main word has no field. Also low: a place in the question could not be located, or the answer has a number that was not fetched.',
  }),
  citations: Type.Array(Citation, { description: 'One per source of the used fields.' }),
  fields_used: Type.Array(Text, { description: 'The fields that the text of the answer uses.' }),
  data_gaps: Type.Array(DataGap, {
    description: 'Fields without a value, each with its absent reason or error code.',
  }),
  fields,
  resolved_location,
  geocode,
  named_places: Type.Optional(
    Type.Array(NamedPlaceAnswer, {
      description:
        'Other places that the question names, with their values. `fields` holds the values at the location of the request.',
    }),
  ),
  trace: Type.Optional(AskTrace),
})
export type AskAnswer = Static<typeof AskAnswer>
