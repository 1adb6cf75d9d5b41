import { describe, expect, test } from 'bun:test'
import { usEnvelope } from '../../src/geo/us.ts'
import { ApiError } from '../../src/model/error.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createLocate, type LocationInput } from '../../src/place/locate.ts'
import { embeddedFile } from '../support/test-service.ts'

const embedded = openEmbeddedData(embeddedFile)

const unavailable = () =>
  Promise.reject(new ApiError('geocode_unavailable', 'No geocoder answered.', { providers: [], retry_after_s: 30 }))
const budget = { signal: new AbortController().signal }
const locate = createLocate(embedded, unavailable)('somebody')
const errorOf = async (location: LocationInput) => {
  const refusal = await Promise.try(locate, location, budget).catch((error: unknown) => error)
  return refusal instanceof ApiError ? (refusal.detail as Record<string, unknown>) : refusal
}

describe('a coordinate is a place', () => {
  test.each([
    ['Denver', 39.7392, -104.9903, 'conus'],
    ['Washington', 38.9, -77.03, 'conus'],
    ['Anchorage', 61.2181, -149.9003, 'ak'],
    ['Attu', 52.9, 172.9, 'ak'],
    ['Honolulu', 21.3069, -157.8583, 'hi'],
    ['San Juan', 18.4655, -66.1057, 'pr'],
    ['Charlotte Amalie', 18.3419, -64.9307, 'vi'],
    ['Hagåtña', 13.4745, 144.7504, 'gu'],
    ['Pago Pago', -14.2794, -170.7006, 'as'],
    ['Saipan', 15.1869, 145.7545, 'mp'],
    ['Lake Michigan', 43.5, -87, 'conus'],
  ] as const)('has the region that contains it: %s', async (_name, lat, lng, region) => {
    expect(await locate({ lat, lng }, budget)).toEqual({ lat, lng, source: 'coordinate', region })
  })

  test.each([
    ['Toronto', 43.65, -79.38],
    ['Tijuana', 32.51, -117.02],
    ['the open sea', 27.4, -73],
    ['the antimeridian at sea', 51.9, 180],
    ['the Russian side of the Bering Sea', 65, -169.5],
  ])('has no region if it is inside the envelope but not in the United States: %s', async (_name, lat, lng) => {
    expect(await locate({ lat, lng }, budget)).toEqual({ lat, lng, source: 'coordinate', region: null })
  })

  test('keeps the sent numbers exactly', async () => {
    const at = { lat: 39.739_236_123_456_78, lng: -104.990_251_987_654_3 }
    expect(await locate(at, budget)).toMatchObject(at)
  })
})

describe('a coordinate outside the envelope is rejected', () => {
  test.each([
    [48.85, 2.35],
    [95, -100],
    [-90, 0],
    [0, 0],
    [1e300, -1e300],
  ])('%p, %p', async (lat, lng) => {
    expect(await errorOf({ lat, lng })).toEqual({
      error: 'coord_out_of_bounds',
      message: `${lat}, ${lng} is outside the United States and its territories.`,
      retryable: false,
      documentation_url: '/guide/errors#coord_out_of_bounds',
      lat,
      lng,
      envelope: usEnvelope,
    })
  })

  test.each([
    ['swapped values', -104.9903, 39.7392, 'The values look swapped; latitude comes first. Did you mean'],
    ['a missing minus sign', 39.7392, 104.9903, 'The minus sign of the longitude seems to be missing. Did you mean'],
    ['a latitude of the south', -39.7392, -104.9903, 'The latitude has a minus sign, which places it south'],
    ['both', 104.9903, 39.7392, 'The values look swapped; latitude comes first. The minus sign'],
    ['Web Mercator', 4828115.596, -11687466.734, 'The values look like Web Mercator coordinates (EPSG:3857).'],
    ['Web Mercator, swapped', -11687466.734, 4828115.596, 'The values look like Web Mercator coordinates'],
  ])('with a hint and a suggestion for %s', async (_name, lat, lng, hint) => {
    const { message, suggestion } = (await errorOf({ lat, lng })) as Record<string, string>
    expect(message).toContain(hint)
    expect(suggestion).toBe('39.7392, -104.9903')
  })

  test.each([
    [4_398_500, 500_800],
    [500_800, 4_398_500],
  ])('with a hint for UTM coordinates: %p, %p', async (lat, lng) => {
    const error = (await errorOf({ lat, lng })) as Record<string, string>
    expect(error.message).toContain('look like UTM coordinates in meters. Convert them to degrees')
    expect(error.suggestion).toBeUndefined()
  })

  test('without a negative zero', async () => {
    expect(await errorOf({ lat: -0, lng: -0 })).toMatchObject({
      message: '0, 0 is outside the United States and its territories.',
    })
  })
})

test.each<[string, LocationInput]>([
  ['latitude and longitude', { lat: 40, lng: -105 }],
  ['latitude', { lat: 40 }],
  ['longitude', { lng: -105 }],
])('an address together with a %s is invalid_locator', async (_name, coordinate) => {
  expect(await errorOf({ ...coordinate, address: '1 Main St' })).toMatchObject({
    error: 'invalid_locator',
    retryable: false,
  })
})

test('an address that cannot be geocoded fails with the error of its geocode', async () => {
  expect(await errorOf({ address: '1600 Pennsylvania Ave NW, Washington DC' })).toEqual({
    error: 'geocode_unavailable',
    message: 'No geocoder answered.',
    retryable: true,
    documentation_url: '/guide/errors#geocode_unavailable',
    providers: [],
    retry_after_s: 30,
  })
})
