import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'

const upstreams = openUpstreams()
const service = await openHttpService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url })
afterEach(() => upstreams.heal())
afterAll(async () => {
  await service.close()
  upstreams.close()
})

const denver = [39.7392, -104.9903] as const
const miamiBeach = [25.7907, -80.13] as const
const local = '?fields=county,timezone'
const denverObject = {
  ok: true,
  lat: denver[0],
  lng: denver[1],
  error: null,
  county: 'Denver County',
  timezone: 'America/Denver',
  failed_fields: [],
}

/** The headers that Snowflake documents for a call. */
const snowflakeHeaders = (batchId: string) => ({
  'sf-external-function-format': 'json',
  'sf-external-function-format-version': '1.0',
  'sf-external-function-current-query-id': '01a3b7f2-0000-0000-0000-000000000001',
  'sf-external-function-query-batch-id': batchId,
  'sf-external-function-name': 'FIELDS_AT',
  'sf-external-function-signature': '(LAT FLOAT, LNG FLOAT)',
  'sf-external-function-return-type': 'VARIANT',
})

/** A call as BigQuery documents it. */
const bigQueryCall = (...calls: unknown[][]) => ({
  requestId: '124ab1c',
  caller: '//bigquery.googleapis.com/projects/my-project/jobs/my-project:US.bquxjob_5b4c112c_17961fafeaf',
  sessionUser: 'test-user@test-company.com',
  userDefinedContext: { key1: 'value1' },
  calls,
})

/** A call as Redshift documents it. */
const redshiftCall = (...rows: unknown[][]) => ({
  request_id: '23FF1F97-F28A-44AA-AB67-266ED976BF40',
  cluster: 'arn:aws:redshift:us-east-1:123456789012:cluster:examples',
  user: 'adminuser',
  database: 'db1',
  external_function: 'public.fields_at',
  query_id: 5_678_234,
  num_records: rows.length,
  arguments: rows,
})

const answerOf = async (response: Response) => {
  expect(response.status).toBe(200)
  return (await response.json()) as { data: [number, Record<string, unknown> | null][] } & Record<string, unknown>
}
const snowflake = (rows: unknown[][], query = local, headers = {}) =>
  service.post(
    `/v1/functions/snowflake${query}`,
    { data: rows.map((row, i) => [i, ...row]) },
    { ...snowflakeHeaders('batch'), ...headers },
  )

describe('The form of each engine', () => {
  test('Snowflake gets the rows in order, each with its number and an object', async () => {
    const { data } = await answerOf(await snowflake([denver, miamiBeach].map((at) => [...at])))
    expect(data).toEqual([
      [0, denverObject],
      [1, expect.objectContaining({ county: 'Miami-Dade County', timezone: 'America/New_York' })],
    ])
  })

  test('BigQuery gets the objects as JSON text', async () => {
    const { replies, ...others } = await answerOf(
      await service.post(`/v1/functions/bigquery${local}`, bigQueryCall([...denver], [null, 1])),
    )
    expect(others).toEqual({} as never)
    expect(replies).toEqual([expect.any(String), null])
    expect(JSON.parse((replies as string[])[0]!)).toEqual(denverObject)
  })

  test('Redshift gets the objects as JSON text, their number, and success', async () => {
    const reply = await answerOf(
      await service.post(`/v1/functions/redshift${local}`, redshiftCall([...denver], [null, null])),
    )
    expect(reply).toEqual({ success: true, num_records: 2, results: [expect.any(String), null] } as never)
    expect(JSON.parse((reply.results as string[])[0]!)).toEqual(denverObject)
  })
})

describe('The rows', () => {
  test('A row with a NULL argument has the value NULL, and a number may be text', async () => {
    const { data } = await answerOf(
      await snowflake([
        [null, -104.9903],
        ['39.7392', '-104.9903'],
      ]),
    )
    expect(data).toEqual([
      [0, null],
      [1, denverObject],
    ])
  })

  test('A row that fails does not fail the others', async () => {
    const { data } = await answerOf(await snowflake([[0, 0], ['north', -105], [...denver]]))
    const failed = { ok: false, county: null, failed_fields: ['county', 'timezone'] }
    expect(data).toEqual([
      [0, expect.objectContaining({ ...failed, error: 'coord_out_of_bounds' })],
      [1, expect.objectContaining({ ...failed, error: 'row_invalid' })],
      [2, denverObject],
    ])
  })

  test('A failed field is in failed_fields, and include=reasons says why', async () => {
    upstreams.fault({}, { status: 500 })
    const { data } = await answerOf(
      await snowflake([[...denver]], '?fields=county,nearest_wind_turbine_distance_m&include=reasons'),
    )
    expect(data[0]![1]).toMatchObject({
      county: 'Denver County',
      county_status: 'ok',
      nearest_wind_turbine_distance_m: null,
      failed_fields: ['nearest_wind_turbine_distance_m'],
      nearest_wind_turbine_distance_m_status: 'failed',
      nearest_wind_turbine_distance_m_reason: 'upstream_5xx',
    })
  })

  test('An address is geocoded, and its object has the accuracy', async () => {
    const { data } = await answerOf(await snowflake([['1600 Pennsylvania Ave NW, Washington, DC 20500'], ['Denver']]))
    expect(data[0]![1]).toMatchObject({ ok: true, geocode_provider: expect.any(String), lat: expect.any(Number) })
    expect(data[1]![1]).toMatchObject({ ok: false, error: 'address_too_coarse' })
  })

  test('5,000 rows of local fields are one call, and 5,001 are rejected', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => [39 + i / 5_000, -105])
    const { data } = await answerOf(await snowflake(rows))
    expect(data.map(([number]) => number)).toEqual(rows.map((_, i) => i))
    expect(data.every(([, object]) => object?.ok === true)).toBe(true)
    expect((await snowflake([...rows, [...denver]])).status).toBe(422)
  })

  test('The locations count toward the daily quota', async () => {
    const limited = await openHttpService({ FIELDSTONE_DAILY_QUOTA: '3' })
    const call = (rows: number) =>
      limited.post(`/v1/functions/bigquery${local}`, bigQueryCall(...Array.from({ length: rows }, () => [...denver])))
    expect((await call(2)).status).toBe(200)
    const rejected = await call(2)
    expect(rejected.status).toBe(429)
    expect(await rejected.json()).toMatchObject({ errorMessage: expect.stringMatching(/^quota_exceeded: /) })
    await limited.close()
  })
})

describe('More rows than a batch has, with fields that need other servers', () => {
  const many = Array.from({ length: 30 }, (_, i) => (i === 7 ? [null, 1] : [40 + i / 1000, -105.27]))
  const remote = '?fields=county,nearest_wind_turbine_distance_m'

  test('become a run that Snowflake polls for, once for each batch id', async () => {
    const first = await snowflake(many, remote, { ...snowflakeHeaders('batch-1'), prefer: 'wait=0' })
    expect(first.status).toBe(202)
    const { run_id } = (await first.json()) as { run_id: string }
    const again = await snowflake(many, remote, { ...snowflakeHeaders('batch-1'), prefer: 'wait=0' })
    if (again.status === 202) expect(await again.json()).toMatchObject({ run_id })
    await (await service.ask(`/v1/runs/${run_id}/events`)).text()
    const polled = await service.ask(`/v1/functions/snowflake${remote}`, { headers: snowflakeHeaders('batch-1') })
    const { data } = await answerOf(polled)
    expect(data.map(([number]) => number)).toEqual(many.map((_, i) => i))
    expect(data[7]![1]).toBeNull()
    expect(data[8]![1]).toMatchObject({
      ok: true,
      nearest_wind_turbine_distance_m: expect.any(Number),
      failed_fields: [],
    })
    const runs = (await (await service.ask('/v1/runs')).json()) as { items: { run_id: string }[] }
    expect(runs.items.map((run) => run.run_id)).toEqual([run_id])
  })

  test('are answered at once if the run ends soon', async () => {
    const { data } = await answerOf(await snowflake(many, remote, snowflakeHeaders('batch-2')))
    expect(data).toHaveLength(30)
  })

  test('with a batch id of other rows are rejected', async () => {
    await snowflake(many, remote, snowflakeHeaders('batch-3'))
    expect((await snowflake(many.slice(1), remote, snowflakeHeaders('batch-3'))).status).toBe(409)
  })

  test.each([
    ['bigquery', bigQueryCall(...many), 'errorMessage', 'max_batching_rows'],
    ['redshift', redshiftCall(...many), 'error_msg', 'MAX_BATCH_ROWS'],
  ])('are too many for %s, and the error names the setting of the function', async (engine, call, member, setting) => {
    const response = await service.post(`/v1/functions/${engine}${remote}`, call)
    expect(response.status).toBe(422)
    expect((await response.json()) as never).toMatchObject({ [member]: expect.stringContaining(`Set ${setting}`) })
  })
})

describe('Errors are where the engine looks for them, beside our own', () => {
  const errors: [query: string, body: object, status: number, message: RegExp][] = [
    ['?fields=elevaton', {}, 400, /fields_unknown: .*Did you mean "elevation"/],
    ['', {}, 400, /no_fields_requested/],
    [local, { calls: [[1, 2, 3]], arguments: [[1, 2, 3]] }, 422, /a latitude and a longitude, or an address/],
    [`${local}&include=everything`, {}, 422, /include/],
    [`${local}&feilds=county`, {}, 422, /Did you mean `fields`/],
  ]
  test.each(errors)('BigQuery and Redshift: %s', async (query, body, status, message) => {
    const bigQuery = await service.post(`/v1/functions/bigquery${query}`, { ...bigQueryCall([...denver]), ...body })
    expect(bigQuery.status).toBe(status)
    expect(await bigQuery.json()).toMatchObject({
      detail: expect.anything(),
      errorMessage: expect.stringMatching(message),
    })
    const redshift = await service.post(`/v1/functions/redshift${query}`, { ...redshiftCall([...denver]), ...body })
    expect(await redshift.json()).toMatchObject({ success: false, error_msg: expect.stringMatching(message) })
  })

  test('A missing token is 401 in all forms', async () => {
    const response = await service.post(`/v1/functions/bigquery${local}`, bigQueryCall([...denver]), {
      authorization: null,
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ errorMessage: expect.stringMatching(/^auth_missing: /) })
  })

  test('Rows of Snowflake that are not numbered from 0 are rejected', async () => {
    const response = await service.post(`/v1/functions/snowflake${local}`, { data: [[1, ...denver]] })
    expect(response.status).toBe(422)
  })

  test('Polling needs the id of a batch that became a run', async () => {
    expect((await service.ask(`/v1/functions/snowflake${local}`)).status).toBe(422)
    const unknown = await service.ask(`/v1/functions/snowflake${local}`, { headers: snowflakeHeaders('unknown') })
    expect(unknown.status).toBe(404)
  })
})
