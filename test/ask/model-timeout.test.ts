import { afterAll, describe, expect, test } from 'bun:test'
import type { AskAnswer } from '../../src/ask/answer/ask-answer.ts'
import { detailOf } from '../support/http-service.ts'
import type { ModelBehavior } from './messages-api.ts'
import { eventsOf, miami, openModelService, question, waitUntil } from './model-service.ts'

const { api, withTimeLimits, close } = openModelService()
afterAll(close)

const goodPlan: ModelBehavior = {
  says: { fields: ['county', 'coast_distance_m'], preset: null, answerable: true, reasoning: 'They answer it.' },
}
const unfinishedAnswer = '{"answer":"It is in Miami-Dade County [1], and that is what I was about to '
const body = JSON.stringify({ question, ...miami, include_trace: true })
type Events = Awaited<ReturnType<typeof eventsOf>>

type Limit = 'max_ms' | 'planner_ms' | 'synthesizer_ms'
type Ask<Answer> = (post: ReturnType<typeof withTimeLimits>) => Promise<Answer>

/** Asks with longer and longer limits, until a busy machine has the time to reach the call that then stalls. */
async function stalledAnswer<Answer>(
  calls: Parameters<typeof api.play>,
  limit: Limit,
  ask: Ask<Answer>,
  hasStalled: (answer: Answer) => boolean,
): Promise<Answer> {
  for (let limit_ms = 400; ; limit_ms *= 2) {
    api.play(...calls)
    const answer = await ask(withTimeLimits({ [limit]: limit_ms }))
    if (hasStalled(answer)) return answer
  }
}
const answerOf: Ask<Response> = (post) => post('/v1/ask', { body })

describe('a model that stalls in the middle of an answer', () => {
  const calls = [[goodPlan], [{ stallsAfter: unfinishedAnswer }]] satisfies Parameters<typeof api.play>
  const stalledEvents = (limit: Limit) =>
    stalledAnswer<Events>(
      calls,
      limit,
      async (post) => eventsOf(await post('/v1/ask/stream', { body })),
      (events) => events.some(({ event }) => event === 'delta'),
    )

  test('until the time limit causes ask_timeout with the stage and Retry-After, and its call is closed', async () => {
    const response = await stalledAnswer(calls, 'max_ms', answerOf, () => api.calls.length === 2)
    expect([response.status, response.headers.get('retry-after'), await detailOf(response)]).toMatchObject([
      504,
      '5',
      { error: 'ask_timeout', stage: 'writing', retryable: true, retry_after_s: 5 },
    ])
    await waitUntil(() => api.calls.every(({ stream, aborted }) => !stream || aborted.aborted))
    expect(api.calls.map(({ stream }) => stream)).toEqual([false, true])
  })

  test('ends the stream with an error event after its text so far', async () => {
    const events = await stalledEvents('max_ms')
    expect(
      events
        .filter(({ event }) => event === 'delta')
        .map(({ data }) => data.text)
        .join(''),
    ).toStartWith('It is in Miami-Dade County [1]')
    expect(events.at(-1)).toMatchObject({
      event: 'error',
      data: { error: 'ask_timeout', stage: 'writing', retryable: true, retry_after_s: 5, seq: events.length },
    })
    expect(events.filter(({ event }) => event === 'final' || event === 'error')).toHaveLength(1)
    await waitUntil(() => api.calls.every(({ stream, aborted }) => !stream || aborted.aborted))
  })

  test('past its stage limit is replaced by the built-in, and the stream withdraws the text', async () => {
    const events = await stalledEvents('synthesizer_ms')
    expect(events.filter(({ data }) => data.stage === 'rewriting')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      event: 'final',
      data: {
        answer: expect.stringContaining('431 m'),
        trace: { planner_model: 'claude-haiku-5-5', synthesizer_model: 'builtin' },
      },
    })
    await waitUntil(() => api.calls.at(-1)!.aborted.aborted)
  })
})

describe('a model that stalls while planning', () => {
  const written = { says: { answer: 'It is in Miami-Dade County [1].', fields_used: ['county'] } }
  const stalledPlan = (limit: Limit) =>
    stalledAnswer([[{ fails: 'hangs' }], [written]], limit, answerOf, () => api.calls[0]?.stream === false)

  test('until the time limit causes ask_timeout at stage planning', async () => {
    const response = await stalledPlan('max_ms')
    expect([response.status, await detailOf(response)]).toMatchObject([
      504,
      { error: 'ask_timeout', stage: 'planning' },
    ])
    await waitUntil(() => api.calls[0]!.aborted.aborted)
  })

  test('past its stage limit is replaced by the built-in', async () => {
    const answer = (await (await stalledPlan('planner_ms')).json()) as AskAnswer
    expect(answer).toMatchObject({
      answer: 'It is in Miami-Dade County [1].',
      trace: { planner_model: 'builtin', synthesizer_model: 'claude-sonnet-5-5' },
    })
    await waitUntil(() => api.calls[0]!.aborted.aborted)
  })
})
