import { afterAll, describe, expect, test } from 'bun:test'
import type { AskAnswer } from '../../src/ask/answer/ask-answer.ts'
import { runModelStage } from '../../src/ask/planner/models.ts'
import { detailOf } from '../support/http-service.ts'
import type { ModelBehavior } from './messages-api.ts'
import { eventsOf, modelKey, miami, openModelService, question } from './model-service.ts'

const { api, service, close } = openModelService()
const strict = openModelService({ FIELDSTONE_ASK_BUILTIN: '0' })
afterAll(async () => {
  await close()
  await strict.close()
})

const plan = (fields: string[], more: object = {}): ModelBehavior => ({
  says: { fields, preset: null, answerable: true, reasoning: 'They answer it.', ...more },
  usage: { cache_creation_input_tokens: 11, cache_read_input_tokens: 7 },
})
const answer = (text: string, fields_used: string[]): ModelBehavior => ({ says: { answer: text, fields_used } })
const goodPlan = plan(['county', 'coast_distance_m'])
const goodAnswer = answer('It is in Miami-Dade County [1], about 430 m (0.27 mi) from the coast [2].', [
  'county',
  'coast_distance_m',
])

async function ask(more: object = {}, at = service): Promise<AskAnswer & { trace: NonNullable<AskAnswer['trace']> }> {
  const response = await at.post('/v1/ask', { question, ...miami, include_trace: true, ...more })
  expect(response.status).toBe(200)
  return (await response.json()) as AskAnswer & { trace: NonNullable<AskAnswer['trace']> }
}

describe('with a model', () => {
  test('the chosen fields are fetched, the text of the model is the answer, and the used fields are cited', async () => {
    api.play([goodPlan], [goodAnswer])
    const { answer, confidence, citations, data_gaps, fields, trace } = await ask()
    expect(answer).toBe('It is in Miami-Dade County [1], about 430 m (0.27 mi) from the coast [2].')
    expect({
      confidence,
      data_gaps,
      fields: Object.keys(fields),
      ids: citations.map(({ id, fields }) => [id, fields]),
    }).toEqual({
      confidence: 'high',
      data_gaps: [],
      fields: ['county', 'coast_distance_m'],
      ids: [
        [1, ['county']],
        [2, ['coast_distance_m']],
      ],
    })
    expect(trace).toEqual({
      planner_model: 'claude-haiku-5-5',
      synthesizer_model: 'claude-sonnet-5-5',
      planner_reasoning: 'They answer it.',
      fields_requested: ['county', 'coast_distance_m'],
      preset_expanded: null,
      latency_ms: {
        planner_ms: expect.any(Number),
        fetch_ms: expect.any(Number),
        synth_ms: expect.any(Number),
        total_ms: expect.any(Number),
      },
      cache_creation_input_tokens: 11,
      cache_read_input_tokens: 7,
    })
  })

  test('the catalog prompt is a cached block that never varies, the plan is structured, and prompts contain no secrets', async () => {
    api.play([goodPlan], [goodAnswer])
    await ask()
    const [first, second] = api.calls
    await ask()
    const system = first!.body.system as { text: string; cache_control?: object }[]
    expect(system[1]!.cache_control).toEqual({ type: 'ephemeral', ttl: '1h' })
    expect(system[1]!.text).toContain('coast | coast_distance_m | float | m |')
    expect(system[1]!.text).toMatch(/^site_selection: /m)
    expect(system[1]!.text).not.toContain('site_selection_full')
    expect(api.calls[2]!.body.system).toEqual(first!.body.system)
    expect(first!.body.output_config).toMatchObject({ format: { type: 'json_schema' } })
    expect(first!.model).toBe('claude-haiku-5-5')
    expect(first!.stream).toBe(false)
    expect(second!.model).toBe('claude-sonnet-5-5')
    expect(second!.stream).toBe(true)
    expect(api.calls.map(({ key }) => key)).toEqual([modelKey, modelKey, modelKey, modelKey])
    expect(JSON.stringify(api.calls.map(({ body }) => body))).not.toMatch(new RegExp(`${modelKey}|fst_pat_`))
    const { unavailable_fields } = JSON.parse((first!.body.messages as { content: string }[])[0]!.content) as {
      unavailable_fields: Record<string, string>
    }
    expect(unavailable_fields['no available source']).toContain('plant_hardiness_zone')
  })

  test('unknown field names are dropped, and at most fifteen fields are fetched', async () => {
    api.play(
      [
        plan([
          'secret_field',
          ...[...service.app.catalog.fields.values()]
            .filter(({ layer }) => layer === 'grid_reference')
            .map(({ name }) => name),
        ]),
      ],
      [answer('Nothing to say.', [])],
    )
    const { fields, citations } = await ask()
    expect(Object.keys(fields)).toHaveLength(15)
    expect(Object.keys(fields)).not.toContain('secret_field')
    expect(citations).toEqual([])
  })

  test('a preset of more than fifteen fields is cut to its first fifteen, and named', async () => {
    api.play([plan([], { preset: 'place_context' })], [answer('It is in FL [1].', ['state'])])
    const { trace } = await ask()
    expect(trace.preset_expanded).toBe('place_context')
    expect(trace.fields_requested).toEqual(service.app.catalog.presets.get('place_context')!.fields.slice(0, 15))
  })

  test('a source cited in the text has a citation even if the model did not list its field', async () => {
    api.play([goodPlan], [answer('It is in Miami-Dade County [1], 431 m from the coast [2].', ['county'])])
    expect((await ask()).citations.map(({ id, fields }) => [id, fields])).toEqual([
      [1, ['county']],
      [2, ['coast_distance_m']],
    ])
  })

  test('a number that is not a fetched value lowers the confidence to low', async () => {
    api.play([goodPlan], [answer('The coast is 990 m away [2].', ['coast_distance_m'])])
    expect((await ask()).confidence).toBe('low')
  })

  test.each([
    'The coast is five miles away [2].',
    'There are seven beaches within a mile [2].',
    'It is two dozen miles from the coast [2].',
  ])('so does a number in words: %s', async (text) => {
    api.play([goodPlan], [answer(text, ['coast_distance_m'])])
    expect((await ask()).confidence).toBe('low')
  })

  test.each([
    'The coast is a quarter of a mile away [2], one of the nearest.',
    'At first sight the two differ: the county is large, and the coast is near, at 431 m [2].',
  ])('a number in words that matches a value, or states no quantity, does not: %s', async (text) => {
    api.play([goodPlan], [answer(text, ['coast_distance_m'])])
    expect((await ask()).confidence).toBe('high')
  })

  test('a preset of up to fifteen fields is used completely, with the other chosen fields; an unknown preset is dropped', async () => {
    api.play([plan(['county', 'timezone'], { preset: 'terrain' })], [answer('Nothing to say.', [])])
    const { fields } = service.app.catalog.presets.get('terrain')!
    expect((await ask()).trace).toMatchObject({
      preset_expanded: 'terrain',
      fields_requested: [...fields, 'county', 'timezone'],
    })
    api.play([plan(['county'], { preset: 'secret_preset' })], [answer('Nothing to say.', [])])
    const { trace } = await ask()
    expect(trace.fields_requested).toEqual(['county'])
    expect(trace.preset_expanded).toBeNull()
  })

  test('cache tokens of both calls are added up', async () => {
    api.play(
      [goodPlan],
      [
        {
          says: { answer: 'It is in Miami-Dade County [1].', fields_used: ['county'] },
          usage: { cache_creation_input_tokens: 100, cache_read_input_tokens: 1000 },
        },
      ],
    )
    expect((await ask()).trace).toMatchObject({ cache_creation_input_tokens: 111, cache_read_input_tokens: 1007 })
  })

  test('the values in the prompt have unit, status, vintage and hints, and missing ones have a reason', async () => {
    api.play(
      [plan(['county', 'fema_flood_zone', 'coast_distance_m'])],
      [answer('It is in Miami-Dade County [1].', ['county'])],
    )
    await ask()
    const { question: put, values } = JSON.parse(
      (api.calls[1]!.body.messages as { content: string }[])[0]!.content,
    ) as { question: string; values: Record<string, unknown>[] }
    expect(put).toBe(question)
    expect(values).toMatchObject([
      {
        field: 'county',
        value: 'Miami-Dade County',
        status: 'ok',
        unit: null,
        dataset_vintage: 'boundaries of 2010 with the changes to 2023',
        hints: expect.any(String),
        source: 1,
      },
      { field: 'fema_flood_zone', value: null, status: 'failed', error: expect.any(String), source: null },
      { field: 'coast_distance_m', status: 'ok', unit: 'm', source: 2 },
    ])
  })

  test('fetched fields that the model does not use are not cited', async () => {
    api.play([goodPlan], [answer('It is in Miami-Dade County [1].', ['county'])])
    const { citations, fields } = await ask()
    expect(citations.map(({ fields }) => fields)).toEqual([['county']])
    expect(Object.keys(fields)).toEqual(['county', 'coast_distance_m'])
  })

  test('nothing is fetched when the model says that no field answers the question', async () => {
    api.play([plan([], { answerable: false })], [])
    expect(await ask({ question: 'Who won the match?' })).toMatchObject({
      confidence: 'low',
      citations: [],
      fields: {},
      trace: { planner_model: 'claude-haiku-5-5', fields_requested: [] },
    })
  })

  test('unknown citations, tags, links and images are removed from its text', async () => {
    api.play(
      [goodPlan],
      [answer('County <b>Miami-Dade</b> [1][9] ![x](http://evil.example/a) see https://evil.example.', ['county'])],
    )
    expect((await ask()).answer).toBe('County Miami-Dade [1] x see (link removed)')
  })
})

describe('a model that fails once', () => {
  test.each([429, 500, 529] as const)('with %d is called a second time', async (fails) => {
    api.play([{ fails }, goodPlan], [{ fails }, goodAnswer])
    expect((await ask()).trace).toMatchObject({
      planner_model: 'claude-haiku-5-5',
      synthesizer_model: 'claude-sonnet-5-5',
    })
    expect(api.calls).toHaveLength(4)
  })
})

const failing: [name: string, behaviour: ModelBehavior, reason: string][] = [
  ['answers 429 again', { fails: 429 }, 'rate_limited'],
  ['answers 500 again', { fails: 500 }, 'upstream_5xx'],
  ['is overloaded again', { fails: 529 }, 'overloaded'],
  ['refuses the key', { fails: 401 }, 'upstream_rejected'],
  ['refuses the question', { says: '', stop: 'refusal' }, 'refused'],
  ['answers garbage', { says: 'I think {not json' }, 'bad_response'],
  ['answers other JSON', { says: { hello: 1 } }, 'bad_response'],
  ['leads elsewhere', { fails: 'redirects' }, 'connection_failed'],
  ['compresses its answer', { fails: 'compresses' }, 'connection_failed'],
  ['is cut off at its longest', { says: '{"fields":["county"],"reas', stop: 'max_tokens' }, 'bad_response'],
]

describe('a model that', () => {
  test.each(failing)('%s while planning is replaced by the built-in', async (_name, behaviour) => {
    api.play([behaviour], [goodAnswer])
    const { trace, fields } = await ask()
    expect(trace.planner_model).toBe('builtin')
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(['county', 'coast_distance_m', 'nearest_airport_name']))
    expect(api.calls.filter(({ stream }) => !stream).length).toBeLessThanOrEqual(2)
  })

  test.each(failing)('%s while writing is replaced by the template', async (_name, behaviour) => {
    api.play([goodPlan], [behaviour])
    const { trace, answer } = await ask()
    expect([trace.planner_model, trace.synthesizer_model]).toEqual(['claude-haiku-5-5', 'builtin'])
    expect(answer).toContain('Miami-Dade County')
  })

  test.each(failing)('%s causes ask_unavailable when the built-in is not allowed', async (_name, behaviour, reason) => {
    strict.api.play([behaviour], [goodAnswer])
    const response = await strict.service.post('/v1/ask', { question, ...miami })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await detailOf(response)).toMatchObject({ error: 'ask_unavailable', reason, retryable: true })
  })

  test('is overloaded in the middle of an answer is replaced, and the stream withdraws the text', async () => {
    api.play([goodPlan], [{ breaksAfter: '{"answer":"It is in Miami-Dade ' }])
    const events = await eventsOf(await service.post('/v1/ask/stream', { question, ...miami, include_trace: true }))
    const again = events.findIndex(({ data }) => data.stage === 'rewriting')
    const text = events
      .slice(again)
      .filter(({ event }) => event === 'delta')
      .map(({ data }) => data.text)
      .join('')
    expect(again).toBeGreaterThan(0)
    expect(events.at(-1)).toMatchObject({
      event: 'final',
      data: { answer: text, trace: { synthesizer_model: 'builtin' } },
    })
  })
})

test('a model whose answer ends early without an error is replaced', async () => {
  api.play([goodPlan], [{ endsAfter: '{"answer":"It is in Miami-Dade County [1], and ' }])
  expect(await ask()).toMatchObject({
    answer: expect.stringContaining('431 m'),
    trace: { synthesizer_model: 'builtin' },
  })
})

test('the deltas of a model make up its answer', async () => {
  api.play([goodPlan], [goodAnswer])
  const events = await eventsOf(await service.post('/v1/ask/stream', { question, ...miami }))
  const deltas = events.filter(({ event }) => event === 'delta')
  expect(deltas.length).toBeGreaterThan(3)
  expect(deltas.map(({ data }) => data.text).join('')).toBe(String(events.at(-1)!.data.answer))
})

test('a client that disconnects aborts the model call', async () => {
  api.play([{ fails: 'hangs' }], [])
  const controller = new AbortController()
  const asking = service.send('/v1/ask', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question, ...miami }),
    signal: controller.signal,
  })
  while (api.calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
  controller.abort()
  expect((await asking).status).toBe(499)
  while (!api.calls[0]!.aborted.aborted) await new Promise((resolve) => setImmediate(resolve))
  expect(api.calls).toHaveLength(1)
})

test('a client that leaves the stream aborts the model call', async () => {
  api.play([{ fails: 'hangs' }], [])
  const response = await service.post('/v1/ask/stream', { question, ...miami })
  while (api.calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await response.body!.cancel()
  while (!api.calls[0]!.aborted.aborted) await new Promise((resolve) => setImmediate(resolve))
  expect(api.calls).toHaveLength(1)
})

describe('a stage of a model', () => {
  const never = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))))

  test('times out at its limit', async () => {
    expect(await runModelStage(5, new AbortController().signal, never).catch((error: unknown) => error)).toMatchObject({
      reason: 'timeout',
    })
  })

  test('ends with the abort reason of its caller', async () => {
    const controller = new AbortController()
    const work = runModelStage(60_000, controller.signal, never)
    controller.abort(new Error('gone'))
    expect(await work.catch((error: unknown) => error)).toMatchObject({ message: 'gone' })
  })
})

test('no log entry contains the key, and a model failure is logged with its reason', () => {
  expect(service.logged.some((line) => /"event":"model_failed".*"reason":"rate_limited"/.test(line))).toBe(true)
  expect([...service.logged, ...strict.service.logged].filter((line) => line.includes(modelKey))).toEqual([])
})
