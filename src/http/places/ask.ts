import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { unitSystems } from '../../ask/answer/display-units.ts'
import { AskAnswer } from '../../ask/answer/ask-answer.ts'
import type { AskInput } from '../../ask/ask.ts'
import { hasMoreCodePoints } from '../../model/text.ts'
import type { Violation } from '../../model/error.ts'
import type { LocatedPlace } from '../../place/locate.ts'
import { createBodyReader } from '../request/json-body.ts'
import { errorResponseOf } from '../request/errors.ts'
import { geocodeErrorCodes } from './geocode.ts'
import { accountOf, readerOf } from '../request/guard.ts'
import { locationRequestProperties, locationViolations } from './location.ts'
import { literals } from '../../model/schema.ts'
import { defineOperations } from '../request/operation.ts'
import { eventStreamResponse } from '../request/sse.ts'
import { createViolation } from '../request/violations.ts'

export const questionMax_characters = 2000

const AskRequest = Type.Object({
  question: Type.String({
    description: `A question about the place, at most ${questionMax_characters} characters.`,
  }),
  ...locationRequestProperties,
  units: Type.Optional(
    literals(unitSystems, {
      description: 'Which units the text of the answer states first. Default us. Values are not affected.',
    }),
  ),
  include_trace: Type.Optional(Type.Boolean({ description: 'Whether to include the trace. Default false.' })),
})

const examples = {
  miami_beach: {
    question: 'What county is this in, how far is the coast, and which airport is nearest?',
    lat: 25.79,
    lng: -80.13,
  },
}
const askErrorCodes = [
  'invalid_locator',
  'coord_out_of_bounds',
  'fetch_busy',
  'ask_timeout',
  'ask_unavailable',
  ...geocodeErrorCodes,
] as const

export const askOperations = defineOperations('Ask', {
  'POST /v1/ask': {
    scope: 'ask',
    summary: 'Ask a question about one place',
    description:
      'Answers in plain text from at most 15 fetched fields. Each [n] in the answer refers to a citation. data_gaps lists the fields without a value.',
    body: AskRequest,
    examples,
    responses: { 200: AskAnswer },
    errorCodes: [...askErrorCodes],
  },
  'POST /v1/ask/stream': {
    scope: 'ask',
    summary: 'Ask a question and stream the answer',
    description:
      'Server-sent events: `status` {stage}, `plan` {fields, preset, reasoning}, `field` {name, result}, `delta` {text}, then one `final` (the body of /v1/ask) or `error` (the error object). Each has `seq`. A location that cannot be answered is an HTTP error before the stream. After a `status` with the stage `rewriting` the text starts again from the beginning.',
    body: AskRequest,
    examples,
    responses: { 200: Type.String() },
    media: { 200: 'text/event-stream' },
    errorCodes: [...askErrorCodes],
  },
})

const readAskBody = createBodyReader(AskRequest, (body) => [
  ...questionViolations(body.question),
  ...locationViolations(body, ['body']),
])

export const askRoutes = (app: App) =>
  new Elysia()
    .post('/v1/ask', async ({ request }) => {
      const account = accountOf(request)
      return app.ask.answer(await readAskBody(request), request, app.fetchContext(account, '/v1/ask'))
    })
    .post('/v1/ask/stream', async ({ request, set }) => {
      const input = await readAskBody(request)
      // A wrong place is an error of HTTP. After the first event, it could only be an event.
      const place = await app.ask.locate(input, request, app.fetchContext(accountOf(request), '/v1/ask/stream'))
      return askStream(app, { ...input, place }, request, String(set.headers['x-request-id']))
    })

/** Streams the events of an answer, then one `final` or one `error`. The work ends when the client disconnects. */
function askStream(
  app: App,
  input: AskInput & { place: LocatedPlace },
  request: Request,
  request_id: string,
): Response {
  const account = accountOf(request)
  return eventStreamResponse(request, readerOf(request), (events) => {
    const abortController = new AbortController()
    let seq = 0
    const emit = (event: string, payload: object) => {
      seq++
      events.send(event, seq, JSON.stringify({ ...payload, seq }))
    }
    const answerQuestion = async () => {
      try {
        emit(
          'final',
          await app.ask.answer(
            input,
            { signal: abortController.signal },
            app.fetchContext(account, '/v1/ask/stream'),
            ({ event, ...payload }) => {
              if (!abortController.signal.aborted) emit(event, payload)
            },
          ),
        )
      } catch (error) {
        if (abortController.signal.aborted) return
        emit('error', errorResponseOf(error, request_id, app.log).body.detail as object)
      }
      events.end()
    }
    void answerQuestion()
    return () => abortController.abort(new DOMException('The client disconnected.', 'AbortError'))
  })
}

function questionViolations(question: unknown): Violation[] {
  if (typeof question !== 'string') return []
  if (hasMoreCodePoints(question, questionMax_characters))
    return [
      createViolation(
        'string_too_long',
        ['body', 'question'],
        `String should have at most ${questionMax_characters} characters`,
        question,
      ),
    ]
  return question.trim() === ''
    ? [createViolation('string_too_short', ['body', 'question'], 'String should have at least 1 character', question)]
    : []
}
