import { afterAll, expect, test } from 'bun:test'
import type { DrawnFeature, FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import { parseGeoJsonGeometry } from '../../src/geo/geometry.ts'
import { countPositions, geometryContains } from '../../src/geo/measure.ts'
import { openHttpService } from '../support/http-service.ts'
import { withoutTimes } from '../support/without-times.ts'

const server = await openHttpService()
afterAll(server.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const maxBytes = 10_000

async function fetched(body: Record<string, unknown>): Promise<FetchAnswer> {
  const response = await server.post('/v1/fetch', { ...denver, ...body })
  expect(response.status).toBe(200)
  return (await response.json()) as FetchAnswer
}

async function drawn(field: string, body: Record<string, unknown> = {}): Promise<DrawnFeature[]> {
  const { fields } = await fetched({ fields: [field], include: ['geometry'], ...body })
  return fields[field]!.geometry!.features
}

test('A fetch without include has no geometry', async () => {
  const { fields } = await fetched({ fields: ['county'] })
  expect(Object.keys(fields.county!)).not.toContain('geometry')
})

test('With geometry, every other member of the answer stays the same', async () => {
  const fields = ['county', 'nearest_airport_name', 'elevation', 'coast_distance_m']
  const [plain, withGeometry] = [await fetched({ fields }), await fetched({ fields, include: ['geometry'] })]
  for (const result of Object.values(withGeometry.fields)) {
    delete result.geometry
    delete result.geometry_error
  }
  expect(withoutTimes(withGeometry)).toEqual(withoutTimes(plain))
})

test('A field of a polygon has the polygon that contains the point', async () => {
  const [area, ...others] = await drawn('county')
  expect(others).toEqual([])
  expect(area!.properties).toMatchObject({ role: 'area', dataset: 'census_counties' })
  expect(geometryContains(parseGeoJsonGeometry(area!.geometry), denver)).toBe(true)
})

test('A field of the nearest feature has the feature and the line to it, as long as the distance', async () => {
  const [feature, line] = await drawn('nearest_airport_distance_m')
  const { fields } = await fetched({ fields: ['nearest_airport_distance_m'] })
  expect(feature).toMatchObject({ properties: { role: 'feature' }, geometry: { type: 'Point' } })
  expect(line).toMatchObject({ properties: { role: 'line' }, geometry: { type: 'LineString' } })
  const [[start, end]] = parseGeoJsonGeometry(line!.geometry).lines as [[[number, number], [number, number]]]
  expect(start).toEqual([denver.lng, denver.lat])
  const length_m = distanceBetween_m({ lat: start[1], lng: start[0] }, { lat: end[1], lng: end[0] })
  expect(length_m / Number(fields.nearest_airport_distance_m!.value)).toBeCloseTo(1, 3)
})

test('A field that has failed has no geometry', async () => {
  const { fields } = await fetched({ fields: ['elevation'], include: ['geometry'] })
  expect(fields.elevation!.status).toBe('failed')
  expect(Object.keys(fields.elevation!)).not.toContain('geometry')
})

test('No geometry has more than 10 kB, also of the longest coast and the largest counties', async () => {
  for (const at of [
    { lat: 57.05, lng: -135.33 },
    { lat: 66.9, lng: -162.6 },
    { lat: 25.7907, lng: -80.13 },
    { lat: 34.1, lng: -116.3 },
  ])
    for (const field of ['county', 'coast_distance_m', 'timezone'])
      expect(JSON.stringify(await drawn(field, at)).length).toBeLessThan(maxBytes)
})

test('A simplified outline says by how much it may differ', async () => {
  const [area] = await drawn('county', { lat: 66.9, lng: -162.6 })
  expect(area!.properties.simplified_m).toBeGreaterThan(0)
  expect(countPositions(parseGeoJsonGeometry(area!.geometry))).toBeLessThanOrEqual(380)
})

test('GET takes include as a query parameter', async () => {
  const url = `/v1/fetch?lat=${denver.lat}&lng=${denver.lng}&fields=county&include=geometry`
  const { fields } = (await (await server.ask(url)).json()) as FetchAnswer
  expect(fields.county!.geometry!.features).toEqual(await drawn('county'))
})

test('An unknown name in include is a validation error', async () => {
  const url = `/v1/fetch?lat=${denver.lat}&lng=${denver.lng}&fields=county&include=geometry,shape`
  const byQuery = await server.ask(url)
  const byBody = await server.post('/v1/fetch', { ...denver, fields: ['county'], include: ['geometry', 'shape'] })
  expect([byQuery.status, byBody.status]).toEqual([422, 422])
  expect(await byQuery.json()).toMatchObject({ detail: [{ type: 'literal_error', loc: ['query', 'include'] }] })
  expect(await byBody.json()).toMatchObject({ detail: [{ type: 'literal_error', loc: ['body', 'include', 1] }] })
})
