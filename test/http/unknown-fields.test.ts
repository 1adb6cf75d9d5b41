import { afterAll, describe, expect, test } from 'bun:test'
import { detailOf, openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const around = { around: { ...denver, radius_m: 500 } }
const named = { fields: ['timezone', 'slope'] }
const skipped = {
  field: 'slope',
  source: 'catalog',
  error: expect.stringMatching(/^fields_unknown: There is no field "slope"\. Did you mean "slope_degrees"\?$/),
  retryable: false,
}

type Entry = { fields: Record<string, unknown>; partial_failures: { field: string }[] }
type Answer = Entry & { results: Entry[]; result: { results: Entry[] } }

/** Each way to request fields, and the entry with fields in its answer. */
const requests: [what: string, send: (selection: object) => Promise<Response>, entryOf: (answer: Answer) => Entry][] = [
  ['fetch', (it) => service.post('/v1/fetch', { ...denver, ...it }), (answer) => answer],
  ['an area', (it) => service.post('/v1/areas', { ...around, ...it }), (answer) => answer],
  ['a batch', (it) => service.post('/v1/fetch/batch', { locations: [denver], ...it }), ({ results }) => results[0]!],
  [
    'a run',
    (it) => runOf({ kind: 'fetch_batch', request: { locations: [denver], ...it } }),
    ({ result }) => result.results[0]!,
  ],
  [
    'a run of areas',
    (it) => runOf({ kind: 'area_batch', request: { areas: [around], ...it } }),
    ({ result }) => result.results[0]!,
  ],
]

function runOf(body: object): Promise<Response> {
  return service.post('/v1/runs', body, { prefer: 'wait=30' })
}

describe('names that are not in the catalog', () => {
  test.each(requests)('reject %s by default, with each of them and suggestions', async (_, send) => {
    const response = await send(named)
    expect([response.status, await detailOf(response)]).toEqual([
      400,
      expect.objectContaining({
        error: 'fields_unknown',
        fields_unknown: ['slope'],
        suggestions: { slope: expect.arrayContaining(['slope_degrees']) },
      }),
    ])
  })

  test.each(requests)(
    'are failures of %s that skips them, and the other fields are answered',
    async (_, send, entryOf) => {
      const { fields, partial_failures } = entryOf(
        (await (await send({ ...named, on_unknown: 'skip' })).json()) as Answer,
      )
      expect(Object.keys(fields)).toEqual(['timezone'])
      expect(partial_failures).toEqual([skipped])
    },
  )

  test('can be skipped in the query of a GET request', async () => {
    const query = `lat=${denver.lat}&lng=${denver.lng}&fields=timezone,slope`
    const { fields, partial_failures } = (await (
      await service.ask(`/v1/fetch?${query}&on_unknown=skip`)
    ).json()) as Entry
    expect([Object.keys(fields), partial_failures]).toEqual([['timezone'], [skipped]])
  })

  test('are all that is answered if no name is in the catalog', async () => {
    const answer = await (await service.post('/v1/fetch', { ...denver, fields: ['slope'], on_unknown: 'skip' })).json()
    expect(answer).toMatchObject({ fields: {}, partial_failures: [skipped] })
  })
})

describe('a preset whose name ends in _full', () => {
  const preset = 'site_selection_full'

  test('is too much for fetch, which names the batch', async () => {
    const detail = await detailOf(await service.post('/v1/fetch', { ...denver, preset }))
    expect(detail).toMatchObject({ error: 'fields_too_many', requested: 72, max: 50 })
    expect(detail.message).toMatch(/POST \/v1\/fetch\/batch/)
  })

  test.each(requests.filter(([what]) => what === 'a batch' || what === 'a run'))(
    'is answered by %s with all of its members',
    async (_, send, entryOf) => {
      const { fields } = entryOf((await (await send({ preset })).json()) as Answer)
      expect(Object.keys(fields)).toHaveLength(72)
    },
  )

  test('has the first 50 members under the name without _full', async () => {
    const { presets } = (await (await service.ask('/v1/meta/fields')).json()) as { presets: Record<string, string[]> }
    for (const name of ['site_selection', 'data_center_siting'])
      expect(presets[name]).toEqual(presets[`${name}_full`]!.slice(0, 50))
  })
})

describe('a server that allows 200 fields', () => {
  test('answers all members of site_selection in one fetch, and rejects the 201st field', async () => {
    const larger = await openHttpService({ FIELDSTONE_FETCH_FIELDS_MAX: '200' })
    const names = [...larger.testService.app.catalog.fields.keys()].slice(0, 201)
    const { fields } = (await (await larger.post('/v1/fetch', { ...denver, preset: 'site_selection' })).json()) as Entry
    expect(Object.keys(fields)).toHaveLength(72)
    expect(await detailOf(await larger.post('/v1/fetch', { ...denver, fields: names }))).toMatchObject({
      error: 'fields_too_many',
      requested: 201,
      max: 200,
    })
    await larger.close()
  })
})
