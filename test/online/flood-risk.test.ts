import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { fetchOnlineFields, onlineValueOf } from './fetch-fields.ts'
import { rowsAround } from './simulated-rows.ts'
import { words } from '../support/words.ts'

const nwi = 'fwspublicservices.wim.usgs.gov/wetlandsmapservice/rest/services/Wetlands/MapServer/0'

let service: OnlineService
let answer: FetchAnswer
beforeAll(async () => {
  service = openOnlineService()
  answer = (await (
    await service.post('/v1/fetch', { ...testPlaces.miami_beach, preset: 'flood_risk' })
  ).json()) as FetchAnswer
})
afterAll(() => service.close())

const value = (name: string) => onlineValueOf(answer.fields[name])
const near = (name: string, expected_m: number) =>
  expect(Math.abs(Number(value(name)) - expected_m)).toBeLessThan(expected_m / 200 + 1)

test('at Miami Beach every field of flood_risk is returned and none fails', () => {
  expect(answer.partial_failures).toEqual([])
  expect(Object.keys(answer.fields)).toEqual([...service.app.catalog.presets.get('flood_risk')!.fields])
  expect(service.upstreams.unknown).toEqual([])
})

test('the place is low, in zone AE, near the coast', () => {
  expect(value('elevation')).toBeCloseTo(1.2, 2)
  expect(value('within_floodplain_polygon')).toBe(true)
  expect(Number(value('coast_distance_m'))).toBeLessThan(1_000)
})

test('no wetland contains it, and the bay is the nearest', () => {
  const [nearest] = rowsAround('miami_beach', nwi, 5_000)
  expect(nearest!.cells['Wetlands.WETLAND_TYPE']).toBe('Estuarine and Marine Deepwater')
  near('nearest_wetland_distance_m', nearest!.distance_m)
  expect(value('intersects_wetland')).toBe(false)
  expect(value('wetland_type')).toBe('Estuarine Unconsolidated Bottom Subtidal')
  expect(value('wetland_subtype')).toBe('E1UBL')
  expect(value('wetland_acres')).toBe(1_864.31)
  expect(value('wetlands_within_100m_count')).toEqual(rowsAround('miami_beach', nwi, 100).length)
  expect(value('wetlands_within_500m_count')).toEqual(rowsAround('miami_beach', nwi, 500).length)
})

test('the waters around it come from the hydrography', () => {
  expect(value('intersects_nhd_area')).toBe(false)
  expect(value('nearest_waterbody_name')).toBe('Biscayne Bay')
  expect(value('surface_water_permanence_pct')).toBe(12)
})

test('the flood map gives the zone, its water level, and no wave hazard', async () => {
  const more = await fetchOnlineFields(
    service,
    testPlaces.miami_beach,
    words`
    fema_flood_zone fema_base_flood_elevation coastal_high_hazard nearest_floodplain_distance_m
    sea_level_rise_inundation_ft within_slr_3ft_inundation nfip_community_name nearest_wetland_type
  `,
  )
  expect(Object.values(more).map(onlineValueOf)).toEqual([
    'AE',
    8,
    false,
    0,
    3,
    true,
    'CITY OF MIAMI BEACH',
    'Estuarine and Marine Deepwater',
  ])
})

test('a level in meters is converted to feet', async () => {
  const { fema_base_flood_elevation: level } = await fetchOnlineFields(service, testPlaces.san_juan, [
    'fema_base_flood_elevation',
  ])
  expect(onlineValueOf(level)).toBe(9.8)
})
