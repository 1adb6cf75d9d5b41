import { Type } from '@sinclair/typebox'
import { locationProperties, requireLocation } from './location.ts'
import { atNamedPlace, ResolvedPlace } from './named-place.ts'
import { defineTool } from './tool.ts'

const questionMax_characters = 2000
const AnyObject = Type.Object({}, { additionalProperties: true })

/** Answers a question about a location in text. */
export const askTool = defineTool({
  name: 'ask',
  title: 'Ask about a place',
  scope: 'ask',
  isOpenWorld: true,
  description:
    'Answers a question about one US location in text, based on fetched fields, with citations and data gaps. Use fetch_fields instead if you know the fields. May take up to 110 seconds.',
  input: Type.Object({
    ...locationProperties,
    question: Type.String({
      minLength: 1,
      maxLength: questionMax_characters,
      description: 'One question in plain language.',
    }),
  }),
  output: Type.Object({
    answer: Type.String(),
    confidence: Type.String(),
    citations: Type.Array(AnyObject),
    data_gaps: Type.Array(AnyObject),
    fields: AnyObject,
    resolved_location: AnyObject,
    geocode: Type.Optional(AnyObject),
    resolved_place: ResolvedPlace,
    shortened: Type.Boolean(),
  }),
  async run({ question, ...at }, { app, account, signal, reportProgress }) {
    requireLocation(at)
    return atNamedPlace(at, (location) =>
      app.ask.answer({ ...location, question }, { signal }, app.fetchContext(account, '/mcp'), (event) => {
        if (event.event === 'status') reportProgress(event.stage)
      }),
    )
  },
})
