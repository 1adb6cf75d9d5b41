import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import type { ParsedAddress } from '../../src/address/address.ts'
import { UpstreamError } from '../../src/model/error.ts'
import { openHttpClient, type HttpClient } from '../../src/net/http-client.ts'
import { createCensusGeocoder, censusHost } from '../../src/place/geocoders/census.ts'
import { createGeocodioGeocoder, geocodioHost } from '../../src/place/geocoders/geocodio.ts'
import { geocoders } from '../upstreams/geocoders.ts'
import type { FaultKind } from '../upstreams/faults.ts'
import { jsonAnswer } from '../upstreams/service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'

const upstreams = openUpstreams({ services: geocoders })
const nets: HttpClient[] = []
afterEach(() => {
  upstreams.heal()
  upstreams.calls.length = 0
  for (const net of nets.splice(0)) net.close()
})
afterAll(upstreams.close)

/** A separate HTTP client, without circuit breaker state from earlier tests. */
function createClient(url = upstreams.url): HttpClient {
  const net = openHttpClient({
    mirror: url,
    userAgent: 'Fieldstone/test',
    catalogHosts: new Set([geocodioHost, censusHost]),
    now: () => new Date(),
    random: () => 0.5,
  })
  nets.push(net)
  return net
}

const address = (text: string): ParsedAddress => ({ text })
const white = address('1600 Pennsylvania Avenue NW, Washington, DC 20500')
const budget = (ms = 100_000) => ({ signal: AbortSignal.timeout(ms) })
/** A short deadline, for a source that never completes its response. */
const briefly_ms = 400
const codeOf = (result: Promise<unknown>) =>
  result.then(
    (found) => found,
    (error: unknown) => (error instanceof UpstreamError ? error.code : error),
  )

describe('Geocodio', () => {
  test('returns the point, score, accuracy type and parts of each result', async () => {
    expect(await createGeocodioGeocoder(createClient(), 'key').find(white, budget())).toEqual([
      {
        lat: 38.897675,
        lng: -77.036547,
        accuracy_type: 'rooftop',
        score: 1,
        normalized_address: '1600 Pennsylvania Ave NW, Washington, DC 20500',
        components: {
          number: '1600',
          street: 'Pennsylvania',
          suffix: 'Ave',
          postdirectional: 'NW',
          city: 'Washington',
          county: 'District of Columbia',
          state: 'DC',
          zip: '20500',
        },
      },
    ])
  })

  test('names the country as the documentation of Geocodio lists it', async () => {
    await createGeocodioGeocoder(createClient(), 'key').find(white, budget())
    expect(upstreams.calls.at(-1)!.query.get('country')).toBe('USA')
  })

  test('fails if Geocodio rejects a parameter of the request: that says nothing about the address', async () => {
    const answer = () => jsonAnswer({ error: 'The country parameter must be one of: USA, Canada, Mexico' }, 422)
    const world = openUpstreams({ services: [{ host: geocodioHost, answer }] })
    expect(await codeOf(createGeocodioGeocoder(createClient(world.url), 'key').find(white, budget()))).toBe(
      'upstream_rejected',
    )
    world.close()
  })

  test('returns no match for a text it cannot parse, or if it has none', async () => {
    expect(await createGeocodioGeocoder(createClient(), 'key').find(address('1'), budget())).toEqual([])
    expect(
      await createGeocodioGeocoder(createClient(), 'key').find(address('1 Nowhere St, Boulder CO'), budget()),
    ).toEqual([])
  })

  test.each([
    ['refused', 'entitlement_missing'],
    ['spent', 'quota_exhausted'],
    ['unpaid', 'quota_exhausted'],
  ])('with a %s key fails as %s, and does not reveal the key', async (key, code) => {
    const error: unknown = await createGeocodioGeocoder(createClient(), key)
      .find(white, budget())
      .catch((it: unknown) => it)
    expect(error).toMatchObject({ code })
    expect((error as Error).message).not.toContain(
      key === 'refused' ? 'Bearer' : key === 'spent' ? 'dash.geocod.io' : 'unpaid',
    )
  })
})

describe('the Census Bureau', () => {
  test('returns the point along the street, the number from the address, and no score', async () => {
    expect(await createCensusGeocoder(createClient()).find(white, budget())).toEqual([
      {
        lat: 38.898754,
        lng: -77.03535,
        accuracy_type: 'range_interpolation',
        score: null,
        normalized_address: '1600 Pennsylvania Ave NW, Washington, DC 20502',
        components: {
          number: '1600',
          street: 'Pennsylvania',
          suffix: 'Ave',
          postdirectional: 'NW',
          city: 'Washington',
          state: 'DC',
          zip: '20502',
        },
      },
    ])
  })

  test('returns no match for a text it cannot parse, or if it has none', async () => {
    expect(await createCensusGeocoder(createClient()).find(address('Unreadable'), budget())).toEqual([])
    expect(await createCensusGeocoder(createClient()).find(address('1 Nowhere St, Boulder CO'), budget())).toEqual([])
  })

  test('accepts at most 100 code points', () => {
    const provider = createCensusGeocoder(createClient())
    expect(provider.accepts(address('é'.repeat(100)))).toBe(true)
    expect(provider.accepts(address('é'.repeat(101)))).toBe(false)
  })

  test('rejects the query if it answers 400 for another reason', async () => {
    const world = openUpstreams({
      services: [
        { host: censusHost, answer: () => jsonAnswer({ errors: ['Specify a valid benchmark'], status: '400' }, 400) },
      ],
    })
    expect(await codeOf(createCensusGeocoder(createClient(world.url)).find(white, budget()))).toBe('upstream_rejected')
    world.close()
  })
})

const faults: [FaultKind, string][] = [
  [{ status: 401 }, 'upstream_rejected'],
  [{ status: 404 }, 'upstream_rejected'],
  [{ status: 429 }, 'rate_limited'],
  [{ status: 500 }, 'upstream_5xx'],
  [{ status: 503 }, 'upstream_5xx'],
  ['hang', 'timeout'],
  ['drip', 'timeout'],
  ['reset', 'connection_failed'],
  ['close_early', 'connection_failed'],
  ['truncated', 'connection_failed'],
  ['html_200', 'bad_response'],
  ['empty_200', 'bad_response'],
  ['bad_json', 'bad_response'],
  ['wrong_type', 'bad_response'],
  ['redirect_other', 'bad_redirect'],
  ['redirect_private', 'bad_redirect'],
  ['redirect_loop', 'bad_redirect'],
  ['bomb', 'too_large'],
  ['endless', 'too_large'],
]

describe('an error is a failure, never "no match"', () => {
  test.each(faults)('of Geocodio: %j is %s', async (fault, code) => {
    upstreams.fault({ host: geocodioHost }, fault)
    expect(
      await codeOf(
        createGeocodioGeocoder(createClient(), 'key').find(white, budget(code === 'timeout' ? briefly_ms : undefined)),
      ),
    ).toBe(code)
  })

  test.each(faults)('of the Census Bureau: %j is %s', async (fault, code) => {
    upstreams.fault({ host: censusHost }, fault)
    expect(
      await codeOf(
        createCensusGeocoder(createClient()).find(white, budget(code === 'timeout' ? briefly_ms : undefined)),
      ),
    ).toBe(code)
  })

  test.each([{ status: 500 }, 'reset', 'close_early'] satisfies FaultKind[])(
    'of Geocodio is not retried, because each call is billed: %j',
    async (fault) => {
      upstreams.fault({ host: geocodioHost }, fault)
      await codeOf(createGeocodioGeocoder(createClient(), 'key').find(white, budget()))
      expect(upstreams.callsTo(geocodioHost)).toBe(1)
    },
  )
})

describe('an invalid response is a failure', () => {
  const result = {
    address_components: {},
    formatted_address: 'A',
    location: { lat: 40, lng: -105 },
    accuracy: 1,
    accuracy_type: 'rooftop',
  }
  const odd: unknown[] = [
    null,
    [],
    {},
    { results: {} },
    { results: [null] },
    { results: [{ ...result, location: null }] },
    { results: [{ ...result, location: { lat: '40', lng: '-105' } }] },
    { results: [{ ...result, accuracy: null }] },
    { results: [{ ...result, accuracy_type: 'constructor' }] },
    { results: [{ ...result, accuracy_type: 'nearest_street' }] },
    { results: [{ ...result, formatted_address: 5 }] },
  ]
  test.each(odd.map((it) => [it]))('of Geocodio: %j', async (document) => {
    const world = openUpstreams({ services: [{ host: geocodioHost, answer: () => jsonAnswer(document) }] })
    expect(await codeOf(createGeocodioGeocoder(createClient(world.url), 'key').find(white, budget()))).toBe(
      'bad_response',
    )
    world.close()
  })

  const match = { matchedAddress: '1 A ST, B, CO, 80302', coordinates: { x: -105, y: 40 }, addressComponents: {} }
  const strange: unknown[] = [
    null,
    {},
    { result: [] },
    { result: { addressMatches: null } },
    { result: { addressMatches: [5] } },
    { result: { addressMatches: [{ ...match, coordinates: { x: '1', y: 2 } }] } },
    { result: { addressMatches: [{ ...match, matchedAddress: null }] } },
  ]
  test.each(strange.map((it) => [it]))('of the Census Bureau: %j', async (document) => {
    const world = openUpstreams({ services: [{ host: censusHost, answer: () => jsonAnswer(document) }] })
    expect(await codeOf(createCensusGeocoder(createClient(world.url)).find(white, budget()))).toBe('bad_response')
    world.close()
  })
})
