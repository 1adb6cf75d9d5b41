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
const max_ms = 1200

describe('a model that stalls in the middle of an answer', () => {
  const post = withTimeLimits({ max_ms })

  test('until the time limit causes ask_timeout with the stage and Retry-After, and its call is closed', async () => {
    api.play([goodPlan], [{ stallsAfter: unfinishedAnswer }])
    const response = await post('/v1/ask', { body })
    expect([response.status, response.headers.get('retry-after'), await detailOf(response)]).toMatchObject([
      504,
      '5',
      { error: 'ask_timeout', stage: 'writing', retryable: true, retry_after_s: 5 },
    ])
    await waitUntil(() => api.calls.every(({ stream, aborted }) => !stream || aborted.aborted))
    expect(api.calls.map(({ stream }) => stream)).toEqual([false, true])
  })

  test('ends the stream with an error event after its text so far', async () => {
    api.play([goodPlan], [{ stallsAfter: unfinishedAnswer }])
    const events = await eventsOf(await post('/v1/ask/stream', { body }))
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
    api.play([goodPlan], [{ stallsAfter: unfinishedAnswer }])
    const events = await eventsOf(await withTimeLimits({ synthesizer_ms: 100 })('/v1/ask/stream', { body }))
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
  test('until the time limit causes ask_timeout at stage planning', async () => {
    api.play([{ fails: 'hangs' }], [])
    const response = await withTimeLimits({ max_ms })('/v1/ask', { body })
    expect([response.status, await detailOf(response)]).toMatchObject([
      504,
      { error: 'ask_timeout', stage: 'planning' },
    ])
    await waitUntil(() => api.calls[0]!.aborted.aborted)
  })

  test('past its stage limit is replaced by the built-in', async () => {
    api.play([{ fails: 'hangs' }], [{ says: { answer: 'It is in Miami-Dade County [1].', fields_used: ['county'] } }])
    const answer = (await (await withTimeLimits({ planner_ms: 100 })('/v1/ask', { body })).json()) as AskAnswer
    expect(answer).toMatchObject({
      answer: 'It is in Miami-Dade County [1].',
      trace: { planner_model: 'builtin', synthesizer_model: 'claude-sonnet-5-5' },
    })
    await waitUntil(() => api.calls[0]!.aborted.aborted)
  })
})
