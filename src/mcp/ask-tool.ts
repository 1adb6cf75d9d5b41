import { Type } from '@sinclair/typebox'
import { location, mustBeLocation } from './location.ts'
import { tool } from './tool.ts'

const questionMax_characters = 2000
const Open = Type.Object({}, { additionalProperties: true })

/** Answers a question in words. */
export const ask = tool({
  name: 'ask', title: 'Ask about a place', scope: 'ask', isOpenWorld: true,
  description: 'Answers a question about one US location in words, from fetched fields, with citations and the gaps in the data. Prefer fetch_fields when you know the fields. May take up to 110 seconds.',
  input: Type.Object({ ...location, question: Type.String({ minLength: 1, maxLength: questionMax_characters, description: 'One question, in plain words.' }) }),
  output: Type.Object({
    answer: Type.String(), confidence: Type.String(), citations: Type.Array(Open), data_gaps: Type.Array(Open), fields: Open, resolved_location: Open,
    geocode: Type.Optional(Open), shortened: Type.Boolean(),
  }),
  async run({ question, ...at }, { app, account, signal, tell }) {
    mustBeLocation(at)
    return app.ask.answer({ ...at, question }, { signal }, app.counter(account, '/mcp'), (event) => {
      if (event.event === 'status') tell(event.stage)
    })
  },
})
