import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { marketFields, contextFields } from '../../src/lookup/place-context.ts'
import { openAddressService } from './address-service.ts'
import { detailOf } from '../support/http-service.ts'
import { openTestService } from '../support/test-service.ts'

const service = await openAddressService({ REGRID_API_TOKEN: 'test-regrid', CENSUS_API_KEY: 'test-census' })
afterAll(service.close)
beforeEach(() => service.upstreams.heal())

const boulder = '40.015, -105.2705'
const rooftop = '1777 Broadway, Boulder, CO 80302'
type Answer = Record<string, unknown> & {
  county_market: Record<string, unknown>
  context_failures: { member: string }[]
}

const ask = (body: object, headers = {}) => service.post('/v1/lookup', body, headers)
async function looked(input: string, more: object = {}): Promise<Answer> {
  const response = await ask({ input, ...more })
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}
const parcelOf = async (input: string) => {
  const { parcel_unavailable, parcel_unavailable_reason, parcel } = await looked(input, { include_parcel: true })
  return { parcel_unavailable, parcel_unavailable_reason, parcel }
}
const without = (reason: string) => ({ parcel_unavailable: true, parcel_unavailable_reason: reason, parcel: null })

describe('a coordinate', () => {
  test('is resolved, with every member of the specification', async () => {
    const answer = await looked(boulder)
    expect(answer).toMatchObject({
      disposition: 'resolved',
      lat: 40.015,
      lng: -105.2705,
      resolved_address: null,
      match_method: 'coordinate',
      confidence: 1,
      ...without('not_requested'),
      state_fips: '08',
      state: 'Colorado',
      state_code: 'CO',
      county_fips: '08013',
      county: 'Boulder County',
      congressional_district: 'CO-02',
      timezone: 'America/Denver',
      in_opportunity_zone: true,
      within_floodplain: false,
      context_failures: [],
    })
    expect(Object.keys(answer)).toEqual([
      'disposition',
      'lat',
      'lng',
      'fetched_at',
      'resolved_location',
      'resolved_address',
      'match_method',
      'confidence',
      'warnings',
      'parcel_unavailable',
      'parcel_unavailable_reason',
      'parcel',
      ...Object.keys(contextFields),
      'county_market',
      'context_failures',
    ])
    expect(Object.keys(answer.county_market)).toEqual(['as_of', ...Object.keys(marketFields)])
  })

  test('has the same context values as a fetch of these fields', async () => {
    const answer = await looked(boulder)
    const names = [...Object.entries(contextFields), ...Object.entries(marketFields)]
    const { fields } = (await (
      await service.post('/v1/fetch', { lat: 40.015, lng: -105.2705, fields: names.map(([, field]) => field) })
    ).json()) as FetchAnswer
    expect(names.map(([member]) => answer[member] ?? answer.county_market[member] ?? null)).toEqual(
      names.map(([, field]) => fields[field]!.value),
    )
    expect(answer.county_market.as_of).toBe(fields.county_population!.dataset_vintage)
  })

  test('has no edition of the county market when it has none of its values', async () => {
    await using offline = openTestService()
    const answer = (await (await offline.post('/v1/lookup', { input: boulder })).json()) as {
      county_market: Record<string, unknown>
    }
    expect(new Set(Object.values(answer.county_market))).toEqual(new Set([null]))
  })

  test.each([
    '40.015 -105.2705',
    '40.015,-105.2705',
    '(40.015, -105.2705)',
    '40.015N 105.2705W',
    '40°00\'54"N 105°16\'13.8"W',
  ])('can be written as %s', async (input) => {
    expect(await looked(input)).toMatchObject({
      disposition: 'resolved',
      match_method: 'coordinate',
      county: 'Boulder County',
    })
  })

  test.each(['-105.2705, 40.015', '-105.2705 40.015'])(
    'with its longitude first is resolve_coord_bounds, with the right order as a suggestion: %s',
    async (input) => {
      const response = await ask({ input })
      const { suggestion, ...detail } = await detailOf(response)
      expect([response.status, detail]).toEqual([
        422,
        {
          error: 'resolve_coord_bounds',
          message: expect.any(String),
          retryable: false,
          documentation_url: '/guide/errors#resolve_coord_bounds',
        },
      ])
      expect(await looked(String(suggestion))).toMatchObject({ disposition: 'resolved', lat: 40.015, lng: -105.2705 })
    },
  )

  test.each(['48.85, 2.35', '0, 0', '95, -105'])(
    'outside the United States is coord_out_of_bounds: %s',
    async (input) => {
      const response = await ask({ input })
      expect(response.status).toBe(400)
      expect(await detailOf(response)).toMatchObject({ error: 'coord_out_of_bounds', envelope: expect.any(Array) })
    },
  )

  test('in Toronto is resolved, and no source without coverage is queried', async () => {
    expect(await looked('43.65, -79.38', { include_parcel: true })).toMatchObject({
      disposition: 'resolved',
      state: null,
      county: null,
      in_opportunity_zone: null,
      context_failures: [],
      ...without('no_parcel_at_point'),
    })
  })
})

describe('an address', () => {
  test('is resolved by geocoding', async () => {
    expect(await looked(rooftop)).toMatchObject({
      disposition: 'resolved',
      lat: 40.015,
      lng: -105.2705,
      resolved_address: rooftop,
      match_method: 'geocode_rooftop',
      confidence: 1,
      warnings: [],
      county: 'Boulder County',
    })
  })

  test('with an uncertain match is resolved with a low confidence and a warning', async () => {
    expect(await looked('1777 Doubtful St, Boulder, CO 80302')).toMatchObject({
      disposition: 'resolved',
      confidence: 0.7,
      warnings: [expect.stringContaining('low_score')],
    })
  })

  test('with several possible places is clarify, with the candidates', async () => {
    const answer = await looked('100 Twice Ave, Dallas, TX')
    expect(answer).toEqual({
      disposition: 'clarify',
      fetched_at: expect.stringMatching(/\+00:00$/),
      hint: expect.any(String),
      candidates: [75_201, 75_217].map((zip) => ({
        resolved_address: `100 Twice Ave, Dallas, TX ${zip}`,
        lat: expect.any(Number),
        lng: expect.any(Number),
        confidence: 0.95,
        match_method: 'geocode_rooftop',
        accuracy_type: 'rooftop',
      })),
    } as never)
  })

  const none = [
    ['014-000-123-45', 'apn_not_supported_in_v1'],
    ['1 Nowhere Blvd, Denver, CO', 'address_not_found'],
    ['1777 Wrongstate St, Boulder, CO', 'wrong_locality'],
    ['1777 Coarse St, Boulder, CO', 'address_too_coarse'],
    ['10 Downing Street, London, UK', 'address_outside_us'],
    ['PO Box 12, Denver, CO 80203', 'address_form_unsupported'],
  ] as const
  test.each(none)('without a place (%s) is no_match: %s', async (input, reason) => {
    expect(await looked(input, { include_parcel: true })).toEqual({
      disposition: 'no_match',
      fetched_at: expect.stringMatching(/\+00:00$/),
      reason,
      hint: expect.stringMatching(/^[A-Z].*\.$/),
    } as never)
  })

  test('on two lines is the same as on one', async () => {
    const line = '1777 Broadway, Boulder, CO 80302'
    const answer = (await looked(line.replace(', ', '\r\n'))) as Record<string, unknown>
    expect(answer).toMatchObject({ disposition: 'resolved', resolved_address: line })
  })

  test('in another town is no_match: wrong_locality, with the difference and the match as a candidate', async () => {
    expect(await looked('1777 Wrongtown St, Boulder, CO')).toMatchObject({
      disposition: 'no_match',
      reason: 'wrong_locality',
      hint: expect.stringMatching(/^The match is in Denver, not Boulder\. /),
      candidates: [{ resolved_address: '1777 Wrongtown St, Denver, CO 80203' }],
    })
  })

  const named = [
    ['Denver, CO', ['Denver, CO'], 'place'],
    ['Boulder', expect.arrayContaining(['Boulder, CO']), 'place'],
    ['80202', ['Denver, CO 80202'], 'zip'],
    ['DEN airport', ['DENVER INTL, CO'], 'place'],
    ['Denver International Airport', ['DENVER INTL, CO'], 'place'],
    ['Boulder County, CO', ['Boulder County, CO'], 'county'],
    ['Hanalei Bay', ['Hanalei Bay, HI'], 'place'],
  ] as const
  test.each(named)(
    'of a place (%s) has that place as a candidate, and never as a match',
    async (input, names, grade) => {
      const answer = (await looked(input)) as unknown as { candidates: Record<string, unknown>[] }
      expect(answer).toMatchObject({ disposition: 'no_match', reason: 'address_too_coarse' })
      expect(answer.candidates.map(({ resolved_address }) => resolved_address)).toEqual(names)
      for (const candidate of answer.candidates)
        expect(candidate).toMatchObject({ accuracy_type: grade, match_method: `geocode_${grade}`, confidence: 0.5 })
    },
  )

  test('without an available geocoder is geocode_unavailable', async () => {
    service.upstreams.fault({ host: 'api.geocod.io', times: 1 }, { status: 500 })
    service.upstreams.fault({ host: 'geocoding.geo.census.gov', path: /onelineaddress/ }, 'html_200')
    const response = await ask({ input: '3 Nowhere Blvd, Denver, CO' })
    expect([response.status, await detailOf(response)]).toMatchObject([503, { error: 'geocode_unavailable' }])
  })

  test('is one audit record per request; a coordinate and a parcel number are none', async () => {
    const before = (await service.records()).length
    await looked(rooftop)
    await ask({ input: 'Denver, CO' }, { authorization: `Bearer ${await service.tokenOf('tenant', 'lookup')}` })
    for (const input of [boulder, '014-000-123-45']) await looked(input)
    await ask({ input: '-105.2705, 40.015' })
    const records = (await service.records()).slice(before)
    expect(records.map(({ account, outcome }) => [account, outcome])).toEqual([
      ['owner', 'found'],
      ['tenant', 'address_too_coarse'],
    ])
  })
})

describe('the parcel', () => {
  const parcel = {
    apn: '02001069-71',
    address: 'Made-up parcel',
    county_fips: '08013',
    area_m2: 2822.318,
    land_use: 'OFFICE BLDG-3 STORIES OR MORE',
    zoning: 'SD2',
    year_built: 1926,
    geometry: expect.stringMatching(/^\{"type":"Polygon","coordinates":\[\[\[-105\./),
    geometry_wkt: expect.stringMatching(/^POLYGON \(\(-105\./),
    match_type: 'contains',
    match_distance_m: 0,
    match_radius_m: 0,
    source: 'regrid',
  }

  test('is included and billed only on request', async () => {
    const before = service.requested().regrid
    expect(await looked('40.7484, -73.9857')).toMatchObject(without('not_requested'))
    expect(await looked('40.7484, -73.9857', { include_parcel: false })).toMatchObject(without('not_requested'))
    expect(service.requested().regrid).toBe(before)
  })

  test('is included for a coordinate and a rooftop, and is billed once', async () => {
    expect(await parcelOf(boulder)).toMatchObject({
      parcel_unavailable: false,
      parcel_unavailable_reason: null,
      parcel,
    })
    expect(await parcelOf(rooftop)).toMatchObject({
      parcel_unavailable: false,
      parcel_unavailable_reason: null,
      parcel,
    })
    expect(service.requested().regrid).toBe(1)
  })

  test('has null for an unknown year and zoning', async () => {
    expect(await parcelOf('39.28, -97.07')).toMatchObject({
      parcel: { apn: '014-000', year_built: null, zoning: null, land_use: 'AGRICULTURAL', area_m2: 640212.686 },
    })
  })

  test.each([
    '1777 Range Rd, Boulder, CO 80302',
    '1777 Point St, Boulder, CO 80302',
    '1777 Census Ln, Boulder, CO 80302',
  ])('is coarse_geocode for %s, and is not billed', async (input) => {
    const before = service.requested().regrid
    expect(await parcelOf(input)).toEqual(without('coarse_geocode'))
    expect(service.requested().regrid).toBe(before)
  })

  test('is no_parcel_at_point where there is no parcel', async () => {
    expect(await parcelOf('25.7907, -80.13')).toEqual(without('no_parcel_at_point'))
  })

  test.each([
    [{ status: 500 as const }, 'parcel_lookup_transient_error'],
    ['html_200' as const, 'parcel_lookup_malformed_response'],
    ['reset' as const, 'parcel_lookup_transient_error'],
    [{ status: 402 as never }, 'regrid_quota_exhausted'],
  ])('is %j: %s, called once, and the place is still resolved', async (fault, reason) => {
    const before = service.requested().regrid
    service.upstreams.fault({ host: 'app.regrid.com' }, fault)
    const answer = await looked('29.9511, -90.0715', { include_parcel: true })
    expect(answer).toMatchObject({ disposition: 'resolved', state_code: 'LA', ...without(reason) })
    expect(service.requested().regrid).toBe(before + 1)
  })

  test('needs the scope parcel, which is checked before any call', async () => {
    const before = service.requested()
    const response = await ask(
      { input: '1777 Nearest St, Boulder, CO 80302', include_parcel: true },
      { authorization: `Bearer ${await service.tokenOf('poor', 'lookup')}` },
    )
    expect(response.status).toBe(403)
    expect(await detailOf(response)).toMatchObject({ error: 'insufficient_scope', required: ['parcel'] })
    expect(service.requested()).toEqual(before)
  })
})

describe('a context member whose source failed', () => {
  test('is null and listed, and the others have values', async () => {
    service.upstreams.fault({ host: 'epqs.nationalmap.gov' }, { status: 500 })
    service.upstreams.fault({ host: 'hazards.fema.gov' }, { status: 500 })
    const answer = await looked('18.4655, -66.1057')
    expect(answer).toMatchObject({
      disposition: 'resolved',
      state: 'Puerto Rico',
      state_code: 'PR',
      fema_flood_zone: null,
      within_floodplain: null,
    })
    const members = answer.context_failures.map(({ member }) => member)
    expect(members).toEqual(expect.arrayContaining(['fema_flood_zone', 'within_floodplain', 'coastal_high_hazard']))
    expect(members).not.toContain('state')
    expect(answer.context_failures.find(({ member }) => member === 'fema_flood_zone')).toEqual({
      member: 'fema_flood_zone',
      field: 'fema_flood_zone',
      source: 'fema_nfhl',
      dataset_vintage: null,
      reason: 'upstream_5xx',
      error: expect.stringMatching(/^upstream_5xx: ./),
      retryable: true,
    } as never)
  })

  test('is listed by its path in county_market', async () => {
    service.upstreams.fault({ host: 'www2.census.gov' }, { status: 500 })
    service.upstreams.fault({ host: 'api.bls.gov' }, { status: 500 })
    const own = await openAddressService({ FIELDSTONE_OFFLINE: '1' })
    const answer = (await (await own.post('/v1/lookup', { input: boulder, include_parcel: true })).json()) as Answer
    expect(answer).toMatchObject({
      disposition: 'resolved',
      state: 'Colorado',
      county: 'Boulder County',
      timezone: 'America/Denver',
      elevation_m: null,
      ...without('provider_not_configured'),
    })
    expect(answer.context_failures.map(({ member }) => member)).toEqual(
      expect.arrayContaining([
        'elevation_m',
        'fema_flood_zone',
        'county_market.population',
        'county_market.median_household_income_usd',
      ]),
    )
    expect(
      Object.values(answer.county_market)
        .slice(1)
        .every((it) => it === null),
    ).toBe(true)
    await own.close()
  })
})

describe('a body', () => {
  const bad = [
    [{}, ['missing']],
    [{ input: 5 }, ['string_type']],
    [{ input: 'x'.repeat(257) }, ['string_too_long']],
    [{ input: '' }, ['string_too_short']],
    [{ input: '1 Main\u202e St' }, ['value_error']],
    [{ input: boulder, include_parcel: 'yes' }, ['bool_parsing']],
    [{ input: 'x'.repeat(257), include_parcel: 1 }, ['bool_parsing', 'string_too_long']],
  ] as const
  test.each(bad)('%j is 422 with every violation', async (body, types) => {
    const response = await service.post('/v1/lookup', body)
    expect(response.status).toBe(422)
    expect(
      ((await response.json()) as { detail: { type: string }[] }).detail.map(({ type }) => type).toSorted(),
    ).toEqual([...types].toSorted())
  })

  test('of 256 characters is looked up', async () => {
    expect(await looked(`${rooftop}${' '.repeat(256 - rooftop.length)}`)).toMatchObject({ disposition: 'resolved' })
  })
})

test('a lookup needs the scope lookup', async () => {
  const response = await ask(
    { input: boulder },
    { authorization: `Bearer ${await service.tokenOf('fetcher', 'fetch geocode parcel')}` },
  )
  expect(response.status).toBe(403)
  expect(await detailOf(response)).toMatchObject({ error: 'insufficient_scope', required: ['lookup'] })
})

describe('a run of lookups', () => {
  const submit = async (path: string, body: string, type: string, headers = {}) =>
    service.ask(path, { method: 'POST', headers: { 'content-type': type, prefer: 'wait=20', ...headers }, body })
  const csvOf = async (response: Response) => {
    const { run_id } = (await response.json()) as { run_id: string }
    const csv = await (await service.ask(`/v1/runs/${run_id}/artifacts/csv`)).text()
    const [header, ...rows] = csv.trim().split('\r\n')
    return { names: header!.split(','), rows }
  }

  test('includes the parcels on request, also of a CSV file', async () => {
    const request = { kind: 'lookup_batch', request: { inputs: [rooftop], include_parcel: true } }
    const fromJson = await csvOf(await submit('/v1/runs', JSON.stringify(request), 'application/json'))
    const fromCsv = await csvOf(
      await submit('/v1/runs?kind=lookup_batch&include_parcel=true', `address\n"${rooftop}"\n`, 'text/csv'),
    )
    const { parcel } = await looked(rooftop, { include_parcel: true })
    const { apn } = parcel as { apn: string }
    for (const { names, rows } of [fromJson, fromCsv]) {
      expect(names).toContain('parcel.apn')
      expect(rows[0]).toContain(apn)
    }
  })

  test('without a request has no parcel, and with one needs the scope', async () => {
    const body = { kind: 'lookup_batch', request: { inputs: [rooftop] } }
    expect((await csvOf(await submit('/v1/runs', JSON.stringify(body), 'application/json'))).names).not.toContain(
      'parcel.apn',
    )
    const authorization = `Bearer ${await service.tokenOf('noparcel', 'runs lookup')}`
    const withParcel = JSON.stringify({ ...body, request: { ...body.request, include_parcel: true } })
    const response = await submit('/v1/runs', withParcel, 'application/json', { authorization })
    expect([response.status, (await detailOf(response)).required]).toEqual([403, ['parcel']])
  })

  test('says that a coordinate is a coordinate, also where it was rejected', async () => {
    const body = { kind: 'lookup_batch', request: { inputs: [boulder, '-105.2705, 40.015', 'Denver'] } }
    const { names, rows } = await csvOf(await submit('/v1/runs', JSON.stringify(body), 'application/json'))
    expect(rows.map((row) => row.split(',')[names.indexOf('source')])).toEqual(['coordinate', 'coordinate', 'address'])
  })
})
