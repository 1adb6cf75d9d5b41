import { afterAll, expect, test } from 'bun:test'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { parseGeoJsonGeometry } from '../../src/geo/geometry.ts'
import { geometryContains } from '../../src/geo/measure.ts'
import { openOnlineService } from '../upstreams/online-service.ts'

const service = openOnlineService()
afterAll(() => service.close())

const boulder = { lat: 40.015, lng: -105.2705 }
const names = [...service.app.catalog.fields.keys()]
const fieldsMax = 50

async function fetchWithGeometry(fields: string[]): Promise<FetchAnswer['fields']> {
  const response = await service.post('/v1/fetch', { ...boulder, fields, include: ['geometry'] })
  return ((await response.json()) as FetchAnswer).fields
}

/** Every field that reads one of these datasets. */
function fieldsOf(dataset: string): string[] {
  return names.filter((name) => service.app.catalog.fields.get(name)!.read.dataset === dataset)
}

test('Every field that has not failed has its geometry, or the reason why the source did not send it', async () => {
  for (let i = 0; i < names.length; i += fieldsMax) {
    const results = Object.values(await fetchWithGeometry(names.slice(i, i + fieldsMax)))
    for (const result of results)
      expect(Number(result.geometry !== undefined) + Number(result.geometry_error !== undefined)).toBe(
        result.status === 'failed' ? 0 : 1,
      )
  }
})

test('The polygon of an ArcGIS layer contains the point', async () => {
  const { fema_flood_zone } = await fetchWithGeometry(['fema_flood_zone'])
  const [area] = fema_flood_zone!.geometry!.features
  expect(area!.properties.role).toBe('area')
  expect(geometryContains(parseGeoJsonGeometry(area!.geometry), boulder)).toBe(true)
})

test('A raster field has the cells around the point with their values, one of which contains it', async () => {
  const { elevation } = await fetchWithGeometry(['elevation'])
  const cells = elevation!.geometry!.features
  const holding = cells.filter(({ geometry }) => geometryContains(parseGeoJsonGeometry(geometry), boulder))
  expect(holding.map(({ properties }) => properties.role)).toEqual(['cell'])
  // The field is interpolated between the cells, which are 10 m wide.
  expect(Math.abs(Number(holding[0]!.properties.value) - Number(elevation!.value))).toBeLessThan(5)
})

test('A billed source is not called for geometry, and its shapes are not sent', async () => {
  const field = fieldsOf('regrid_parcels')[0]!
  const plain = await service.post('/v1/fetch', { ...boulder, fields: [field] })
  expect(((await plain.json()) as FetchAnswer).fields[field]!.status).toBe('ok')
  const calls = service.upstreams.callsTo('app.regrid.com')
  const results = await fetchWithGeometry([field])
  expect(
    results[field]!.geometry!.features.filter(({ properties }) => properties.dataset === 'regrid_parcels'),
  ).toEqual([])
  expect(service.upstreams.callsTo('app.regrid.com') - calls).toBeLessThanOrEqual(1)
})

test('The shapes of a dataset whose terms do not allow it are not sent', async () => {
  const fields = fieldsOf('fcc_bdc_block_groups')
  expect(fields.length).toBeGreaterThan(0)
  for (const result of Object.values(await fetchWithGeometry(fields)))
    expect(result.geometry!.features.filter(({ properties }) => properties.dataset === 'fcc_bdc_block_groups')).toEqual(
      [],
    )
})

test('A source that fails only for the geometry leaves the value and names the reason', async () => {
  const other = { ...boulder, lat: 40.02, fields: ['fema_flood_zone'] }
  const fetched = async (body: object) =>
    ((await (await service.post('/v1/fetch', body)).json()) as FetchAnswer).fields.fema_flood_zone!
  const { value } = await fetched(other)
  service.upstreams.fault({ host: 'hazards.fema.gov' }, { status: 500 })
  const result = await fetched({ ...other, include: ['geometry'] })
  service.upstreams.heal()
  expect(result).toMatchObject({ value, cache: 'hit' })
  expect(result.geometry_error).toMatch(/^upstream_5xx: hazards\.fema\.gov /)
})
