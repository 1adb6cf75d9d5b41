import { afterAll, describe, expect, test } from 'bun:test'
import { makeToken, tokenHash } from '../../src/auth/token.ts'
import { openAddressService } from './address-service.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const miami = { lat: 25.7907, lng: -80.13 }
const request = { locations: [denver, { lat: 0, lng: 0 }, miami], fields: ['county', 'elevation'] }
const wait = { prefer: 'wait=20' }

type Entry = {
  index: number
  ok: boolean
  fields?: Record<string, { value: unknown; status: string }>
  error?: { error: string; retryable: boolean; line?: number }
  original_index?: number
}
type Document = {
  run_id: string
  status: string
  retry_of: string | null
  name: string | null
  retryable_locations: number
  progress: unknown
  request: unknown
  result: { fetched_at: string; results: Entry[] } | null
  created_at: string
  expires_at: string
}

const submit = (body: unknown, headers: Record<string, string> = {}) => service.post('/v1/runs', body, headers)
const finished = async (body: unknown, headers: Record<string, string> = {}) =>
  (await (await submit(body, { ...wait, ...headers })).json()) as Document
const documentOf = async (id: string) => (await (await service.ask(`/v1/runs/${id}`)).json()) as Document

/** Returns a token of another account. */
async function createStrangerToken(): Promise<string> {
  const token = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))
  const { state } = service.testService
  await state.query(
    "INSERT INTO accounts (id, name, created_at) VALUES ('stranger', 'stranger', 0) ON CONFLICT DO NOTHING",
  )
  await state.query(
    "INSERT INTO tokens (account_id, hash, last_four, name, scopes, created_at) VALUES ('stranger', ?, 'last', 'x', 'fetch runs', 0)",
    tokenHash(token),
  )
  return token
}

describe('a submission', () => {
  test('is accepted with its id, status and links', async () => {
    const response = await submit({ kind: 'fetch_batch', request })
    const body = (await response.json()) as { run_id: string; status: string }
    expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/runs/${body.run_id}`])
    expect(body.run_id).toMatch(/^run_[0-9A-Z]{26}$/)
  })

  test('with Prefer: wait returns the finished document, with an entry for each location in order', async () => {
    const response = await submit({ kind: 'fetch_batch', request }, wait)
    const document = (await response.json()) as Document
    expect(response.status).toBe(200)
    expect(response.headers.get('preference-applied')).toBe('wait=20')
    expect(document.status).toBe('done')
    expect(document.progress).toEqual({ total: 3, done: 3, ok: 2, failed: 1 })
    expect(document.request).toEqual(request)
    expect(
      document.result!.results.map(({ index, ok, fields, error }) => [
        index,
        ok,
        fields?.county?.value ?? error?.error,
      ]),
    ).toEqual([
      [0, true, 'Denver County'],
      [1, false, 'coord_out_of_bounds'],
      [2, true, 'Miami-Dade County'],
    ])
    expect(await documentOf(document.run_id)).toEqual(document)
  })

  test('has the response of the single endpoint for each location', async () => {
    const { result } = await finished({ kind: 'fetch_batch', request: { ...request, preset: 'place_context' } })
    const single = (await (
      await service.post('/v1/fetch', { ...denver, fields: request.fields, preset: 'place_context' })
    ).json()) as Record<string, unknown>
    const settled = (it: unknown) =>
      JSON.parse(JSON.stringify(it), (name, value: unknown) =>
        name === 'fetched_at' ? undefined : typeof value === 'number' ? Number(value.toPrecision(6)) : value,
      ) as Record<string, unknown>
    expect(settled(result!.results[0])).toEqual({ index: 0, ok: true, ...settled(single) })
  })

  test('of geocodes and lookups has entries of their kinds', async () => {
    const geocoded = await finished({
      kind: 'geocode_batch',
      request: { inputs: ['Denver', '1600 Pennsylvania Avenue NW, Washington, DC 20500'] },
    })
    expect(geocoded.result!.results.map(({ ok, error }) => ok || error!.error)).toEqual([
      'address_too_coarse',
      'geocoder_not_configured',
    ])
    const looked = await finished({
      kind: 'lookup_batch',
      request: { inputs: ['39.7392, -104.9903', '-104.9903, 39.7392'] },
    })
    expect(
      looked.result!.results.map((it) => (it.ok ? (it as unknown as { county: string }).county : it.error!.error)),
    ).toEqual(['Denver County', 'resolve_coord_bounds'])
    expect(looked.request).toEqual({ inputs: ['39.7392, -104.9903', '-104.9903, 39.7392'] })
  })

  test('that repeats a field a hundred thousand times counts it once', async () => {
    const { request: stored } = await finished({
      kind: 'fetch_batch',
      request: { locations: [denver], fields: Array.from({ length: 100_000 }, () => 'county') },
    })
    expect(stored).toEqual({ locations: [denver], fields: ['county'] })
  })

  test('a invalid_locator and other errors in values are entries', async () => {
    const { result } = await finished({
      kind: 'fetch_batch',
      request: { locations: [{ ...denver, address: 'x' }, { address: 'Denver' }], fields: ['county'] },
    })
    expect(result!.results.map(({ error }) => error!.error)).toEqual(['invalid_locator', 'address_too_coarse'])
  })
})

describe('an invalid submission is rejected as a whole', () => {
  const whole = { kind: 'fetch_batch', request }
  test.each([
    ['missing', { request }, ['body', 'kind']],
    ['string_type', { kind: 5, request }, ['body', 'kind']],
    ['missing', { kind: 'fetch_batch' }, ['body', 'request']],
    ['model_type', { kind: 'fetch_batch', request: [] }, ['body', 'request']],
    ['missing', { kind: 'fetch_batch', request: { fields: ['county'] } }, ['body', 'request', 'locations']],
    ['missing', { kind: 'lookup_batch', request }, ['body', 'request', 'inputs']],
    ['too_short', { kind: 'fetch_batch', request: { ...request, locations: [] } }, ['body', 'request', 'locations']],
    [
      'too_long',
      { kind: 'fetch_batch', request: { ...request, locations: Array.from({ length: 10_001 }, () => denver) } },
      ['body', 'request', 'locations'],
    ],
    [
      'missing',
      { kind: 'fetch_batch', request: { ...request, locations: [denver, { lat: 1 }] } },
      ['body', 'request', 'locations', 1, 'lng'],
    ],
    [
      'float_parsing',
      { kind: 'fetch_batch', request: { ...request, locations: [{ lat: 'x', lng: 1 }] } },
      ['body', 'request', 'locations', 0, 'lat'],
    ],
    [
      'string_too_long',
      { kind: 'geocode_batch', request: { inputs: ['x'.repeat(257)] } },
      ['body', 'request', 'inputs', 0],
    ],
  ])('%s', async (type, body, loc) => {
    const response = await submit(body)
    expect(response.status).toBe(422)
    expect(
      ((await response.json()) as { detail: { type: string; loc: unknown[] }[] }).detail.map((it) => [it.type, it.loc]),
    ).toContainEqual([type, loc])
  })

  test.each([
    ['run_kind_unknown', { ...whole, kind: '__proto__' }],
    ['run_kind_unknown', { ...whole, kind: 'ask_batch' }],
    ['no_fields_requested', { kind: 'fetch_batch', request: { locations: [denver] } }],
    ['fields_unknown', { kind: 'fetch_batch', request: { locations: [denver], fields: ['slope'] } }],
    ['preset_unknown', { kind: 'fetch_batch', request: { locations: [denver], preset: 'x' } }],
  ])('%s', async (code, body) => {
    const response = await submit(body)
    expect([response.status, (await detailOf(response)).error]).toEqual([400, code])
  })

  test('a body above 32 MiB is rejected, and one of 2 MiB is not', async () => {
    expect(
      (
        await service.ask('/v1/runs', {
          method: 'POST',
          headers: { 'content-length': String(32 * 1_048_576 + 1) },
          body: '{}',
        })
      ).status,
    ).toBe(413)
    expect((await submit(JSON.stringify({ kind: 'fetch_batch', request }).padEnd(2_097_152))).status).toBe(202)
  })

  test('a body that is neither JSON nor CSV is rejected', async () =>
    expect((await submit('x', { 'content-type': 'text/plain' })).status).toBe(415))
})

describe('an Idempotency-Key', () => {
  test('with the same JSON is the same run, however it is formatted, and with another body is rejected', async () => {
    const [first, again] = [
      await submit({ kind: 'fetch_batch', request }, { 'idempotency-key': 'a' }),
      await submit(JSON.stringify({ kind: 'fetch_batch', request }, null, 2), { 'idempotency-key': 'a' }),
    ]
    const [one, two] = [(await first.json()) as Document, (await again.json()) as Document]
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.status).toBe(202)
    expect(one.run_id === two.run_id).toBe(true)
    const other = await submit(
      { kind: 'fetch_batch', request: { ...request, fields: ['state'] } },
      { 'idempotency-key': 'a' },
    )
    expect([other.status, (await detailOf(other)).error]).toEqual([409, 'idempotency_key_reused'])
  })

  test('with a large body is the same run too, and its location is unchanged', async () => {
    const body = JSON.stringify({ note: 'x'.repeat(2_000_000), kind: 'fetch_batch', request, more: [[1], {}] })
    const headers = { 'idempotency-key': 'large', prefer: 'wait=20' }
    const [first, again] = [await submit(body, headers), await submit(body.padEnd(2_500_000), headers)]
    const [one, two] = [(await first.json()) as Document, (await again.json()) as Document]
    expect([one.run_id === two.run_id, again.headers.get('idempotency-replayed')]).toEqual([true, 'true'])
    expect((one as unknown as { request: object }).request).toMatchObject(request)
  })

  test('sent many times at once creates one run', async () => {
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        async () =>
          (await (await submit({ kind: 'fetch_batch', request }, { 'idempotency-key': 'many' })).json()) as Document,
      ),
    )
    expect(new Set(answers.map(({ run_id }) => run_id)).size).toBe(1)
  })

  test("is its account's own", async () => {
    const key = { 'idempotency-key': 'mine' }
    const [mine, theirs] = [
      await submit({ kind: 'fetch_batch', request }, key),
      await submit(
        { kind: 'fetch_batch', request },
        { ...key, authorization: `Bearer ${await createStrangerToken()}` },
      ),
    ]
    expect([theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([202, null])
    expect(((await mine.json()) as Document).run_id).not.toBe(((await theirs.json()) as Document).run_id)
  })

  test.each(['', 'x'.repeat(256), 'a b'])('cannot be %j', async (key) =>
    expect((await submit({ kind: 'fetch_batch', request }, { 'idempotency-key': key })).status).toBe(422),
  )
})

const { run_id } = await finished({ kind: 'fetch_batch', request })

const foreign = { authorization: `Bearer ${await createStrangerToken()}` }

describe("a run of somebody else's, one that is unknown, and what is no id", () => {
  const ways: [string, string][] = [
    ['GET', ''],
    ['GET', '/events'],
    ['GET', '/artifacts/csv'],
    ['GET', '/artifacts/geojson'],
    ['GET', '/artifacts/parquet'],
    ['POST', '/cancel'],
    ['POST', '/retry'],
  ]
  const shapes = [
    'run_00000000000000000000000000',
    '..%2f..%2fetc%2fpasswd',
    'run_..',
    '__proto__',
    'constructor',
    '%00',
    "run_' OR 1=1",
    'x'.repeat(500),
  ]

  test.each(ways)('have the same 404 for %s %s', async (method, way) => {
    const answers = [
      await service.ask(`/v1/runs/${run_id}${way}`, { method, headers: foreign }),
      ...(await Promise.all(shapes.map((id) => service.ask(`/v1/runs/${id}${way}`, { method })))),
    ]
    const bodies = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))
    expect(bodies.filter(([status]) => status !== 404)).toEqual([])
    expect(new Set(bodies.map(([, text]) => text)).size).toBe(1)
  })

  test('are not in the list', async () => {
    const { items } = (await (await service.ask('/v1/runs', { headers: foreign })).json()) as { items: Document[] }
    expect(items.map((it) => it.run_id)).not.toContain(run_id)
  })
})

test('a token without the scope runs or the scope of the kind is rejected', async () => {
  const response = await submit({ kind: 'lookup_batch', request: { inputs: ['x'] } }, foreign)
  expect([response.status, (await detailOf(response)).required]).toEqual([403, ['lookup']])
})

test('the list has every run once, newest first, in pages', async () => {
  const all: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = (await (await service.ask(`/v1/runs?limit=3${cursor && `&cursor=${cursor}`}`)).json()) as {
      items: Document[]
      next_cursor: string | null
    }
    all.push(...page.items.map(({ run_id }) => run_id))
    cursor = page.next_cursor
  }
  const { items } = (await (await service.ask('/v1/runs?limit=100')).json()) as { items: Document[] }
  expect(all).toEqual(items.map(({ run_id }) => run_id))
  expect(all).toEqual(all.toSorted().toReversed())
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x'])
    expect((await service.ask(`/v1/runs?${query}`)).status).toBe(422)
})

describe('a finished run', () => {
  test('cannot be cancelled', async () => {
    const { run_id } = await finished({ kind: 'fetch_batch', request })
    const response = await service.ask(`/v1/runs/${run_id}/cancel`, { method: 'POST' })
    expect(response.status).toBe(409)
    expect(await detailOf(response)).toMatchObject({ error: 'run_not_cancellable', status: 'done' })
  })

  test('is retried without entries that would not improve', async () => {
    const own = await openAddressService()
    own.upstreams.fault({}, { status: 500 })
    const body = {
      kind: 'geocode_batch',
      name: 'offices',
      request: { inputs: ['Denver', '1600 Pennsylvania Avenue NW, Washington, DC 20500'] },
    }
    const { run_id } = (await (await own.post('/v1/runs', body, wait)).json()) as Document
    const retried = await own.ask(`/v1/runs/${run_id}/retry`, { method: 'POST', headers: wait })
    const made = (await retried.json()) as Document
    expect(made.retry_of).toBe(run_id)
    const account = { id: 'owner', name: 'owner', scopes: new Set<never>() }
    await own.testService.app.runs.waitUntilFinished(account, made.run_id, AbortSignal.timeout(20_000))
    const documents = await Promise.all(
      [run_id, made.run_id].map(async (id) => (await (await own.ask(`/v1/runs/${id}`)).json()) as Document),
    )
    expect(documents[1]!.result!.results).toMatchObject([
      { index: 0, original_index: 1, ok: false, error: { error: 'geocode_unavailable', retryable: true } },
    ])
    expect(documents.map(({ retryable_locations }) => retryable_locations)).toEqual([1, 1])
    expect(documents.map(({ name }) => name)).toEqual(['offices', 'offices'])
    await own.close()
  })

  test.each([
    ['of addresses without a geocoder', { kind: 'geocode_batch', request: { inputs: ['1 Main St, Denver, CO'] } }],
    ['of which nothing failed', { kind: 'lookup_batch', request: { inputs: ['Denver'] } }],
    [
      'of which a location failed for good',
      { kind: 'fetch_batch', request: { locations: [{ lat: 0, lng: 0 }], fields: ['county'] } },
    ],
    [
      'of which a field failed for good',
      { kind: 'fetch_batch', request: { locations: [denver], fields: ['elevation', 'county'] } },
    ],
  ])('%s cannot be retried, and no run is created', async (_what, body) => {
    const { run_id } = await finished(body)
    const response = await service.ask(`/v1/runs/${run_id}/retry`, { method: 'POST' })
    expect([response.status, await detailOf(response)]).toEqual([
      409,
      {
        error: 'run_not_retryable',
        message: expect.any(String),
        retryable: false,
        documentation_url: '/guide/errors#run_not_retryable',
        status: 'done',
      },
    ])
    const { items } = (await (await service.ask('/v1/runs?limit=1')).json()) as { items: Document[] }
    expect(items[0]).toMatchObject({ run_id, retryable_locations: 0 })
  })
})
