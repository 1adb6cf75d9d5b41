import { describe, expect, test } from 'bun:test'
import { datasets } from '../../catalog/contents.ts'
import { SchemaChanges } from '../../src/fetch/sources/schema-changes.ts'
import type { SourceRegistry, DatasetHandle, SourceOption } from '../../src/fetch/sources/source-registry.ts'
import { otherCountyWarning, parcelAt } from '../../src/fetch/parcel/parcel.ts'
import { UpstreamError, type UpstreamCode } from '../../src/model/error.ts'
import type { Place } from '../../src/model/place.ts'

const denver: Place = { lat: 39.7392, lng: -104.9903, source: 'coordinate', region: 'conus' }
const budget = { signal: new AbortController().signal }
const document = (fields: object) => ({
  parcels: { features: [{ properties: { headline: '440 Burroughs St', fields } }] },
})
const nothing = { parcels: { features: [] } }

let calls: string[] = []

function fakeOption(driver: SourceOption['driver'], answer: unknown, covers = true): SourceOption {
  const source = async () => {
    calls.push(driver)
    if (answer instanceof Error) throw answer
    return answer
  }
  return {
    driver,
    source,
    vintage: null,
    covers: () => covers,
    remote: null,
    queryHistory: null,
    schemaChanges: new SchemaChanges(() => new Date(0)),
  }
}

/** A registry whose parcel dataset has these options. */
function registryOf(...options: SourceOption[]): SourceRegistry {
  calls = []
  const handle: DatasetHandle = {
    id: 'regrid_parcels',
    dataset: datasets.regrid_parcels!,
    options,
    hasAllOptions: true,
    unavailableError: () => new UpstreamError('key_missing', 'No key.'),
  }
  return { dataset: () => handle, datasets: () => [handle] }
}
const upstreamError = (code: UpstreamCode) => new UpstreamError(code, 'It failed.')

describe('the reason without a parcel', () => {
  const reasons = [
    ['timeout', 'parcel_lookup_transient_error'],
    ['quota_exhausted', 'regrid_quota_exhausted'],
    ['connection_failed', 'parcel_lookup_transient_error'],
    ['upstream_5xx', 'parcel_lookup_transient_error'],
    ['rate_limited', 'parcel_lookup_transient_error'],
    ['entitlement_missing', 'parcel_lookup_malformed_response'],
    ['bad_response', 'parcel_lookup_malformed_response'],
    ['source_suspended', 'parcel_lookup_transient_error'],
  ] as const
  test.each(reasons)('is, for the error %s, %s, and the query is not repeated', async (code, reason) => {
    expect(await parcelAt(denver, { registry: registryOf(fakeOption('rest', upstreamError(code))) }, budget)).toBe(
      reason,
    )
    expect(calls).toEqual(['rest'])
  })

  test('is provider_not_configured without an option', async () => {
    expect(await parcelAt(denver, { registry: registryOf() }, budget)).toBe('provider_not_configured')
  })

  test('is no_parcel_at_point without a parcel', async () => {
    expect(await parcelAt(denver, { registry: registryOf(fakeOption('rest', nothing)) }, budget)).toBe(
      'no_parcel_at_point',
    )
  })

  test('is no_parcel_at_point outside the United States, without a query', async () => {
    expect(
      await parcelAt({ ...denver, region: null }, { registry: registryOf(fakeOption('rest', nothing)) }, budget),
    ).toBe('no_parcel_at_point')
    expect(calls).toEqual([])
  })

  test('is not given for an unexpected error, which is rethrown', async () => {
    expect(
      await parcelAt(denver, { registry: registryOf(fakeOption('rest', new TypeError('a bug'))) }, budget).catch(
        (error: unknown) => error,
      ),
    ).toBeInstanceOf(TypeError)
  })
})

describe('a parcel', () => {
  test('from a local pack has the provider pack, and no other option is queried', async () => {
    expect(
      await parcelAt(
        denver,
        {
          registry: registryOf(
            fakeOption('pack', document({ parcelnumb: 5, ll_gisacre: '0.5', yearbuilt: '1926', zoning: '' })),
            fakeOption('rest', nothing),
          ),
        },
        budget,
      ),
    ).toEqual({
      parcel_id: null,
      apn: '5',
      address: '440 Burroughs St',
      county_fips: null,
      area_m2: 2023.428,
      geometry: null,
      geometry_wkt: null,
      owner: null,
      zoning: null,
      land_use: null,
      year_built: 1926,
      assessed_value_usd: null,
      last_sale_date: null,
      last_sale_price_usd: null,
      match_type: 'contains',
      match_distance_m: 0,
      match_radius_m: 0,
      source: 'pack',
      interior_point_lat: null,
      interior_point_lng: null,
    })
    expect(calls).toEqual(['pack'])
  })

  test('comes from the next option when a pack does not cover the place or fails, but not when the pack has no parcel', async () => {
    const regridAnswer = document({ parcelnumb: '02001069-71' })
    expect(
      await parcelAt(
        denver,
        { registry: registryOf(fakeOption('pack', nothing, false), fakeOption('rest', regridAnswer)) },
        budget,
      ),
    ).toMatchObject({ source: 'regrid' })
    expect(
      await parcelAt(
        denver,
        { registry: registryOf(fakeOption('pack', upstreamError('bad_response')), fakeOption('rest', regridAnswer)) },
        budget,
      ),
    ).toMatchObject({ source: 'regrid' })
    expect(
      await parcelAt(
        denver,
        { registry: registryOf(fakeOption('pack', nothing), fakeOption('rest', regridAnswer)) },
        budget,
      ),
    ).toBe('no_parcel_at_point')
    expect(calls).toEqual(['pack'])
  })

  test('has null for a number that cannot be parsed', async () => {
    expect(
      await parcelAt(
        denver,
        { registry: registryOf(fakeOption('rest', document({ ll_gisacre: 'unknown', yearbuilt: 0 }))) },
        budget,
      ),
    ).toMatchObject({ area_m2: null, year_built: null, apn: null })
  })
})

describe('the county of a parcel', () => {
  const parcel = {
    apn: '1',
    parcel_id: null,
    address: null,
    area_m2: null,
    geometry: null,
    geometry_wkt: null,
    owner: null,
    zoning: null,
    land_use: null,
    year_built: null,
    assessed_value_usd: null,
    last_sale_date: null,
    last_sale_price_usd: null,
    match_type: 'contains' as const,
    match_distance_m: 0,
    match_radius_m: 0,
    source: 'regrid',
    interior_point_lat: null,
    interior_point_lng: null,
  }

  test('that is not the county of the point is the reason why the parcel is not attached', () => {
    const warning = otherCountyWarning({ ...parcel, county_fips: '26163' }, '08013')
    expect(warning).toContain('county 26163')
    expect(warning).toContain('county 08013')
  })

  test.each([
    ['is the same', '08013', '08013'],
    ['is not known for the parcel', null, '08013'],
    ['is not known for the point', '08013', null],
    ['is a former county of Connecticut', '09001', '09190'],
  ])('is no reason if it %s', (_, ofParcel, ofPoint) => {
    expect(otherCountyWarning({ ...parcel, county_fips: ofParcel }, ofPoint)).toBeNull()
  })
})
