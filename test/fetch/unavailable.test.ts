import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutNetworkText } from '../../src/catalog/missing-data.ts'
import { missingRequirementsOf } from '../../src/fetch/sources/unavailable.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { openTestService } from '../support/test-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
const service = openTestService({ FIELDSTONE_PACKS: packs })
afterAll(service.close)

type Fields = Record<string, { error: string }>
const errorAt = async (at: { lat: number; lng: number }, field: string) => {
  const { fields } = (await (await service.post('/v1/fetch', { ...at, fields: [field] })).json()) as { fields: Fields }
  return fields[field]!.error
}
const boulder = { lat: 40.015, lng: -105.2705 }

test('a field without local data names the command that makes its pack for the county of the place', async () => {
  expect(await errorAt(boulder, 'nwi_wetland_type')).toEndWith(
    ` To get a value, run \`fieldstone pack fetch usfws_nwi --area "Boulder County, CO"\` ${withoutNetworkText}. See /guide/packs-and-offline#make-the-packs-of-an-area.`,
  )
  expect(await errorAt(boulder, 'elevation')).toContain(
    'run `fieldstone pack fetch usgs_3dep --area "Boulder County, CO"` on a machine with a network',
  )
})

test('a field whose pack is built from a file names that command, and one without a copy names none', async () => {
  expect(await errorAt(boulder, 'plant_hardiness_zone')).toContain('run `fieldstone pack fetch usda_phzm_2023')
  const alerts = await errorAt(boulder, 'active_weather_alerts_count')
  expect(alerts).toEndWith(
    'is answered only by api.weather.gov, and this server has no network (FIELDSTONE_OFFLINE=1). See /guide/packs-and-offline#what-cannot-be-copied.',
  )
  expect(await errorAt(boulder, 'seismic_design_category')).toContain('answered only by earthquake.usgs.gov, and')
})

test('a dataset whose service wants a key and an email names the setting that is missing', () => {
  const dataset = service.app.catalog.datasets.get('nlr_wtk_hours')!
  const settingOf = (...set: string[]) => {
    const keys = new Map(set.map((name) => [name, 'set']))
    return missingRequirementsOf('nlr_wtk_hours', dataset, { offline: false, keys }).setting
  }
  expect(settingOf()).toContain('NLR_API_KEY')
  expect(settingOf('NLR_API_KEY')).toContain('NLR_API_EMAIL')
})

test('the list of sources has no command with a placeholder, and says where that of each county is', async () => {
  const { sources } = (await (await service.send('/v1/meta/sources')).json()) as {
    sources: { dataset: string; unavailable_reason: string | null; missing: { command: string | null } | null }[]
  }
  expect(sources.filter((it) => /<|Or change/.test(`${it.missing?.command} ${it.unavailable_reason}`))).toEqual([])
  expect(sources.find(({ dataset }) => dataset === 'usfws_nwi')!.unavailable_reason).toContain('a county at /coverage')
  const commandOf = (id: string) => sources.find(({ dataset }) => dataset === id)!.missing?.command
  expect(commandOf('usfws_nwi')).toBeNull()
  expect(commandOf('noaa_ibtracs')).toBe('fieldstone pack fetch noaa_ibtracs')
  expect(commandOf('regrid_parcels')).toBeNull()
})

test('the reason changes with the state of the pack', async () => {
  const file = join(packs, 'usfws_nwi.gpkg')
  const errorWithPack = async (write: () => unknown) => {
    rmSync(file, { force: true })
    write()
    await service.app.packs.waitUntilChecked()
    return errorAt(boulder, 'nwi_wetland_type')
  }
  const geom = blob(polygonWkb(boxRing(-80, 40, -79, 41)))
  const attributes = { ATTRIBUTE: 'PFO1A', WETLAND_TYPE: 'Lake', ACRES: 1 }
  const writeElsewhere = () => writePack(file).layer('Wetlands', [{ geom, attributes }]).close()
  expect(await errorWithPack(() => {})).not.toContain('The pack')
  expect(await errorWithPack(() => writeFileSync(file, 'no pack'))).toMatch(
    /usfws_nwi.gpkg was rejected: .* run `fieldstone pack remove usfws_nwi`, and then `fieldstone pack fetch usfws_nwi --area "Boulder County, CO"` on a machine with a network/,
  )
  expect(await errorWithPack(writeElsewhere)).toContain('usfws_nwi.gpkg does not cover this place')
  expect(await errorWithPack(() => {})).not.toContain('The pack')
})

test('a place outside the parts of a pack names the command that makes the part of its county', async () => {
  mkdirSync(join(packs, 'usgs_karst'))
  const geom = blob(polygonWkb(boxRing(-80, 40, -79, 41)))
  const pack = writePack(join(packs, 'usgs_karst', 'far.gpkg'))
  for (const name of ['Carbonates48', 'Evaporites48', 'SandstoneKarst48', 'Piping48', 'Volcanics48'])
    pack.layer(name, [{ geom, attributes: { KARST_TYPE: 'carbonate', Exposure: 'E' } }])
  pack.close()
  writeFileSync(join(packs, 'usgs_karst', 'far.json'), JSON.stringify({ coverage: [-80, 40, -79, 41], margin_m: 0 }))
  await service.app.packs.waitUntilChecked()
  expect(await errorAt({ lat: 40.5, lng: -79.5 }, 'in_karst_area')).toBeUndefined()
  expect(await errorAt(boulder, 'in_karst_area')).toContain(
    'usgs_karst/far.gpkg does not cover this place. To get a value, run `fieldstone pack fetch usgs_karst --area "Boulder County, CO"` on a machine with a network, then',
  )
})
