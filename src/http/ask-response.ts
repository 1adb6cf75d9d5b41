import { Type } from '@sinclair/typebox'
import { FetchResponse } from './fetch-response.ts'

const { fields, resolved_location, geocode } = FetchResponse.properties
const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })

export const AskResponse = Type.Object({
  answer: Type.String({ description: 'Plain text; [n] refers to citations.' }),
  confidence: Type.Union(
    ['high', 'medium', 'low'].map((it) => Type.Literal(it)),
    {
      description:
        'low: nothing was found, or a number is not among the fetched values; medium: a field failed, or only words led to the fields.',
    },
  ),
  citations: Type.Array(
    Type.Object({
      id: Count,
      source: Text,
      source_name: Text,
      source_url: Text,
      fields: Type.Array(Text),
      vintage: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    }),
    { description: 'One for each source of the fields that were used.' },
  ),
  data_gaps: Type.Array(Type.Object({ field: Text, reason: Text }), {
    description: 'The fields without a value: why it is absent, or the code of the error.',
  }),
  fields,
  resolved_location,
  geocode,
  trace: Type.Optional(
    Type.Object(
      {
        planner_model: Text,
        synthesizer_model: Text,
        planner_reasoning: Text,
        fields_requested: Type.Array(Text),
        preset_expanded: Type.Optional(Text),
        latency_ms: Type.Object({ planner_ms: Count, fetch_ms: Count, synth_ms: Count, total_ms: Count }),
        cache_creation_input_tokens: Count,
        cache_read_input_tokens: Count,
      },
      { description: 'Only with include_trace.' },
    ),
  ),
})
