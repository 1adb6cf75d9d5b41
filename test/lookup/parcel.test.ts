import { describe, expect, test } from 'bun:test'
import { datasets } from '../../catalog/contents.ts'
import type { SourceRegistry, DatasetHandle, SourceOption } from '../../src/fetch/source-registry.ts'
import { parcelAt } from '../../src/lookup/parcel.ts'
import { UpstreamError, type UpstreamCode } from '../../src/model/error.ts'
import type { Place } from '../../src/model/place.ts'

const denver: Place = { lat: 39.7392, lng: -104.9903, source: 'coordinate', region: 'conus' }
const budget = { signal: new AbortController().signal }
const document = (fields: object) => ({
  parcels: { features: [{ properties: { headline: '440 Burroughs St', fields } }] },
})
const nothing = { parcels: { features: [] } }

let calls: string[] = []

function way(driver: SourceOption['driver'], said: unknown, covers = true): SourceOption {
  const source = async () => {
    calls.push(driver)
    if (said instanceof Error) throw said
    return said
  }
  return { driver, source, vintage: null, covers: () => covers, remote: null, queryHistory: null }
}

/** A library that has parcels by these ways. */
function library(...options: SourceOption[]): SourceRegistry {
  calls = []
  const shelf: DatasetHandle = {
    id: 'regrid_parcels',
    dataset: datasets.regrid_parcels!,
    options,
    hasAllOptions: true,
    unavailableError: () => new UpstreamError('key_missing', 'There is no key.'),
  }
  return { dataset: () => shelf, datasets: () => [shelf] }
}
const failing = (code: UpstreamCode) => new UpstreamError(code, 'It failed.')

describe('why there is no parcel', () => {
  const reasons = [
    ['timeout', 'timeout'],
    ['quota_exhausted', 'quota_exhausted'],
    ['connection_failed', 'provider_error'],
    ['upstream_5xx', 'provider_error'],
    ['rate_limited', 'provider_error'],
    ['entitlement_missing', 'provider_error'],
    ['bad_response', 'provider_error'],
    ['source_suspended', 'provider_error'],
  ] as const
  test.each(reasons)('%s is %s, and is not asked a second time', async (code, reason) => {
    expect(await parcelAt(denver, { registry: library(way('rest', failing(code))) }, budget)).toBe(reason)
    expect(calls).toEqual(['rest'])
  })

  test('no way is provider_not_configured', async () => {
    expect(await parcelAt(denver, { registry: library() }, budget)).toBe('provider_not_configured')
  })

  test('no parcel is no_parcel_at_point', async () => {
    expect(await parcelAt(denver, { registry: library(way('rest', nothing)) }, budget)).toBe('no_parcel_at_point')
  })

  test('outside the United States is no_parcel_at_point, and nobody is asked', async () => {
    expect(await parcelAt({ ...denver, region: null }, { registry: library(way('rest', nothing)) }, budget)).toBe(
      'no_parcel_at_point',
    )
    expect(calls).toEqual([])
  })

  test('a fault of ours is thrown as it is', async () => {
    expect(
      await parcelAt(denver, { registry: library(way('rest', new TypeError('a bug'))) }, budget).catch(
        (error: unknown) => error,
      ),
    ).toBeInstanceOf(TypeError)
  })
})

describe('a parcel', () => {
  test('of a local pack is free: its provider is the pack, and nobody else is asked', async () => {
    expect(
      await parcelAt(
        denver,
        {
          registry: library(
            way('pack', document({ parcelnumb: 5, ll_gisacre: '0.5', yearbuilt: '1926', zoning: '' })),
            way('rest', nothing),
          ),
        },
        budget,
      ),
    ).toEqual({
      apn: '5',
      address: '440 Burroughs St',
      county_fips: null,
      acres: 0.5,
      land_use_code: null,
      land_use_description: null,
      zoning: null,
      year_built: 1926,
      provider: 'pack',
    })
    expect(calls).toEqual(['pack'])
  })

  test('is asked of the next way where a pack does not reach or cannot be read, and not where it has none', async () => {
    const bought = document({ parcelnumb: '02001069-71' })
    expect(
      await parcelAt(denver, { registry: library(way('pack', nothing, false), way('rest', bought)) }, budget),
    ).toMatchObject({ provider: 'regrid' })
    expect(
      await parcelAt(denver, { registry: library(way('pack', failing('bad_response')), way('rest', bought)) }, budget),
    ).toMatchObject({ provider: 'regrid' })
    expect(await parcelAt(denver, { registry: library(way('pack', nothing), way('rest', bought)) }, budget)).toBe(
      'no_parcel_at_point',
    )
    expect(calls).toEqual(['pack'])
  })

  test('with text that is no number has null for it', async () => {
    expect(
      await parcelAt(
        denver,
        { registry: library(way('rest', document({ ll_gisacre: 'unknown', yearbuilt: 0 }))) },
        budget,
      ),
    ).toMatchObject({ acres: null, year_built: null, apn: null })
  })
})
