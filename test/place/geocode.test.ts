import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { AddressMatch } from '../../src/address/address.ts'
import { ApiError, UpstreamError } from '../../src/model/error.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createAddressClassifier } from '../../src/place/classify-address.ts'
import { createGeocode, type Geocode } from '../../src/place/geocode.ts'
import type { GeocodeAuditResult } from '../../src/place/geocode-audit.ts'
import type { Geocoder } from '../../src/place/geocoders/geocoder.ts'
import { createEmbeddedGazetteer } from '../../src/place/embedded-gazetteer.ts'
import { createAddressParser, createAddressReadings } from '../../src/address/parse-address.ts'
import { openGeocodeCache } from '../../src/store/sqlite/geocode-cache.ts'
import { embeddedFile } from '../support/test-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const embedded = openEmbeddedData(embeddedFile)
const folder = temporaryFolder()
const geocodes = openGeocodeCache(folder)
afterAll(() => geocodes.close())

const gazetteer = createEmbeddedGazetteer(embedded)
const parse = createAddressParser(gazetteer)
const day_ms = 86_400_000
const start = Date.UTC(2026, 10, 21)
const budget = { signal: new AbortController().signal }
const address = '100 Broadway, Denver, CO 80203'
const match: AddressMatch = {
  lat: 39.7185,
  lng: -104.9875,
  accuracy_type: 'rooftop',
  score: 1,
  normalized_address: address,
  components: { number: '100', street: 'Broadway', city: 'Denver', state: 'CO', zip: '80203' },
}
const place: AddressMatch = {
  ...match,
  accuracy_type: 'place',
  normalized_address: 'Denver, CO',
  components: { city: 'Denver', state: 'CO' },
}
const notFound = { rejected: 'address_not_found' }

let now = start
let records: ({ key: string; account: string } & GeocodeAuditResult)[] = []
let calls: string[] = []
beforeEach(async () => {
  await geocodes.sweep(Infinity)
  now = start
  records = []
  calls = []
})

/** A geocoder with fixed matches or a fixed error. */
function provider(
  name: string,
  matches: AddressMatch[] | Error | (() => Promise<AddressMatch[]>),
  more: Partial<Geocoder> = {},
): Geocoder {
  return {
    name,
    timeout_ms: 3000,
    scoresParts: false,
    hasPartialCoverage: false,
    edition: () => '',
    accepts: () => true,
    find: async () => {
      calls.push(name)
      if (matches instanceof Error) throw matches
      return typeof matches === 'function' ? matches() : matches
    },
    ...more,
  }
}

function geocodeBy(...geocoders: Geocoder[]): Geocode {
  return createGeocode({
    reader: {
      classify: createAddressClassifier(gazetteer, parse),
      scoring: { parse, readings: createAddressReadings(gazetteer), isInState: () => true, gazetteer },
      placesNamed: () => [],
    },
    geocoders: () => geocoders,
    geocodes,
    now: () => new Date(now),
    audit: {
      add: (key, account, result) => {
        records.push({ key, account, ...result })
      },
    },
  })
}

const down = new UpstreamError('connection_failed', 'The connection failed.')
const outcomeOf = async (geocode: Geocode, text = address) => (await geocode(text, 'owner', budget)).outcome
const rejectionOf = (geocode: Geocode, text = address) =>
  geocode(text, 'owner', budget).then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.detail : error),
  ) as Promise<Record<string, unknown> | null>

describe('providers are called in order', () => {
  test('until the first good match', async () => {
    expect(await outcomeOf(geocodeBy(provider('a', [match]), provider('b', [match])))).toMatchObject({ provider: 'a' })
    expect(calls).toEqual(['a'])
  })

  test.each([
    ['has no match', []],
    ['has only the town', [place]],
    ['fails', down],
    [
      'has another number',
      [
        {
          ...match,
          normalized_address: '200 Broadway, Denver, CO 80203',
          components: { ...match.components, number: '200' },
        },
      ],
    ],
  ])('and the next is called if one %s', async (_name, matches) => {
    expect(await outcomeOf(geocodeBy(provider('a', matches), provider('b', [match])))).toMatchObject({ provider: 'b' })
    expect(calls).toEqual(['a', 'b'])
  })

  test('but not after one that finds the address ambiguous', async () => {
    const elsewhere = {
      ...match,
      lat: 39.78,
      normalized_address: '100 Broadway, Denver, CO 80216',
      components: { ...match.components, zip: '80216' },
    }
    expect(
      await outcomeOf(geocodeBy(provider('a', [match, elsewhere]), provider('b', [match])), '100 Broadway, Denver CO'),
    ).toMatchObject({ rejected: 'address_ambiguous' })
    expect(calls).toEqual(['a'])
  })

  test('except those that do not accept the address', async () => {
    expect(await outcomeOf(geocodeBy(provider('a', [match], { accepts: () => false }), provider('b', [])))).toEqual(
      notFound as never,
    )
    expect(calls).toEqual(['b'])
  })

  test('and the most detailed rejection wins', async () => {
    expect(await outcomeOf(geocodeBy(provider('a', [place]), provider('b', [])))).toEqual({
      rejected: 'address_too_coarse',
      accuracy_type: 'place',
    })
  })
})

describe('without an answer', () => {
  test('the error is geocode_unavailable with the error of each provider, and is not cached', async () => {
    const geocode = geocodeBy(provider('a', down), provider('b', new UpstreamError('timeout', 'It took too long.')))
    const first = await rejectionOf(geocode)
    expect(first).toMatchObject({
      error: 'geocode_unavailable',
      retryable: true,
      retry_after_s: 30,
      providers: [
        { provider: 'a', error: 'connection_failed: The connection failed.' },
        { provider: 'b', error: 'timeout: It took too long.' },
      ],
    })
    await rejectionOf(geocode)
    expect(calls).toEqual(['a', 'b', 'a', 'b'])
  })

  test('a provider that hangs times out, and the next is called', async () => {
    const hanging = provider('a', () => new Promise<never>(() => {}), { timeout_ms: 1 })
    expect(await outcomeOf(geocodeBy(hanging, provider('b', [match])))).toMatchObject({ provider: 'b' })
  })

  test('two providers that hang lead to geocode_timeout', async () => {
    const hanging = (name: string) => provider(name, () => new Promise<never>(() => {}), { timeout_ms: 1 })
    expect(await rejectionOf(geocodeBy(hanging('a'), hanging('b')))).toMatchObject({
      error: 'geocode_timeout',
      providers: [
        { provider: 'a', error: expect.stringContaining('timeout: ') },
        { provider: 'b', error: expect.stringContaining('timeout: ') },
      ],
    })
  })

  test('the signal of a provider is aborted at its timeout', async () => {
    let seen: AbortSignal | null = null
    const hanging = provider('a', [], {
      timeout_ms: 1,
      find: (_address, { signal }) => {
        seen = signal
        return new Promise<never>(() => {})
      },
    })
    await rejectionOf(geocodeBy(hanging))
    expect(seen!.aborted).toBe(true)
  })

  test('the wait ends with the deadline of the batch', async () => {
    const geocode = geocodeBy(provider('a', () => new Promise<never>(() => {})))
    const refusal: unknown = await geocode(address, 'owner', { ...budget, until_ms: performance.now() + 1 }).catch(
      (error: unknown) => error,
    )
    expect((refusal as ApiError).detail).toMatchObject({
      error: 'geocode_timeout',
      providers: [{ provider: 'a', error: expect.stringContaining('timeout: ') }],
    })
  })

  test('a server without a geocoder says so, and that a retry does not help', async () => {
    expect(await rejectionOf(geocodeBy())).toMatchObject({
      error: 'geocoder_not_configured',
      retryable: false,
      providers: [],
    })
  })

  test('"no match" of a partial pack is not an answer', async () => {
    expect(
      await rejectionOf(geocodeBy(provider('packs', [], { hasPartialCoverage: true }), provider('b', down))),
    ).toMatchObject({ error: 'geocode_unavailable', providers: [{ provider: 'b' }] })
    expect(await outcomeOf(geocodeBy(provider('packs', [], { hasPartialCoverage: true })))).toEqual(notFound as never)
  })

  test('"no match" of a full provider is returned but not cached if another provider failed', async () => {
    const geocode = geocodeBy(provider('a', down), provider('b', []))
    expect([await outcomeOf(geocode), await outcomeOf(geocode)]).toEqual([notFound, notFound] as never)
    expect(calls).toEqual(['a', 'b', 'a', 'b'])
  })

  test('an internal error is thrown unchanged', async () => {
    expect(await rejectionOf(geocodeBy(provider('a', new TypeError('a bug'))))).toBeInstanceOf(TypeError)
  })
})

describe('the cache', () => {
  const forms = [
    '100 BROADWAY, DENVER, CO 80203',
    '  100   broadway denver co 80203',
    '100 Bróadway; Denver. CO, 80203',
    '100 Broadway, Denver, CO (80203)',
  ]
  test.each(forms)('finds an address in any form: %s', async (form) => {
    const geocode = geocodeBy(provider('a', [match]))
    expect((await geocode(address, 'owner', budget)).cached).toBe(false)
    expect((await geocode(form, 'other', budget)).cached).toBe(true)
    expect(calls).toEqual(['a'])
  })

  const others = [
    ['100 Main Pkwy, Denver CO', '100 Main Parkway, Denver CO'],
    ['10-20 Main St, Denver CO', '1020 Main St, Denver CO'],
    ['100 Main St # 2, Denver CO', '100 Main St 2, Denver CO'],
    ['100 1/2 Main St, Denver CO', '100 12 Main St, Denver CO'],
  ] as const
  test.each(others)('does not find an address with other words or signs: %s, %s', async (one, other) => {
    const geocode = geocodeBy(provider('a', []))
    await outcomeOf(geocode, one)
    expect((await geocode(other, 'owner', budget)).cached).toBe(false)
  })

  test('keeps a match for exactly thirty days', async () => {
    const geocode = geocodeBy(provider('a', [match]))
    await outcomeOf(geocode)
    now = start + 30 * day_ms - 1
    expect((await geocode(address, 'owner', budget)).cached).toBe(true)
    now = start + 30 * day_ms
    expect((await geocode(address, 'owner', budget)).cached).toBe(false)
  })

  test.each([
    ['not found', []],
    ['too coarse', [place]],
    [
      'in another town',
      [
        {
          ...match,
          normalized_address: '100 Broadway, Boulder, CO 80302',
          components: { ...match.components, city: 'Boulder', zip: '80302' },
        },
      ],
    ],
    ['doubtful', [{ ...match, score: 0.5 }]],
  ])('keeps a rejection for a day: %s', async (_name, matches) => {
    const geocode = geocodeBy(provider('a', matches))
    await outcomeOf(geocode)
    now = start + day_ms - 1
    expect((await geocode(address, 'owner', budget)).cached).toBe(true)
    now = start + day_ms
    expect((await geocode(address, 'owner', budget)).cached).toBe(false)
    expect(calls).toEqual(['a', 'a'])
  })

  test('ignores rejections, but not matches, after a new provider is added', async () => {
    await outcomeOf(geocodeBy(provider('a', [])))
    expect(
      await outcomeOf(geocodeBy(provider('packs', [match], { edition: () => '2' }), provider('a', []))),
    ).toMatchObject({ provider: 'packs' })
    expect(await geocodeBy(provider('b', []))(address, 'owner', budget)).toMatchObject({
      outcome: { provider: 'packs' },
      cached: true,
    })
  })

  test('shares one query among concurrent callers', async () => {
    const { promise, resolve } = Promise.withResolvers<AddressMatch[]>()
    const geocode = geocodeBy(provider('a', () => promise))
    const many = Array.from({ length: 100 }, () => outcomeOf(geocode))
    resolve([match])
    expect(new Set((await Promise.all(many)).map((it) => ('provider' in it ? it.provider : null)))).toEqual(
      new Set(['a']),
    )
    expect(calls).toEqual(['a'])
    expect(records.length).toBe(100)
  })
})

describe('the audit record', () => {
  test('has one row per address, with the hash of its normalized form', async () => {
    const geocode = geocodeBy(provider('a', [match]))
    await geocode(address, 'owner', budget)
    await geocode('100 BROADWAY DENVER CO 80203', 'other', budget)
    expect(records).toEqual([
      { key: '100 broadway denver co 80203', account: 'owner', outcome: 'found', provider: 'a', cached: false },
      { key: '100 broadway denver co 80203', account: 'other', outcome: 'found', provider: 'a', cached: true },
    ])
  })

  test.each([
    ['PO Box 12, Denver, CO 80203', 'address_form_unsupported'],
    ['Denver, CO', 'address_too_coarse'],
    ['10 Downing Street, London, UK', 'address_outside_us'],
    [address, 'geocode_unavailable'],
  ])('has the outcome of a rejection: %s, %s', async (text, outcome) => {
    await rejectionOf(geocodeBy(provider('a', down)), text)
    expect(records).toMatchObject([{ outcome, provider: null, cached: false }])
  })

  test('includes aborted requests, which fail with the abort error', async () => {
    const leaving = new AbortController()
    const geocoded = geocodeBy(provider('a', () => new Promise<never>(() => {})))(address, 'owner', {
      signal: leaving.signal,
    })
    leaving.abort(new DOMException('The client went away.', 'AbortError'))
    expect(await geocoded.catch((error: unknown) => (error as Error).name)).toBe('AbortError')
    expect(records).toMatchObject([{ outcome: 'aborted' }])
  })
})
