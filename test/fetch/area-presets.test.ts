import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { presetsByArea } from '../../src/fetch/catalog/area-presets.ts'
import type { Point } from '../../src/model/place.ts'
import type { InstalledData } from '../../src/packs/pack-entry.ts'

const catalog = createCatalog(contents)
const boulder = { west: -105.7, east: -105.05, south: 39.91, north: 40.26 }
const colorado = { west: -109.06, east: -102.04, south: 36.99, north: 41.01 }

function dataOf(dataset: string, area: string | null, box = boulder): InstalledData {
  const covers = ({ lat, lng }: Point) => lat >= box.south && lat <= box.north && lng >= box.west && lng <= box.east
  return { dataset, area, box, covers }
}
const packed = [...catalog.datasets].filter(([, { serve }]) => serve.some(({ driver }) => driver === 'pack'))
const everything = packed.map(([id]) => dataOf(id, 'Boulder County, CO'))
const presetsIn = (installed: InstalledData[], name = 'Boulder County, CO') =>
  presetsByArea(catalog, installed).find(({ area }) => area === name)?.presets ?? []

test('an area without the data of a preset has only the presets of embedded data', () => {
  const [one] = presetsByArea(catalog, [dataOf('usfws_nwi', 'Boulder County, CO')])
  expect(one!.area).toBe('Boulder County, CO')
  const embedded = one!.presets
  const complete = presetsIn(everything)
  expect(complete.length).toBeGreaterThan(embedded.length)
  expect(embedded.filter((preset) => !complete.includes(preset))).toEqual([])
})

test('a preset is complete only while every dataset of it is installed', () => {
  expect(presetsIn(everything)).toContain('flood_insurance')
  const without = everything.filter(({ dataset }) => dataset !== 'fema_nfhl_zones')
  expect(presetsIn(without)).not.toContain('flood_insurance')
})

test('a pack without a name counts where it covers the whole area', () => {
  const without = everything.filter(({ dataset }) => dataset !== 'fema_nfhl_zones')
  const half = { ...boulder, west: -105.4 }
  expect(presetsIn([...without, dataOf('fema_nfhl_zones', null, colorado)])).toContain('flood_insurance')
  expect(presetsIn([...without, dataOf('fema_nfhl_zones', null, half)])).not.toContain('flood_insurance')
})

test('a dataset that has no data in the region of the area is not needed there', () => {
  const onlyElsewhere = new Set(
    packed
      .filter(([, { coverage }]) => coverage.regions !== 'everywhere' && !coverage.regions.includes('conus'))
      .map(([id]) => id),
  )
  const needed = everything.filter(({ dataset }) => !onlyElsewhere.has(dataset))
  expect(presetsIn(needed)).toEqual(presetsIn(everything))
})

test('without a named area there is nothing to report', () => {
  expect(presetsByArea(catalog, [dataOf('usfws_nwi', null)])).toEqual([])
})
