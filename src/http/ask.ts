import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import type { Violation } from '../model/error.ts'
import { askStream } from './ask-stream.ts'
import { bodyOf } from './body.ts'
import { geocodeRefusals } from './geocode.ts'
import { allowing } from './guard.ts'
import { location, locationFaults } from './location.ts'
import { operation, type Operations } from './operation.ts'
import { AskResponse } from './ask-response.ts'
import { violation } from './violations.ts'

export const questionMax_characters = 2000

const AskRequest = Type.Object({
  question: Type.String({ description: `What you want to know of the place, at most ${questionMax_characters} characters.` }),
  ...location,
  include_trace: Type.Optional(Type.Boolean({ description: 'Whether the answer says how it came about; false when not said.' })),
})

const examples = { miami_beach: { question: 'What county is this in, how far is the coast, and which airport is nearest?', lat: 25.79, lng: -80.13 } }
const refusals = ['location_conflict', 'coord_out_of_bounds', 'fetch_busy', 'ask_timeout', 'ask_unavailable', ...geocodeRefusals] as const

export const askOperations: Operations = {
  'POST /v1/ask': operation({
    tag: 'Ask', scope: 'ask',
    summary: 'A question in words about one place',
    description: 'Answered from at most 15 fetched fields. Each [n] of the answer refers to a citation; what could not be had stands in data_gaps.',
    body: AskRequest, examples, answers: { 200: AskResponse }, refusals: [...refusals],
  }),
  'POST /v1/ask/stream': operation({
    tag: 'Ask', scope: 'ask',
    summary: 'The same, told as it goes',
    description: 'Server-sent events: `status` {stage}, `plan` {fields, preset, reasoning}, `field` {name, result}, `delta` {text}, then one `final` (the body of /v1/ask) or `error` (the error object); each with `seq`. After a `status` with the stage `rewriting` the text begins anew.',
    body: AskRequest, examples, answers: { 200: Type.String() }, media: { 200: 'text/event-stream' }, refusals: [...refusals],
  }),
}

const askBody = bodyOf(AskRequest, (body) => [...questionFaults(body.question), ...locationFaults(body, ['body'])])

export const askRoutes = (app: App) =>
  new Elysia()
    .post('/v1/ask', async ({ request }) => {
      const account = allowing(request, 'ask', app.accounts)
      return app.ask.answer(await askBody(request), request, app.fetchContext(account, '/v1/ask'))
    }, { parse: 'none' })
    .post('/v1/ask/stream', async ({ request, set }) => {
      const account = allowing(request, 'ask', app.accounts)
      return askStream(app, account, await askBody(request), request, String(set.headers['x-request-id']))
    }, { parse: 'none' })

function questionFaults(question: unknown): Violation[] {
  if (typeof question !== 'string') return []
  if ([...question].length > questionMax_characters) return [violation('string_too_long', ['body', 'question'], `String should have at most ${questionMax_characters} characters`, question)]
  return question.trim() === '' ? [violation('string_too_short', ['body', 'question'], 'String should have at least 1 character', question)] : []
}
