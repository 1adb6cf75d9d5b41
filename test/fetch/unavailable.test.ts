import { expect, test } from 'bun:test'
import type { Dataset } from '../../src/catalog/records.ts'
import { missingRequirementsOf } from '../../src/fetch/unavailable.ts'

const pack = { driver: 'pack' as const, file: 'it.gpkg' }
const arcgis = { driver: 'arcgis' as const, endpoint: 'https://gis.example/arcgis/rest/services/it/FeatureServer/0' }
const overpass = { driver: 'overpass' as const, endpoint: 'https://overpass.example/api', tags: 'way[highway]' }
const missing = (dataset: object, { offline = false, keys = [] as string[] } = {}) =>
  missingRequirementsOf('it', { needs_key: null, ...dataset } as Dataset, {
    offline,
    keys: new Map(keys.map((key) => [key, 'x'])),
  })
const key = { env: 'THING_KEY', required: true }

test.each([
  [
    'the network is off, regardless of other requirements',
    { serve: [pack, arcgis], needs_key: key },
    { offline: true },
    {
      setting: 'FIELDSTONE_OFFLINE',
      hosts: ['gis.example'],
      packs: ['it.gpkg'],
      command: 'fieldstone pack build it <file>',
    },
  ],
  [
    'a key is not set',
    { serve: [arcgis], needs_key: key },
    {},
    { setting: 'THING_KEY', hosts: ['gis.example'], packs: [], command: null },
  ],
  [
    'no Overpass instance is set',
    { serve: [overpass, pack] },
    {},
    {
      setting: 'FIELDSTONE_OVERPASS',
      hosts: ['overpass.example'],
      packs: ['it.gpkg'],
      command: 'fieldstone pack build it <file>',
    },
  ],
  [
    'a pack is the only option, online or offline',
    { serve: [pack] },
    { offline: true },
    { setting: null, hosts: [], packs: ['it.gpkg'], command: 'fieldstone pack build it <file>' },
  ],
  [
    'the catalog knows how to build the pack',
    { serve: [pack], recipe: { files: ['https://files.example/it.zip'] } },
    {},
    { setting: null, hosts: [], packs: ['it.gpkg'], command: 'fieldstone pack fetch it' },
  ],
  [
    'two options use one host',
    { serve: [arcgis, { ...arcgis }] },
    { offline: true },
    { setting: 'FIELDSTONE_OFFLINE', hosts: ['gis.example'], packs: [], command: null },
  ],
])('the missing requirements when %s', (_, dataset, config, parts) => {
  expect(missing(dataset, config)).toEqual(parts)
})
