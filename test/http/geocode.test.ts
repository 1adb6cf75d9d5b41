import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { BatchAnswer, FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import type { FaultKind } from '../upstreams/faults.ts'
import { openAddressService } from './address-service.ts'
import { bytes } from './state-bytes.ts'
import { detailOf } from '../support/http-service.ts'
import { words } from '../support/words.ts'

const service = await openAddressService({ REGRID_API_TOKEN: 'test-regrid' })
afterAll(service.close)
beforeEach(() => service.upstreams.heal())

let number = 0
/** Returns a new address that no provider knows. */
const fresh = () => `${++number} Nowhere St, Boulder, CO 80302`
/** Returns a new address that both providers know. */
const unit = (address: string) => address.replace(',', ` Unit ${++number},`)
const white = '1600 Pennsylvania Avenue NW, Washington, DC 20500'
const hosts = { geocodio: 'api.geocod.io', census: 'geocoding.geo.census.gov' } as const

const geocode = (address: unknown, headers = {}) => service.post('/v1/geocode', { address }, headers)
async function refused(address: unknown): Promise<{ status: number } & Record<string, unknown>> {
  const response = await geocode(address)
  return { status: response.status, ...(await detailOf(response)) }
}
async function found(address: string): Promise<Record<string, unknown>> {
  const response = await geocode(address)
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

describe('a found address', () => {
  test('has exactly the members of the specification', async () => {
    const answer = await found(white)
    expect(Object.keys(answer)).toEqual(words`
      lat lng fetched_at match_type accuracy_type accuracy normalized_address components provider source cached
      warnings
    `)
    expect(answer).toMatchObject({
      accuracy_type: 'rooftop',
      accuracy: 1,
      match_type: 'exact',
      provider: 'geocodio',
      source: 'geocodio',
      cached: false,
      warnings: [],
      components: { number: '1600', street: 'Pennsylvania', zip: '20500' },
    })
  })

  test('is cached in every spelling, and costs no second call', async () => {
    await found('1777 Broadway, Boulder, CO 80302')
    const before = service.requested()
    expect(await found('1777 BROADWAY  Boulder CO 80302')).toMatchObject({ cached: true, provider: 'geocodio' })
    expect(service.requested()).toEqual(before)
  })

  test('calls Geocodio once, with the key in a header and not in the URL', async () => {
    await found('1109 N Highland St, Arlington, VA')
    const call = service.upstreams.calls.findLast(({ host }) => host === hosts.geocodio)!
    expect(Object.fromEntries(call.query)).toEqual({
      q: '1109 N Highland St, Arlington, VA',
      limit: '5',
      country: 'USA',
    })
  })

  test('interpolated along its street is range_interpolation', async () => {
    expect(await found('1777 Census Ln, Boulder, CO 80302')).toMatchObject({
      accuracy_type: 'range_interpolation',
      accuracy: 1,
      provider: 'census',
    })
  })

  test('with one uncertain match has a warning', async () => {
    expect(await found('1777 Doubtful St, Boulder, CO 80302')).toMatchObject({
      accuracy: 0.7,
      warnings: [expect.stringContaining('low_score: ')],
    })
  })

  test('at a crossing is an intersection', async () => {
    expect(await found('Broadway & 1st Ave, Denver, CO')).toMatchObject({ accuracy_type: 'intersection' })
  })

  test('is the correct one of three recorded rooftops', async () => {
    expect(await found('1101 Pennsylvania Ave NW, Washington, DC')).toMatchObject({
      lat: 38.895,
      normalized_address: '1101 Pennsylvania Ave NW, Washington, DC 20004',
    })
  })
})

describe('a rejected address', () => {
  const refusals = [
    ['Denver, CO', 404, 'address_too_coarse', { matched_level: 'city', hint: expect.any(String) }],
    ['80203', 404, 'address_too_coarse', { matched_level: 'zip' }],
    ['Colorado', 404, 'address_too_coarse', { matched_level: 'state' }],
    ['Main St, Denver, CO', 404, 'address_too_coarse', { matched_level: 'street' }],
    ['39.7392, -104.9903', 404, 'address_too_coarse', { matched_level: 'coordinate' }],
    ['-104.9903, 39.7392', 404, 'address_too_coarse', { matched_level: 'coordinate' }],
    ['1777 Coarse St, Boulder, CO', 404, 'address_too_coarse', { accuracy_type: 'place', hint: expect.any(String) }],
    ['10 Downing Street, London, UK', 400, 'address_outside_us', { hint: expect.any(String) }],
    ['100 Queen St W, Toronto, ON M5H 2N2, Canada', 400, 'address_outside_us', {}],
    ['PO Box 12, Denver, CO 80203', 422, 'address_form_unsupported', { kind: 'po_box' }],
    ['PSC 1234 Box 567, APO AE 09012', 422, 'address_form_unsupported', { kind: 'military' }],
    ['General Delivery, Denver, CO 80202', 422, 'address_form_unsupported', { kind: 'general_delivery' }],
    ['1 Nowhere Blvd, Denver, CO', 404, 'address_not_found', { cached: false }],
    ['1777 Wrongtown St, Boulder, CO', 404, 'address_not_found', { cached: false }],
    ['1777 Wrongstate St, Boulder, CO', 404, 'address_not_found', {}],
    ['1777 Wrongzip St, Boulder, CO 80302', 404, 'address_not_found', {}],
    ['1778 Wrongnumber St, Boulder, CO', 404, 'address_not_found', {}],
    ['1777 Atsea St, Boulder, CO', 404, 'address_not_found', {}],
    ['1777 Otherstate St, Boulder, CO', 404, 'address_not_found', {}],
    [
      '1777 Hopeless St, Boulder, CO',
      404,
      'address_not_found',
      { candidates: [{ resolved_address: '1777 Hopeless St, Boulder, CO 80302', confidence: 0.5 }] },
    ],
    [
      '100 Twice Ave, Dallas, TX',
      400,
      'address_ambiguous',
      {
        candidates: [
          expect.objectContaining({ confidence: 0.95 }),
          expect.objectContaining({ accuracy_type: 'rooftop' }),
        ],
      },
    ],
  ] as const
  test.each(refusals)('%s is %d %s', async (address, status, error, context) => {
    expect(await refused(address)).toMatchObject({ status, error, retryable: false, ...context })
  })

  test('of a provider is cached for a day with cached: true, and costs no second call', async () => {
    await refused('2 Nowhere Blvd, Denver, CO')
    const before = service.requested()
    expect(await refused('2 NOWHERE BLVD DENVER CO')).toMatchObject({ error: 'address_not_found', cached: true })
    expect(service.requested()).toEqual(before)
  })

  test('that is recognized in its text costs no call', async () => {
    const before = service.requested()
    for (const address of [
      'Boulder, CO',
      'PO Box 77, Boulder, CO 80302',
      '1 Rue de Rivoli, Paris, France',
      '40.0, -105.3',
    ])
      await refused(address)
    expect(service.requested()).toEqual(before)
  })
})

describe('a body', () => {
  const bad = [
    [{}, 'missing'],
    [{ address: 5 }, 'string_type'],
    [{ address: null }, 'string_type'],
    [{ address: 'x'.repeat(257) }, 'string_too_long'],
    [{ address: '😀'.repeat(257) }, 'string_too_long'],
    [{ address: ' ' }, 'string_too_short'],
    [{ address: '1 Main\u200b St, Denver CO' }, 'value_error'],
    [{ address: '1 Main\u2028 St, Denver CO' }, 'value_error'],
  ] as const
  test.each(bad)('%j is 422 %s', async (body, type) => {
    const response = await service.post('/v1/geocode', body)
    expect([
      response.status,
      ((await response.json()) as { detail: { type: string; loc: string[] }[] }).detail.map((it) => it.type),
    ]).toEqual([422, [type]])
  })

  test('accepts composed and decomposed letters', async () => {
    const letters = '5 Peñón Nowhere St, Boulder, CO 80302'
    await refused(letters.normalize('NFD'))
    expect(await refused(letters.normalize('NFC'))).toMatchObject({ cached: true })
  })
})

describe('when Geocodio fails', () => {
  const faults: FaultKind[] = [{ status: 429 }, 'html_200', 'reset']
  test.each(faults)(
    'with %j, it is called once and the Census Bureau answers, with a warning about the changed ZIP code',
    async (fault) => {
      const own = await openAddressService()
      own.upstreams.fault({ host: hosts.geocodio }, fault)
      const response = await own.post('/v1/geocode', { address: white })
      expect(await response.json()).toMatchObject({
        provider: 'census',
        accuracy_type: 'range_interpolation',
        accuracy: 0.9,
        warnings: [expect.stringContaining('zip_changed: ')],
      })
      expect(own.requested().census).toBe(1)
      expect(own.requested().geocodio).toBe(1)
      await own.close()
    },
  )

  test.each([
    ['refused', 'entitlement_missing'],
    ['spent', 'quota_exhausted'],
  ])(
    'with a key that is %s, the Census Bureau answers, and when it fails too the error lists both',
    async (key, code) => {
      const own = await openAddressService({ GEOCODIO_API_KEY: key })
      expect(await (await own.post('/v1/geocode', { address: white })).json()).toMatchObject({ provider: 'census' })
      own.upstreams.fault({ host: hosts.census }, 'html_200')
      const detail = await detailOf(await own.post('/v1/geocode', { address: '1 Main St, Denver, CO' }))
      expect(detail).toMatchObject({
        error: 'geocode_unavailable',
        providers: [
          { provider: 'geocodio', error: expect.stringContaining(`${code}: `) },
          { provider: 'census', error: expect.stringContaining('bad_response: ') },
        ],
      })
      expect(JSON.stringify(detail)).not.toContain('Bearer')
      await own.close()
    },
  )

  test('a "no match" of the Census Bureau is returned but not cached, because it proves nothing', async () => {
    const own = await openAddressService()
    own.upstreams.fault({ host: hosts.geocodio, times: 1 }, { status: 500 })
    const address = '1777 Nearest St, Boulder, CO 80302'
    expect(await detailOf(await own.post('/v1/geocode', { address }))).toMatchObject({
      error: 'address_not_found',
      cached: false,
    })
    expect(await (await own.post('/v1/geocode', { address })).json()).toMatchObject({
      provider: 'geocodio',
      accuracy_type: 'nearest_rooftop_match',
    })
    await own.close()
  })
})

describe('when every provider fails', () => {
  const faults: FaultKind[] = [{ status: 500 }, 'wrong_type']
  test.each(faults)('with %j, the error is geocode_unavailable with Retry-After, and is not cached', async (fault) => {
    const own = await openAddressService()
    own.upstreams.fault({ host: hosts.geocodio }, fault)
    own.upstreams.fault({ host: hosts.census }, fault)
    const response = await own.post('/v1/geocode', { address: white })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30'])
    expect(await detailOf(response)).toMatchObject({
      error: 'geocode_unavailable',
      retryable: true,
      providers: [{ provider: 'geocodio' }, { provider: 'census' }],
    })
    own.upstreams.heal()
    expect(await (await own.post('/v1/geocode', { address: white })).json()).toMatchObject({ cached: false })
    await own.close()
  })

  test('with a hanging connection, both time out, and nothing is cached', async () => {
    const own = await openAddressService({}, { limits_ms: { geocode: { geocodio: 50, census: 50, all: 60_000 } } })
    own.upstreams.fault({ host: hosts.geocodio }, 'hang')
    own.upstreams.fault({ host: hosts.census }, 'hang')
    for (let call = 0; call < 2; call++) {
      const response = await own.post('/v1/geocode', { address: white })
      expect(response.status).toBe(504)
      expect(await detailOf(response)).toMatchObject({
        error: 'geocode_timeout',
        providers: [{ error: expect.stringContaining('timeout: ') }, { error: expect.stringContaining('timeout: ') }],
      })
    }
    await own.close()
  })
})

describe('the Census Bureau', () => {
  test('is not called for more than 100 characters', async () => {
    const before = service.requested()
    expect(await refused(`1 Nowhere ${'Long '.repeat(20)}St, Boulder, CO 80302`)).toMatchObject({
      error: 'address_not_found',
    })
    expect(service.requested()).toEqual({ ...before, geocodio: before.geocodio + 1 })
  })

  test('without a Geocodio key is called with the text and the benchmark; a text that is too long for it is geocode_unavailable', async () => {
    const own = await openAddressService({ GEOCODIO_API_KEY: '' })
    expect(await (await own.post('/v1/geocode', { address: white })).json()).toMatchObject({ provider: 'census' })
    expect(Object.fromEntries(own.upstreams.calls[0]!.query)).toEqual({
      address: white,
      benchmark: 'Public_AR_Current',
      format: 'json',
    })
    expect(
      await detailOf(
        await own.post('/v1/geocode', { address: `1 Nowhere ${'Long '.repeat(20)}St, Boulder, CO 80302` }),
      ),
    ).toMatchObject({
      error: 'geocode_unavailable',
      providers: [{ provider: 'census', error: expect.stringContaining('unsupported_request: ') }],
    })
    await own.close()
  })
})

describe('an address in a fetch', () => {
  const fetched = async (body: object, headers = {}) =>
    service.post('/v1/fetch', { fields: ['county'], ...body }, headers)

  test('sets the place, with the geocode object without its coordinate', async () => {
    const answer = (await (await fetched({ address: white })).json()) as FetchAnswer
    const { lat, lng, fetched_at: _, ...echo } = await found(white)
    expect(answer).toMatchObject({
      lat,
      lng,
      resolved_location: { lat, lng, source: 'address' },
      fields: { county: { value: 'District of Columbia', status: 'ok' } },
    })
    expect(Object.keys(answer)).toEqual(words`
      lat lng fetched_at fields partial_failures resolved_location geocode
    `)
    expect({ ...answer.geocode, cached: true, source: 'cache' } as Record<string, unknown>).toEqual({
      ...echo,
      cached: true,
      source: 'cache',
      parcel_grade: true,
      precision_note: null,
    })
  })

  test('is not geocoded for a rejected selection', async () => {
    const before = [service.requested(), (await service.records()).length]
    expect(await detailOf(await fetched({ address: fresh(), fields: ['no_such_field'] }))).toMatchObject({
      error: 'fields_unknown',
    })
    expect([service.requested(), (await service.records()).length]).toEqual(before)
  })

  test.each([
    ['Denver, CO', 'address_too_coarse'],
    ['PO Box 12, Denver, CO 80203', 'address_form_unsupported'],
    ['1777 Coarse St, Boulder, CO', 'address_too_coarse'],
    ['1 Nowhere Blvd, Denver, CO', 'address_not_found'],
    ['100 Twice Ave, Dallas, TX', 'address_ambiguous'],
  ])('that is rejected (%s) has the error of geocode, and in a batch is an entry', async (address, error) => {
    await geocode(address)
    const [single, alone] = [await detailOf(await fetched({ address })), await detailOf(await geocode(address))]
    const { results } = (await (
      await service.post('/v1/fetch/batch', { locations: [{ address }, { address: white }], fields: ['county'] })
    ).json()) as BatchAnswer
    expect(single.error).toBe(error)
    expect(single).toEqual(alone)
    expect(results).toMatchObject([
      { ok: false, error: single },
      { ok: true, geocode: { accuracy_type: 'rooftop' } },
    ] as never)
  })

  test('that repeats in a batch is geocoded once and recorded each time', async () => {
    const before = [service.requested().geocodio, (await service.records()).length] as const
    const address = unit('1109 N Highland St, Arlington, VA 22201')
    const body = (await (
      await service.post('/v1/fetch/batch', {
        locations: Array.from({ length: 10 }, () => ({ address })),
        fields: ['county'],
      })
    ).json()) as BatchAnswer
    expect(body.results.every(({ ok }) => ok)).toBe(true)
    expect([service.requested().geocodio, (await service.records()).length]).toEqual([before[0] + 1, before[1] + 10])
  })

  test('has a parcel only with a precise match', async () => {
    const parcel = async (address: string) =>
      ((await (await fetched({ address, fields: ['parcel_apn', 'county'] })).json()) as FetchAnswer).fields.parcel_apn!
    const before = service.requested().regrid
    expect(await parcel('1777 Range Rd, Boulder, CO 80302')).toMatchObject({
      status: 'failed',
      retryable: false,
      error: expect.stringContaining('unsupported_request: '),
    })
    expect(service.requested().regrid).toBe(before)
    expect(await parcel('1777 Broadway, Boulder, CO 80302')).toMatchObject({ status: 'ok', value: '02001069-71' })
  })

  test('has no parcel without the scope, and no parcel is billed', async () => {
    const before = service.requested().regrid
    const authorization = `Bearer ${await service.tokenOf('small', 'fetch')}`
    const answer = (await (
      await fetched({ lat: 40.7484, lng: -73.9857, fields: ['parcel_apn', 'county'] }, { authorization })
    ).json()) as FetchAnswer
    expect(answer.fields.parcel_apn).toMatchObject({
      status: 'failed',
      retryable: false,
      error: expect.stringContaining('entitlement_missing: '),
    })
    expect(answer.partial_failures.map(({ field }) => field)).toEqual(['parcel_apn'])
    expect(service.requested().regrid).toBe(before)
  })
})

describe('the caller', () => {
  test('needs the scope geocode', async () => {
    const authorization = `Bearer ${await service.tokenOf('fetcher', 'fetch lookup')}`
    const response = await geocode(white, { authorization })
    expect(response.status).toBe(403)
    expect(await detailOf(response)).toMatchObject({ error: 'insufficient_scope', required: ['geocode'] })
  })

  test('is recorded by account, with the outcome, the provider, the cache result, and a stable hash of the address', async () => {
    const before = (await service.records()).length
    const address = unit(white)
    await geocode(address, { authorization: `Bearer ${await service.tokenOf('first', 'geocode')}` })
    await geocode(address.toUpperCase(), { authorization: `Bearer ${await service.tokenOf('second', 'geocode')}` })
    await geocode('Denver, CO')
    const added = (await service.records()).slice(before)
    const records = added.toSorted((a, b) => a.account.localeCompare(b.account))
    expect(records.map(({ address_hash: _hash, ...it }) => it)).toEqual([
      { account: 'first', outcome: 'found', provider: 'geocodio', cached: 0 },
      { account: 'owner', outcome: 'address_too_coarse', provider: null, cached: 0 },
      { account: 'second', outcome: 'found', provider: 'geocodio', cached: 1 },
    ])
    expect(records[0]!.address_hash).toEqual(records[2]!.address_hash)
  })

  test('leaves no address in the log or in the state', async () => {
    await geocode('4711 Secretlane St, Boulder, CO 80302')
    service.upstreams.fault({}, 'html_200')
    await geocode('4712 Secretlane St, Boulder, CO 80302')
    await service.records()
    const stored = (await bytes(service.testService)).toString('latin1')
    expect(`${stored}${service.testService.logged.join('')}`.toLowerCase()).not.toContain('secretlane')
  })
})

test('without a network and packs every address is geocoder_not_configured, which is not retryable', async () => {
  const own = await openAddressService({ FIELDSTONE_OFFLINE: '1' })
  const response = await own.post('/v1/geocode', { address: white })
  expect([response.status, response.headers.get('retry-after')]).toEqual([501, null])
  expect(await detailOf(response)).toMatchObject({ error: 'geocoder_not_configured', retryable: false, providers: [] })
  expect(own.requested()).toEqual({ geocodio: 0, census: 0, regrid: 0 })
  await own.close()
})
