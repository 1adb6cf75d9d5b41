import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { scenesAt } from '../upstreams/documents/scenes.ts'
import { testPlaces } from '../upstreams/test-places.ts'

let service: OnlineService
beforeAll(() => {
  service = openOnlineService()
})
afterAll(() => service.close())

async function resultsOf(place: keyof typeof testPlaces, fields: string[]): Promise<Record<string, FieldResult>> {
  const response = await service.post('/v1/fetch', { ...testPlaces[place], fields })
  return ((await response.json()) as FetchAnswer).fields
}

test('a satellite figure has the dates of its clear scenes', async () => {
  const { ndvi_current, ndvi_change_5y } = await resultsOf('boulder', ['ndvi_current', 'ndvi_change_5y'])
  const scenes = scenesAt('boulder').map(({ date }) => date.toISOString().slice(0, 19))
  const [oldest, newest] = ndvi_current!.dataset_vintage!.split(' to ')
  expect(scenes).toContain(oldest!.slice(0, 19))
  expect(scenes).toContain(newest!.slice(0, 19))
  const [before] = ndvi_change_5y!.dataset_vintage!.split(' to ')
  expect(Number(newest!.slice(0, 4)) - Number(before!.slice(0, 4))).toBe(5)
  expect(ndvi_current!.vintage_note).toBeUndefined()
})

test('a live reading has its time of observation', async () => {
  const fields = ['nearest_stream_gage_discharge_cfs', 'pm25_current_ug_m3', 'air_quality_index_current']
  const {
    nearest_stream_gage_discharge_cfs: discharge,
    pm25_current_ug_m3: pm25,
    ...rest
  } = await resultsOf('boulder', fields)
  expect(discharge!.dataset_vintage).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
  expect(pm25!.dataset_vintage).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(rest.air_quality_index_current!.dataset_vintage).toBe('2026-10-08')
})

test('cells of a raster with editions have their year, and a series its period', async () => {
  const { cdl_class, dominant_crop_5y } = await resultsOf('kansas', ['cdl_class', 'dominant_crop_5y'])
  const year = Number(cdl_class!.dataset_vintage)
  expect(year).toBeGreaterThanOrEqual(2024)
  expect(dominant_crop_5y!.dataset_vintage).toBe(`${year - 4} to ${year}`)
})

test('a row of a table has the period that it states', async () => {
  const { county_employment_total, county_building_permits_total_annual, county_hpi_yoy_pct, soil_ph } =
    await resultsOf('paradise', [
      'county_employment_total',
      'county_building_permits_total_annual',
      'county_hpi_yoy_pct',
      'soil_ph',
    ])
  expect(county_employment_total!.dataset_vintage).toMatch(/^\d{4} Q[1-4]$/)
  expect(county_building_permits_total_annual!.dataset_vintage).toMatch(/^\d{4}$/)
  expect(county_hpi_yoy_pct!.dataset_vintage).toMatch(/^\d{4}$/)
  expect(soil_ph!.dataset_vintage).toBe('2025-09-08')
})

test('elevation has the day on which the publisher last changed the file of the tile, and so has what is computed from it', async () => {
  const results = await resultsOf('boulder', ['elevation', 'slope_degrees', 'modeled_bedrock_depth_cm'])
  expect(Object.values(results).map(({ driver, dataset_vintage }) => [driver, dataset_vintage])).toEqual(
    Object.values(results).map(() => ['cog', '2025-08-12']),
  )
})

test('a flood map panel has its effective date', async () => {
  const { firm_panel_number, firm_panel_effective_date } = await resultsOf('boulder', [
    'firm_panel_number',
    'firm_panel_effective_date',
  ])
  expect(firm_panel_number!.dataset_vintage).toBe(String(firm_panel_effective_date!.value))
})
