import { afterAll, expect, test } from 'bun:test'
import { detailOf } from '../support/http-service.ts'
import { openAddressService } from './address-service.ts'
import { coverageFaults, type CoverageJson } from './coverage-check.ts'

const service = await openAddressService()
afterAll(service.close)

const address = '1600 Pennsylvania Avenue NW, Washington, DC 20500'
const pathOf = (text: string) =>
  `/edr/collections/layer-admin/locations/${encodeURIComponent(text)}?parameter-name=state,county`

/** The point of the address, as the geocoding endpoint returns it. */
async function geocodedPoint(): Promise<{ lat: number; lng: number }> {
  const { lat, lng } = (await (await service.post('/v1/geocode', { address })).json()) as { lat: number; lng: number }
  return { lat, lng }
}

test('A found address has a coverage at its point, with the values that the point has', async () => {
  const response = await service.ask(pathOf(address))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/prs.coverage+json'])
  const document = (await response.json()) as CoverageJson
  expect(coverageFaults(document)).toEqual([])
  const { lat, lng } = await geocodedPoint()
  const { domainType, axes } = document.domain
  expect([domainType, axes.x!.values, axes.y!.values]).toEqual(['Point', [lng], [lat]])
  expect(document.ranges.state!.values).toEqual(['DC'])
  const position = await service.ask(
    `/edr/collections/layer-admin/position?coords=POINT(${lng}%20${lat})&parameter-name=state,county`,
  )
  expect(document.ranges).toEqual(((await position.json()) as CoverageJson).ranges)
})

test('A found address is a GeoJSON feature at its point', async () => {
  const document = await (await service.ask(`${pathOf(address)}&f=GeoJSON`)).json()
  const { lat, lng } = await geocodedPoint()
  expect(document).toMatchObject({
    type: 'FeatureCollection',
    features: [{ geometry: { type: 'Point', coordinates: [lng, lat] }, properties: { state: 'DC' } }],
  })
})

test('An address that no provider knows is 404 and says so', async () => {
  const response = await service.ask(pathOf('1 Nowhere St, Boulder, CO 80302'))
  expect([response.status, (await detailOf(response)).error]).toEqual([404, 'address_not_found'])
})

test('An address is geocoded once, however often it is requested', async () => {
  await geocodedPoint()
  const before = service.requested()
  expect((await service.ask(pathOf(address))).status).toBe(200)
  expect(service.requested()).toEqual(before)
})

test.each([
  ['1 Main St\u202e, Denver, CO', 'address: Control, bidirectional and zero-width characters are not allowed.'],
  [`${'1'.repeat(300)} Main St, Denver, CO`, 'address: String should have at most 256 characters.'],
])('The address %j is rejected before it is geocoded', async (text, message) => {
  const before = service.requested()
  const response = await service.ask(pathOf(text))
  expect([response.status, await detailOf(response)]).toMatchObject([400, { error: 'bad_request', message }])
  expect(service.requested()).toEqual(before)
})
