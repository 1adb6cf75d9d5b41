import { afterAll, expect, test } from 'bun:test'
import { openTestService } from '../support/test-service.ts'

const service = openTestService()
afterAll(service.close)

type Fields = Record<string, { error: string }>
const errorAt = async (at: { lat: number; lng: number }, field: string) => {
  const { fields } = (await (await service.post('/v1/fetch', { ...at, fields: [field] })).json()) as { fields: Fields }
  return fields[field]!.error
}
const boulder = { lat: 40.015, lng: -105.2705 }

test('a field without local data names the command that makes its pack for the county of the place', async () => {
  expect(await errorAt(boulder, 'wetland_type')).toEndWith(
    ', or run `fieldstone pack fetch usfws_nwi --area "Boulder County, CO"` with a network. See /guide/packs-and-offline#make-the-packs-of-an-area.',
  )
  expect(await errorAt(boulder, 'elevation')).toContain(
    'run `fieldstone pack fetch usgs_3dep --area "Boulder County, CO"` with a network',
  )
})

test('a field whose pack is built from a file names that command, and one without a copy names none', async () => {
  expect(await errorAt(boulder, 'plant_hardiness_zone')).toContain('run `fieldstone pack fetch usda_phzm_2023')
  expect(await errorAt(boulder, 'active_weather_alerts_count')).not.toContain('pack fetch')
})

test('the list of sources has the command, with a placeholder for the area', async () => {
  const { sources } = (await (await service.send('/v1/meta/sources')).json()) as {
    sources: { dataset: string; missing: { command: string | null } | null }[]
  }
  const commandOf = (id: string) => sources.find(({ dataset }) => dataset === id)!.missing?.command
  expect(commandOf('usfws_nwi')).toBe('fieldstone pack fetch usfws_nwi --area "<county, state>"')
  expect(commandOf('noaa_ibtracs')).toBe('fieldstone pack fetch noaa_ibtracs')
  expect(commandOf('regrid_parcels')).toBe('fieldstone pack build regrid_parcels <file>')
})
