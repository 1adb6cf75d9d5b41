import { afterAll, describe, expect, test } from 'bun:test'
import { detailOf, openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const presets = [...service.testService.app.catalog.presets.keys()]
const names = [...service.testService.app.catalog.fields.keys()]
const fields = ['county']
const sentence = expect.stringMatching(/^\S.{20,}[.?]$/s) as unknown

/** A complete error object: code, message, retryable and context. */
const refusal = (error: string, context: Record<string, unknown> = {}, retryable = false) => ({
  error,
  message: sentence,
  retryable,
  documentation_url: `/guide/errors#${error}`,
  ...context,
})

async function refused(
  path: string,
  body: unknown,
): Promise<{ status: number; detail: Record<string, unknown>; retryAfter: string | null }> {
  const response = await service.post(path, body)
  return { status: response.status, detail: await detailOf(response), retryAfter: response.headers.get('retry-after') }
}

describe('a coordinate outside the envelope', () => {
  const box = [expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)]
  const outside = [
    ['Paris', 48.85, 2.35],
    ['nowhere', 0, 0],
    ['latitude 95', 95, -100],
    ['longitude -200', 40, -200],
    ['Mexico City', 19.43, -99.13],
    ['a huge number', 1e300, -1e300],
    ['the smallest number', 5e-324, 5e-324],
  ] as const
  test.each(outside)(
    '%s is coord_out_of_bounds, 400, with the coordinate and the envelope',
    async (_name, lat, lng) => {
      const { status, detail, retryAfter } = await refused('/v1/fetch', { lat, lng, fields })
      expect(status).toBe(400)
      expect(detail).toEqual(refusal('coord_out_of_bounds', { lat, lng, envelope: expect.any(Array) }))
      expect(detail.envelope).toEqual(Array.from({ length: 9 }, () => box))
      expect(retryAfter).toBeNull()
    },
  )

  test('the message mentions swapped coordinates only when they look swapped', async () => {
    const swapped = await refused('/v1/fetch', { lat: denver.lng, lng: denver.lat, fields })
    const lost = await refused('/v1/fetch', { lat: 0, lng: 0, fields })
    expect([swapped.detail.message, lost.detail.message].map((it) => String(it).includes('swapped'))).toEqual([
      true,
      false,
    ])
  })

  const edges = [
    ['-180', 51.9, -180],
    ['180', 51.9, 180],
  ] as const
  test.each(edges)('longitude %s is inside, in the Aleutians across the antimeridian', async (_name, lat, lng) => {
    expect((await service.post('/v1/fetch', { lat, lng, fields })).status).toBe(200)
  })
})

describe('a location', () => {
  const both = [
    ['lat, lng and address', { ...denver, address: '1 Main St, Denver CO' }],
    ['lat and address', { lat: 39, address: '1 Main St, Denver CO' }],
  ] as const
  test.each(both)('of %s is invalid_locator, 422', async (_name, location) => {
    const { status, detail } = await refused('/v1/fetch', { ...location, fields })
    expect({ status, detail }).toEqual({ status: 422, detail: refusal('invalid_locator') })
  })

  test('by address is geocoder_not_configured, 501, without a geocoder', async () => {
    const { status, detail, retryAfter } = await refused('/v1/fetch', {
      address: '1600 Pennsylvania Ave NW, Washington DC',
      fields,
    })
    expect({ status, detail }).toEqual({ status: 501, detail: refusal('geocoder_not_configured', { providers: [] }) })
    expect(retryAfter).toBeNull()
  })
})

describe.each(['/v1/fetch', '/v1/fetch/batch'])('a selection sent to %s', (path) => {
  const where = path.endsWith('batch') ? { locations: [denver] } : denver
  const ask = (selection: Record<string, unknown>) => refused(path, { ...where, ...selection })

  const none = [
    ['neither fields nor preset', {}],
    ['no fields', { fields: [] }],
    ['an empty preset', { preset: '' }],
    ['both empty', { fields: [], preset: '' }],
  ] as const
  test.each(none)('of %s is no_fields_requested, 400, with the presets', async (_name, selection) => {
    expect(await ask(selection)).toEqual({
      status: 400,
      detail: refusal('no_fields_requested', { presets }),
      retryAfter: null,
    })
  })

  test.each(['nope', 'Terrain', 'terrain ', '__proto__', 'constructor', 'toString', 'fields'])(
    'with the preset %j is preset_unknown, 400, with all presets',
    async (preset) => {
      expect(await ask({ preset, fields })).toEqual({
        status: 400,
        detail: refusal('preset_unknown', { preset, presets }),
        retryAfter: null,
      })
    },
  )

  test('with unknown fields is fields_unknown, 400, with each of them and its suggestions', async () => {
    const { status, detail } = await ask({ preset: 'terrain', fields: ['county', 'slope', 'qqqq'] })
    expect(status).toBe(400)
    expect(detail).toEqual(
      refusal('fields_unknown', {
        fields_unknown: ['slope', 'qqqq'],
        suggestions: { slope: expect.any(Array), qqqq: [] },
      }),
    )
  })

  test('of 51 fields is fields_too_many, 400, with the number and the maximum; 50 are answered', async () => {
    expect(await ask({ fields: names.slice(0, 51) })).toEqual({
      status: 400,
      detail: refusal('fields_too_many', { requested: 51, max: 50 }),
      retryAfter: null,
    })
    expect((await service.post(path, { ...where, fields: names.slice(0, 50) })).status).toBe(200)
  })

  test('counts every field once', async () => {
    expect(
      (await service.post(path, { ...where, fields: Array.from({ length: 10_000 }, () => 'county') })).status,
    ).toBe(200)
  })
})

describe('the suggestions for an unknown field', () => {
  const meant = [
    ['slope', 'slope_degrees'],
    ['flood zone', 'fema_flood_zone'],
    ['elevatoin', 'elevation'],
    ['Elevation', 'elevation'],
    ['slopeDegrees', 'slope_degrees'],
    ['is_wetland', 'intersects_wetland'],
    ['tree_canopy', 'tree_canopy_pct'],
    ['county_fip', 'county_fips'],
  ] as const
  test.each(meant)('for %j start with %s', async (unknown, first) => {
    const { detail } = await refused('/v1/fetch', { ...denver, fields: [unknown] })
    const suggestions = (detail.suggestions as Record<string, string[]>)[unknown]!
    expect(suggestions[0]).toBe(first)
    expect(suggestions.filter((name) => !names.includes(name))).toEqual([])
    expect(suggestions.length).toBeLessThanOrEqual(5)
  })

  test.each(['qqqq', '', '___', '💧', 'x'.repeat(5000)])('are empty for nonsense (%#)', async (unknown) => {
    const { status, detail } = await refused('/v1/fetch', { ...denver, fields: [unknown] })
    expect({ status, suggestions: detail.suggestions }).toEqual({
      status: 400,
      suggestions: { [unknown.slice(0, 200)]: [] },
    })
  })
})

describe('the limit of fifty', () => {
  const preset = 'place_context'
  const members = service.testService.app.catalog.presets.get(preset)!.fields
  const others = names.filter((name) => !members.includes(name)).slice(0, 51 - members.length)

  test('counts the union of preset and fields in a fetch', async () => {
    const { status, detail } = await refused('/v1/fetch', { ...denver, preset, fields: others })
    expect({ status, detail }).toEqual({ status: 400, detail: refusal('fields_too_many', { requested: 51, max: 50 }) })
    expect(
      (await service.post('/v1/fetch', { ...denver, preset, fields: [...others.slice(1), members[0]] })).status,
    ).toBe(200)
  })

  test('counts only the explicit fields in a batch', async () => {
    const fifty = names.filter((name) => !members.includes(name)).slice(0, 50)
    const response = await service.post('/v1/fetch/batch', { locations: [denver], preset, fields: fifty })
    const { results } = (await response.json()) as { results: { fields: object }[] }
    expect(Object.keys(results[0]!.fields)).toEqual([...members, ...fifty])
  })

  test('is at least the size of every preset but the complete ones, which batches and runs accept', () => {
    const { presets } = service.testService.app.catalog
    expect([...presets].filter(([name, it]) => it.fields.length > 50 && !name.endsWith('_full'))).toEqual([])
  })
})
