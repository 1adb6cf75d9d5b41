import { afterEach, expect, test } from 'bun:test'
import type { FieldResult, FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { openTestService } from '../support/test-service.ts'
import { services } from '../upstreams/services.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { openUpstreams, type Upstreams } from '../upstreams/upstreams.ts'
import { rowsAround } from './simulated-rows.ts'

const hydro = 'tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/Hydro/MapServer/1'

let closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.map((close) => close()))
  closing = []
})

test('near the coast, the distance comes from TIGERweb and has no uncertainty', async () => {
  const { result } = await coastDistanceAt(testPlaces.miami_beach)
  const [nearest] = rowsAround('miami_beach', hydro, 5_000).filter(({ cells }) => cells.MTFCC !== 'H2030')
  expect(result).toMatchObject({ status: 'ok', source: 'census_tigerweb_hydro', driver: 'arcgis' })
  expect(Math.abs(Number(result.value) - nearest!.distance_m)).toBeLessThan(5)
  expect(result.uncertainty_m).toBeUndefined()
})

test('far from the coast, the embedded coastline answers without a request, so a bay of a lake is never the coast', async () => {
  const { result, upstreams } = await coastDistanceAt(testPlaces.boulder)
  expect(result).toMatchObject({ source: 'osm_coastline', driver: 'computed', uncertainty_m: 25_000 })
  expect(result.value).toBeGreaterThan(1_000_000)
  expect(upstreams.calls).toEqual([])
})

test('where TIGERweb has no ocean within 60 km, the embedded coastline answers with its uncertainty', async () => {
  const { result } = await coastDistanceAt(testPlaces.san_juan)
  expect(result).toMatchObject({ status: 'ok', source: 'osm_coastline', uncertainty_m: 500 })
  expect(result.notes).toEndWith('The distance can be off by 500 m.')
})

test('if TIGERweb fails, the embedded coastline answers with its uncertainty', async () => {
  const { result } = await coastDistanceAt(testPlaces.miami_beach, [
    { host: 'tigerweb.geo.census.gov', answer: () => ({ status: 503, body: 'The service answers 503.' }) },
  ])
  expect(result).toMatchObject({ status: 'ok', source: 'osm_coastline', driver: 'computed', uncertainty_m: 500 })
})

async function coastDistanceAt(
  place: { lat: number; lng: number },
  simulated = services,
): Promise<{ result: FieldResult; upstreams: Upstreams }> {
  const upstreams = openUpstreams({ services: simulated })
  const service = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url })
  closing.push(() => service.close(), upstreams.close)
  const response = await service.post('/v1/fetch', { ...place, fields: ['coast_distance_m'] })
  const { fields } = (await response.json()) as FetchAnswer
  return { result: fields.coast_distance_m!, upstreams }
}
