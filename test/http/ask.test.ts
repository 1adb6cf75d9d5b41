import { afterAll, describe, expect, test } from 'bun:test'
import type { AskAnswer } from '../../src/ask/answer/ask-answer.ts'
import { openAskPipeline } from '../../src/ask/ask.ts'
import { allScopes } from '../../src/auth/scope.ts'
import type { Violation } from '../../src/model/error.ts'
import { eventsOf } from '../ask/model-service.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { withoutTimes } from '../support/without-times.ts'

const httpService = await openHttpService()
afterAll(httpService.close)

const miami = { lat: 25.79, lng: -80.13 }
const question = 'What county is this in, how far is the coast, and which airport is nearest?'
async function send(body: object): Promise<AskAnswer> {
  const response = await httpService.post('/v1/ask', body)
  expect(response.status).toBe(200)
  return (await response.json()) as AskAnswer
}

describe('a question without a model', () => {
  test('at Miami Beach is answered correctly, with a citation per source', async () => {
    const { answer, confidence, citations, data_gaps, fields, resolved_location } = await send({ question, ...miami })
    const lines = answer.split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toContain('Miami-Dade County')
    expect(lines[1]).toContain('tidal shoreline is 1,414 ft (431 m')
    expect(lines[2]).toContain('nearest public-use airport is MIAMI INTL, 9.99 mi (16.1 km)')
    expect(lines.map((line) => /\[(\d)\]\.$/.exec(line)?.[1])).toEqual(['1', '2', '3'])
    expect({ confidence, data_gaps, resolved_location }).toEqual({
      confidence: 'high',
      data_gaps: [],
      resolved_location: { ...miami, source: 'coordinate' },
    })
    expect(citations.map(({ id, source, fields }) => [id, source, fields])).toEqual([
      [1, 'census_tiger_counties', ['county']],
      [2, 'osm_coastline', ['coast_distance_m']],
      [3, 'bts_aviation_facilities', ['nearest_airport_name', 'nearest_airport_distance_m']],
    ])
    expect(Object.keys(fields).toSorted()).toEqual([
      'coast_distance_m',
      'county',
      'nearest_airport_distance_m',
      'nearest_airport_name',
    ])
  })

  test('has a trace only on request', async () => {
    expect(await send({ question, ...miami })).not.toHaveProperty('trace')
    expect(await send({ question, ...miami, include_trace: false })).not.toHaveProperty('trace')
    const { trace } = await send({ question: 'Tell me about this place', ...miami, include_trace: true })
    expect(trace).toMatchObject({
      planner_model: 'builtin',
      synthesizer_model: 'builtin',
      preset_expanded: 'place_context',
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    })
    expect(trace!.fields_requested).toEqual(
      httpService.testService.app.catalog.presets.get('place_context')!.fields.slice(0, 15),
    )
  })

  test('whose fields have no source on this server is still planned, and lists the gaps', async () => {
    const { answer, confidence, citations, data_gaps } = await send({ question: 'Is it in a flood zone?', ...miami })
    expect({ confidence, citations }).toEqual({ confidence: 'low', citations: [] })
    expect(data_gaps).toContainEqual({ field: 'fema_flood_zone', reason: 'offline_no_data' })
    expect(answer).toContain('Not available: the FEMA flood zone and ')
    expect(answer).toContain('This server has no local data for it and does not use the network.')
  })

  test('that is partly answered has medium confidence', async () => {
    expect((await send({ question: 'county and flood zone', ...miami })).confidence).toBe('medium')
  })

  test('that no catalog field answers says so', async () => {
    expect(await send({ question: 'What is the meaning of life?', ...miami })).toMatchObject({
      answer: expect.stringContaining('The catalog has no field'),
      confidence: 'low',
      citations: [],
      fields: {},
    })
  })
})

describe('a question is rejected', () => {
  const violations: [name: string, body: object, type: string, loc: string][] = [
    ['without a question', { ...miami }, 'missing', 'question'],
    ['that is no text', { question: 5, ...miami }, 'string_type', 'question'],
    ['that is blank', { question: ' \n', ...miami }, 'string_too_short', 'question'],
    ['of 2,001 characters', { question: '?'.repeat(2001), ...miami }, 'string_too_long', 'question'],
    ['without a longitude', { question, lat: 25.79 }, 'missing', 'lng'],
    [
      'with a trace that is no yes or no',
      { question, ...miami, include_trace: 'yes' },
      'bool_parsing',
      'include_trace',
    ],
  ]
  test.each(violations)('%s', async (_name, body, type, member) => {
    for (const path of ['/v1/ask', '/v1/ask/stream']) {
      const response = await httpService.post(path, body)
      const { detail } = (await response.json()) as { detail: Violation[] }
      expect(response.status).toBe(422)
      expect(detail.some((it) => it.type === type && it.loc.join('.') === `body.${member}`)).toBe(true)
    }
  })

  test('but not with 2,000 characters', async () => {
    expect((await httpService.post('/v1/ask', { question: '😀'.repeat(2000), ...miami })).status).toBe(200)
  })

  test('without a token', async () => {
    for (const path of ['/v1/ask', '/v1/ask/stream'])
      expect((await httpService.post(path, { question, ...miami }, { authorization: null })).status).toBe(401)
  })

  test.each([
    ['outside the United States', { lat: 48.85, lng: 2.35 }, 400, 'coord_out_of_bounds'],
    ['that is missing', {}, 422, 'invalid_locator'],
    ['with both locators', { ...miami, address: '1 Main St, Denver, CO' }, 422, 'invalid_locator'],
    ['of an address that names only a city', { address: 'Denver, CO' }, 404, 'address_too_coarse'],
  ] as const)('of a place %s, before the stream begins', async (_name, place, status, code) => {
    for (const path of ['/v1/ask', '/v1/ask/stream']) {
      const response = await httpService.post(path, { question, ...place })
      expect([response.status, (await detailOf(response)).error]).toEqual([status, code])
    }
  })
})

describe('a stream', () => {
  test('sends stages, plan, fields and text, and ends with the body of /v1/ask', async () => {
    const response = await httpService.post('/v1/ask/stream', { question, ...miami })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = await eventsOf(response)
    expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, i) => i + 1))
    expect(events.filter(({ event }) => event === 'status').map(({ data }) => data.stage)).toEqual([
      'locating',
      'planning',
      'fetching',
      'writing',
    ])
    const plan = events.find(({ event }) => event === 'plan')!.data
    expect(plan).toMatchObject({ preset: null, reasoning: expect.any(String) })
    expect(
      events
        .filter(({ event }) => event === 'field')
        .map(({ data }) => String(data.name))
        .toSorted(),
    ).toEqual((plan.fields as string[]).toSorted())
    const {
      event,
      data: { seq: _, ...final },
    } = events.at(-1)!
    const { answered_at: _at, ...answer } = withoutTimes(await send({ question, ...miami }))
    expect([event, withoutTimes(final)]).toEqual(['final', { ...answer, answered_at: expect.any(String) }])
    expect(
      events
        .filter(({ event }) => event === 'delta')
        .map(({ data }) => data.text)
        .join(''),
    ).toBe(String(final.answer))
  })
})

describe('a question that is not answered in time', () => {
  const ask = openAskPipeline({ models: null, unavailableReason: 'key_missing', isBuiltInAllowed: true, max_ms: 20 })
  const { app } = httpService.testService
  const never = () => new Promise<never>(() => {})
  const counter = app.fetchContext({ id: 'owner', name: 'owner', scopes: new Set(allScopes) })

  test('is ask_timeout with its current stage', async () => {
    const error = await ask
      .answer({ question, ...miami }, { signal: new AbortController().signal }, { ...counter, locate: never })
      .catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'ask_timeout',
      status: 504,
      retryable: true,
      detail: { stage: 'locating', retry_after_s: 5 },
    })
  })

  test('is ask_timeout also while it waits for admission', async () => {
    let turns = 0
    const admission = { ...counter.admission, run: <T>(work: () => Promise<T>) => (turns++ === 0 ? work() : never()) }
    const error = await ask
      .answer({ question, ...miami }, { signal: new AbortController().signal }, { ...counter, admission })
      .catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'ask_timeout', detail: { stage: 'fetching' } })
  })
})
