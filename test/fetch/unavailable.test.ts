import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { openTestService } from '../support/test-service.ts'

const packs = mkdtempSync(join(tmpdir(), 'fieldstone-unavailable-'))
const service = openTestService({ FIELDSTONE_PACKS: packs })
afterAll(service.close)
afterAll(() => rmSync(packs, { recursive: true, force: true }))

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

test('the reason changes with the state of the pack', async () => {
  const file = join(packs, 'usfws_nwi.gpkg')
  const errorWithPack = async (write: () => unknown) => {
    rmSync(file, { force: true })
    write()
    await service.app.packs.waitUntilChecked()
    return errorAt(boulder, 'wetland_type')
  }
  const geom = blob(polygonWkb(boxRing(-80, 40, -79, 41)))
  const attributes = { ATTRIBUTE: 'PFO1A', WETLAND_TYPE: 'Lake', ACRES: 1 }
  const writeElsewhere = () => writePack(file).layer('Wetlands', [{ geom, attributes }]).close()
  expect(await errorWithPack(() => {})).not.toContain('The pack')
  expect(await errorWithPack(() => writeFileSync(file, 'no pack'))).toContain('usfws_nwi.gpkg was rejected')
  expect(await errorWithPack(writeElsewhere)).toContain('usfws_nwi.gpkg does not cover this place')
  expect(await errorWithPack(() => {})).not.toContain('The pack')
})
