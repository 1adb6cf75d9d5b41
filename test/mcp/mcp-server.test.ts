import { afterAll, describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { mcpTools } from '../../src/mcp/mcp-server.ts'
import { outputMax_bytes } from '../../src/mcp/fit-output.ts'
import { connectOverHttp, type AgentClient } from './clients.ts'
import { openListeningService } from './listening-service.ts'
import { words } from '../support/words.ts'

const served = await openListeningService()
const { testService: service, url } = served
const clients = await Promise.all(
  (['old', 'new'] as const).map(async (which) => [which, await connectOverHttp(which, url, service.token)] as const),
)
afterAll(async () => {
  for (const [, client] of clients) await client.close()
  await served.close()
})

const denver = { lat: 39.7392, lng: -104.9903 }
const names = words`
  find_fields describe_fields fetch_fields fetch_area lookup_location geocode_address ask start_run get_run
`

async function submitted(): Promise<string> {
  const response = await service.post(
    '/v1/runs',
    { kind: 'fetch_batch', request: { locations: [denver, denver, denver], fields: ['county'] } },
    { prefer: 'wait=20' },
  )
  return ((await response.json()) as { run_id: string }).run_id
}
const run_id = await submitted()

test('the newer client negotiates the 2026 revision', () => {
  expect(clients.map(([, { revision }]) => revision)).toEqual(['2025', '2026-07-28'])
})

describe.each(clients)('to the %s client', (_which, client: AgentClient) => {
  test('tools are listed in a fixed order, all but start_run as read-only, with their output schemas', async () => {
    const listed = await client.tools()
    expect(listed.map(({ name }) => name)).toEqual(names)
    expect(
      listed.filter(
        ({ name, annotations, outputSchema }) =>
          annotations?.readOnlyHint !== (name !== 'start_run') || outputSchema === undefined,
      ),
    ).toEqual([])
  })

  test('there is a prompt to ask, to fetch, to look up, and for each preset that one request may have', async () => {
    const presets = Object.keys(contents.presets).filter((name) => !name.endsWith('_full'))
    expect(await client.prompts()).toEqual(['ask', 'fetch', 'lookup', ...presets])
    expect(await client.prompt('ask')).toMatch(/call the tool ask/)
    expect(await client.prompt('flood_risk')).toMatch(/Call fetch_fields with the preset flood_risk \(13 fields\)/)
  })

  test('fetch_fields and fetch_area skip names that are not in the catalog, if they may', async () => {
    const request = { fields: ['timezone', 'slope'], on_unknown: 'skip' }
    for (const [tool, place] of [
      ['fetch_fields', denver],
      ['fetch_area', { around: { ...denver, radius_m: 500 } }],
    ] as const) {
      const { structured } = await client.call(tool, { ...place, ...request })
      expect(Object.keys(structured!.fields as object)).toEqual(['timezone'])
      expect(structured!.partial_failures).toMatchObject([{ field: 'slope', source: 'catalog', retryable: false }])
    }
  })

  test('find_fields searches by words, and lists layers and presets', async () => {
    const { structured } = await client.call('find_fields', { query: 'flood zone', limit: 5 })
    const fields = structured!.fields as { name: string }[]
    expect(fields.map(({ name }) => name)).toContain('fema_flood_zone')
    expect(fields.length).toBeLessThanOrEqual(5)
    expect(structured!.presets).toContain('place_context')
  })

  test('find_fields says what this server can answer, and when nothing fits', async () => {
    const fieldsFor = async (query: string) => (await client.call('find_fields', { query })).structured!
    const [county, flood, nothing] = [
      await fieldsFor('county'),
      await fieldsFor('flood zone'),
      await fieldsFor('best pizza'),
    ]
    const isAnswered = (answer: Record<string, unknown>, name: string) =>
      (answer.fields as { name: string; answered_here: boolean }[]).find((it) => it.name === name)?.answered_here
    expect([isAnswered(county, 'county'), isAnswered(flood, 'fema_flood_zone')]).toEqual([true, false])
    expect(county.answered_here).toBeWithin(50, county.total as number)
    expect([county.answered_offline, county.complete_presets]).toEqual([county.answered_here, ['place_context']])
    expect([county.fits, flood.fits, nothing.fits]).toEqual([true, true, false])
    expect(nothing.unknown_words).toContain('pizza')
  })

  test('the name of a place is answered at its center, which is named; several places are candidates', async () => {
    const boulder = { name: 'Boulder, CO', precision: 'place' }
    const fetched = await client.call('fetch_fields', { address: 'Boulder, CO', fields: ['county'] })
    expect(fetched.structured).toMatchObject({
      fields: { county: { value: 'Boulder County' } },
      resolved_place: boulder,
    })
    const answer = await client.call('ask', { address: 'Boulder, CO', question: 'Which county is this?' })
    expect(answer.structured).toMatchObject({ answer: expect.stringContaining('Boulder'), resolved_place: boulder })
    const found = await client.call('lookup_location', { input: 'Boulder, CO' })
    expect(found.structured).toMatchObject({ disposition: 'resolved', resolved_place: boulder })
    const several = await client.call('fetch_fields', { address: 'Springfield', fields: ['county'] })
    expect([several.isError, several.said.error]).toEqual([true, 'address_too_coarse'])
    expect((several.said.candidates as unknown[]).length).toBeGreaterThan(1)
  })

  test('start_run starts a run that get_run follows, and rejects a location without coordinates', async () => {
    const locations = [denver, { lat: 25.79, lng: -80.13 }]
    const { structured } = await client.call('start_run', { locations, fields: ['county'], name: 'two places' })
    const { run_id } = structured!.run as { run_id: string }
    await service.send(`/v1/runs/${run_id}/events`).then((response) => response.text())
    const { structured: ended } = await client.call('get_run', { run_id })
    expect(ended).toMatchObject({
      run: { status: 'done', name: 'two places' },
      results: [
        { fields: { county: { value: 'Denver County' } } },
        { fields: { county: { value: 'Miami-Dade County' } } },
      ],
    })
    const { isError, said } = await client.call('start_run', { locations: [{ lat: 39 }], fields: ['county'] })
    expect([isError, said.error]).toEqual([true, 'bad_request'])
  })

  test('errors name tools, not endpoints', async () => {
    const calls: [string, Record<string, unknown>][] = [
      ['fetch_fields', { ...denver }],
      ['fetch_fields', { ...denver, fields: ['elevaton'] }],
      ['fetch_fields', { ...denver, preset: 'site_selection_full' }],
      ['geocode_address', { address: '39.7392, -104.9903' }],
      ['ask', { ...denver, question: 'Where is the best pizza?' }],
    ]
    for (const [name, args] of calls) {
      const { said } = await client.call(name, args)
      expect([name, JSON.stringify(said)]).toEqual([name, expect.not.stringMatching(/(?:GET|POST) \/|\/v1\//)])
    }
  })

  test('describe_fields describes a field, and suggests names for an unknown one', async () => {
    const { structured } = await client.call('describe_fields', { fields: ['county'] })
    expect((structured!.fields as { name: string; unit: null }[])[0]).toMatchObject({
      name: 'county',
      layer: expect.any(String),
      source: expect.any(String),
    })
    const wrong = await client.call('describe_fields', { fields: ['slope'] })
    expect([wrong.isError, wrong.said.error, wrong.said.fields_unknown]).toEqual([true, 'fields_unknown', ['slope']])
  })

  test('fetch_fields returns values at one place with provenance', async () => {
    const { isError, structured, said } = await client.call('fetch_fields', {
      ...denver,
      fields: ['county', 'timezone'],
    })
    expect([isError, structured]).toEqual([false, said])
    expect((structured!.fields as Record<string, { value: unknown; status: string }>).county).toMatchObject({
      value: 'Denver County',
      status: 'ok',
      source: expect.any(String),
    })
  })

  test('fetch_area returns shares, and names the position at fault', async () => {
    const coordinates = [
      [-105, 39.7],
      [-104.9, 39.7],
      [-104.9, 39.8],
      [-105, 39.7],
    ]
    const { structured } = await client.call('fetch_area', {
      geometry: { type: 'Polygon', coordinates: [coordinates] },
      fields: ['county'],
    })
    expect(structured!.fields).toMatchObject({ county: { status: 'ok', covered_share: 1 } })
    const wrong = await client.call('fetch_area', {
      geometry: { type: 'Polygon', coordinates: [coordinates.slice(0, 3)] },
      fields: ['county'],
    })
    expect([wrong.isError, wrong.said.error]).toEqual([true, 'bad_request'])
    expect(wrong.said.message).toContain('geometry.coordinates.0: ')
  })

  test('lookup_location returns the context of a place', async () => {
    const { structured } = await client.call('lookup_location', { input: '39.7392, -104.9903' })
    expect(structured).toMatchObject({
      disposition: 'resolved',
      county_fips: '08031',
      parcel_unavailable_reason: 'not_requested',
    })
  })

  test('geocode_address returns our error code if no provider is available', async () => {
    const { isError, said } = await client.call('geocode_address', {
      address: '1600 Pennsylvania Avenue NW, Washington, DC 20500',
    })
    expect([isError, said.error, said.retryable]).toEqual([true, 'geocoder_not_configured', false])
  })

  test('ask answers with citations, and reports progress on request', async () => {
    const heard: string[] = []
    const { structured } = await client.call('ask', { ...denver, question: 'Which county is this?' }, (message) =>
      heard.push(message),
    )
    expect(structured).toMatchObject({
      answer: expect.stringContaining('Denver'),
      confidence: expect.any(String),
      citations: expect.any(Array),
    })
    expect(heard).toContain('fetching')
  })

  test('get_run returns a run and its results from any offset', async () => {
    const { structured } = await client.call('get_run', { run_id, offset: 1, limit: 1 })
    expect(structured).toMatchObject({
      run: { run_id, status: 'done', progress: { total: 3, done: 3 } },
      next_offset: 2,
    })
    expect((structured!.results as { index: number }[]).map(({ index }) => index)).toEqual([1])
    const unknown = await client.call('get_run', { run_id: 'run_00000000000000000000000000' })
    expect([unknown.isError, unknown.said.error]).toEqual([true, 'run_not_found'])
  })

  test('an invalid call is a tool error with our codes', async () => {
    const cases: [string, Record<string, unknown>, string][] = [
      ['fetch_fields', { lat: 51.5, lng: 0, fields: ['county'] }, 'coord_out_of_bounds'],
      ['fetch_fields', { ...denver, address: '1 Main St', fields: ['county'] }, 'invalid_locator'],
      ['fetch_fields', { ...denver }, 'no_fields_requested'],
      ['fetch_fields', { lat: 39, fields: ['county'] }, 'bad_request'],
      ['fetch_fields', { ...denver, preset: '__proto__' }, 'preset_unknown'],
      ['lookup_location', { input: '-104.9903, 39.7392' }, 'resolve_coord_bounds'],
      ['lookup_location', { input: 'x'.repeat(257) }, 'bad_request'],
      ['geocode_address', { address: 'Main St\u202E 1' }, 'bad_request'],
    ]
    for (const [name, args, code] of cases) {
      const { isError, said } = await client.call(name, args)
      expect([name, isError, said.error]).toEqual([name, true, code])
    }
  })

  test('malformed arguments never reach the tool', async () => {
    const { isError, said } = await client.call('fetch_fields', { lat: 'north', lng: -104, fields: ['county'] })
    expect([isError, said.text]).toEqual([true, expect.stringContaining('Invalid arguments')])
  })

  test('the catalog is available as resources: all fields, one field, all presets, one preset', async () => {
    expect(((await client.resource('fieldstone://fields')) as { fields: unknown[] }).fields).toHaveLength(
      service.app.catalog.fields.size,
    )
    expect(await client.resource('fieldstone://fields/county')).toMatchObject({ name: 'county' })
    expect(((await client.resource('fieldstone://presets')) as { presets: object }).presets).toHaveProperty(
      'place_context',
    )
    expect(await client.resource('fieldstone://presets/place_context')).toMatchObject({ name: 'place_context' })
    const refused = await client.resource('fieldstone://fields/__proto__').catch((error: unknown) => String(error))
    expect(refused).toContain('not found')
  })

  test('no result exceeds the output limit, and all match the schema', async () => {
    const most = [...service.app.catalog.fields.keys()].slice(0, 50)
    const answers = [
      await client.call('fetch_fields', { ...denver, fields: most }),
      await client.call('describe_fields', { preset: 'place_context' }),
      await client.call('describe_fields', { fields: most.slice(0, 20) }),
      await client.call('find_fields', { query: 'distance water road soil flood', limit: 50 }),
    ]
    expect(
      answers.map(
        ({ structured }) =>
          Buffer.byteLength(JSON.stringify(structured)) <= outputMax_bytes &&
          typeof structured!.shortened === 'boolean',
      ),
    ).toEqual([true, true, true, true])
  })
})

test('every listed tool is in mcpTools', () => expect(mcpTools.map(({ name }) => name)).toEqual(names))
