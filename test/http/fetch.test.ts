import { afterAll, describe, expect, test } from 'bun:test'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openHttpService } from '../support/http-service.ts'
import { words } from '../support/words.ts'

const server = await openHttpService()
afterAll(server.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const toronto = { lat: 43.65, lng: -79.38 }
const openSea = { lat: 27.5, lng: -73 }
const { catalog } = server.testService.app
const names = [...catalog.fields.keys()]
const provenance = words`
  source unit source_url confidence fetched_at ttl_seconds dataset_vintage notes driver
`

async function fetched(body: Record<string, unknown>): Promise<FetchAnswer> {
  const response = await server.post('/v1/fetch', body)
  expect(response.status).toBe(200)
  return (await response.json()) as FetchAnswer
}

/** Returns every catalog field at one place, with fifty fields per request. */
async function everyField(at: { lat: number; lng: number }): Promise<Record<string, FieldResult>> {
  const parts = Array.from({ length: Math.ceil(names.length / 50) }, (_, i) =>
    fetched({ ...at, fields: names.slice(50 * i, 50 * i + 50) }),
  )
  return Object.assign({}, ...(await Promise.all(parts)).map(({ fields }) => fields)) as Record<string, FieldResult>
}

describe('the answer', () => {
  test('has exactly the members of the specification', async () => {
    const answer = await fetched({ ...denver, fields: ['county'] })
    expect(Object.keys(answer)).toEqual(['lat', 'lng', 'fetched_at', 'fields', 'partial_failures', 'resolved_location'])
    expect(answer).toMatchObject({
      ...denver,
      partial_failures: [],
      resolved_location: { ...denver, source: 'coordinate' },
    })
  })

  test('has every requested field once: those of the preset first, then the named ones', async () => {
    const { fields } = await fetched({
      ...denver,
      preset: 'terrain',
      fields: ['county', 'slope_degrees', 'timezone', 'county'],
    })
    expect(Object.keys(fields)).toEqual(words`
      elevation slope_degrees aspect_cardinal coast_distance_m soil_drainage_class bedrock_depth_cm county timezone
    `)
  })

  test('has fetched_at in UTC with an offset', async () => {
    const before = new Date().toISOString()
    const { fetched_at } = await fetched({ ...denver, fields: ['county'] })
    const after = new Date().toISOString()
    expect(fetched_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
    expect([before, fetched_at.replace('+00:00', 'Z'), after].toSorted()).toEqual([
      before,
      fetched_at.replace('+00:00', 'Z'),
      after,
    ])
  })

  test('lists exactly the failed fields in partial_failures, in order', async () => {
    const { fields, partial_failures } = await fetched({ ...denver, fields: ['elevation', 'county', 'parcel_zoning'] })
    const failed = Object.entries(fields).flatMap(([field, it]) =>
      it.status === 'failed' ? [{ field, source: it.source, error: it.error, retryable: it.retryable }] : [],
    )
    expect(partial_failures).toEqual(failed)
    expect(failed.map(({ field }) => field)).toEqual(['elevation', 'parcel_zoning'])
  })

  test('ignores unknown members of the request', async () => {
    const { fields } = await fetched({ ...denver, fields: ['county'], colour: 'red', locations: 5 })
    expect(Object.keys(fields)).toEqual(['county'])
  })
})

describe('caching headers', () => {
  const cachingHeadersOf = (headers: Headers) =>
    ['cache-control', 'etag', 'expires', 'last-modified', 'age'].filter((name) => headers.has(name))
  const requests = [
    ['a fetch', '/v1/fetch', { ...denver, fields: ['county'] }],
    ['a batch', '/v1/fetch/batch', { locations: [denver], fields: ['county'] }],
    ['a refused fetch', '/v1/fetch', { ...denver }],
    ['a malformed batch', '/v1/fetch/batch', []],
  ] as const
  test.each(requests)('%s has none', async (_name, path, body) => {
    const { headers } = await server.post(path, body)
    expect(cachingHeadersOf(headers)).toEqual([])
  })

  test.each(['fields=county', 'fields=slope', ''])('a GET has none either: %s', async (query) => {
    const { headers } = await server.ask(`/v1/fetch?lat=${denver.lat}&lng=${denver.lng}&${query}`)
    expect(cachingHeadersOf(headers)).toEqual([])
  })
})

describe('at every place, every field of the catalog', () => {
  const places = [
    ['Denver', denver],
    ['Toronto', toronto],
    ['the open sea', openSea],
  ] as const
  const sources = new Set([...catalog.datasets.values()].map(({ service }) => service))
  test.each(places)('at %s has exactly the members of its status', async (_name, at) => {
    const odd = Object.entries(await everyField(at)).filter(([, result]) => !isWellFormed(result))
    expect(odd).toEqual([])
  })

  test.each(places)(
    'at %s has the unit and ttl_seconds of its catalog entry, and a source of the catalog',
    async (_name, at) => {
      const fields = await everyField(at)
      const odd = names.filter((name) => {
        const { unit, ttl_seconds } = catalog.fields.get(name)!
        const result = fields[name]!
        return (
          result.unit !== unit ||
          result.ttl_seconds !== ttl_seconds ||
          !sources.has(result.source) ||
          !URL.canParse(result.source_url)
        )
      })
      expect(odd).toEqual([])
    },
  )

  test('at Denver has each of the three statuses', async () => {
    const statuses = new Set(Object.values(await everyField(denver)).map(({ status }) => status))
    expect(statuses).toEqual(new Set(['ok', 'absent', 'failed']))
  })
})

describe('outside coverage, inside the envelope', () => {
  test.each([
    ['Toronto', toronto],
    ['the open sea', openSea],
  ] as const)('%s has outside_coverage for fields that cover only the United States', async (_name, at) => {
    const fields = await everyField(at)
    const bound = names.filter((name) => regionsOf(name) !== 'everywhere')
    expect(bound.filter((name) => !isOutside(fields[name]!))).toEqual([])
    expect(bound).toEqual(expect.arrayContaining(['county', 'timezone', 'elevation', 'fema_flood_zone']))
  })

  test.each([
    ['Toronto', toronto, '17T'],
    ['the open sea', openSea, '18R'],
  ] as const)('%s has the computed fields', async (_name, at, zone) => {
    const { fields } = await fetched({
      ...at,
      fields: ['mgrs', 'geohash', 'us_national_grid', 'magnetic_declination_degrees'],
    })
    expect(Object.values(fields).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(String(fields.mgrs!.value)).toStartWith(zone)
  })

  test('no field is failed where no source was queried', async () => {
    const { partial_failures } = await fetched({ ...toronto, preset: 'site_selection' })
    expect(partial_failures).toEqual([])
  })
})

function regionsOf(name: string) {
  return catalog.datasets.get(catalog.fields.get(name)!.read.dataset)!.coverage.regions
}

function isOutside(result: FieldResult): boolean {
  return result.status === 'absent' && result.absent_reason === 'outside_coverage' && result.value === null
}

function isWellFormed(result: FieldResult): boolean {
  const dated = result.dataset_vintage === null ? ['vintage_note'] : []
  const uncertain = result.source === 'osm_coastline' ? ['uncertainty_m'] : []
  const own = { ok: [...dated, ...uncertain], absent: ['absent_reason'], failed: ['error', 'retryable'] }[result.status]
  const hasMembers =
    Object.keys(result).toSorted().join() === ['value', 'status', ...own, ...provenance].toSorted().join()
  if (result.status === 'ok') return hasMembers && result.value !== null && result.driver !== null
  if (result.status === 'absent') return hasMembers && result.value === null
  return (
    hasMembers &&
    result.value === null &&
    /^[a-z_0-9]+: \S.*\.$/s.test(result.error) &&
    (result.driver === null || result.driver === 'computed')
  )
}
