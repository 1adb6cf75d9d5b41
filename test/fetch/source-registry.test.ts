import { describe, expect, test } from 'bun:test'
import { createCatalog } from '../../src/catalog/catalog.ts'
import type { Dataset } from '../../src/catalog/records.ts'
import type { SourceConfig } from '../../src/fetch/unavailable.ts'
import { createRegistryBuilder } from '../../src/fetch/source-registry.ts'
import type { DriverDeps } from '../../src/drivers/driver.ts'
import type { Place } from '../../src/model/place.ts'
import type { Feature, FeatureQuery, RasterQuery, Sources } from '../../src/model/source.ts'
import type { EmbeddedData } from '../../src/packs/embedded-data.ts'
import { contentsOf, datasetOf } from '../support/catalog-contents.ts'
import { budget, denver } from './fake-context.ts'

/** Embedded data of one layer, `areas`, and one grid, `net`; what is asked of them is kept. */
function embeddedOf(near: (query: FeatureQuery) => Feature[] = () => []) {
  const asked: unknown[] = []
  const about = {
    title: '',
    packages: '[]',
    publisher: '',
    source_url: '',
    licence: '',
    attribution: null,
    features: 1,
    derivation: '',
  }
  const layer = {
    near(query: FeatureQuery) {
      asked.push(query)
      return near(query)
    },
    ready: () => null,
  }
  const window = (at: unknown, radius_cells: number) => {
    asked.push({ at, radius_cells })
    return { width: 2, height: 2, at_x: 0.5, at_y: 0.5, cells: [1, 2, 3, 4] }
  }
  const manifest = new Map([
    ['areas', { ...about, layer: 'areas', vintage: '2024' }],
    ['net', { ...about, layer: 'net', vintage: '1996' }],
  ])
  const embedded = {
    manifest,
    layer: () => layer,
    ready: () => null,
    grid: () => ({ window }),
    warm: async () => true,
    warmed: () => true,
    close() {},
  } as unknown as EmbeddedData
  return { embedded, asked }
}

function shelfOf(
  dataset: Partial<Dataset>,
  { embedded } = embeddedOf(),
  means: SourceConfig = { offline: true, keys: new Map() },
) {
  const tools = { embedded, net: null, now: () => new Date(), folder: '/nowhere', hourly() {} } as unknown as DriverDeps
  const shelve = createRegistryBuilder(tools, means, (source) => source)
  return shelve(
    createCatalog(contentsOf([], { datasets: { it: datasetOf({ title: 'The Thing', ...dataset }) } })),
  ).dataset('it')
}
const arcgis = { driver: 'arcgis', endpoint: 'https://maps.example.gov/arcgis/rest/services/X/MapServer/0' } as const

describe('a dataset', () => {
  test('has the ways that are at hand here, in order, each with its edition', () => {
    const { options, hasAllOptions } = shelfOf({
      serve: [{ driver: 'pack', file: 'it.gpkg' }, { driver: 'embedded', layer: 'areas' }, arcgis],
    })
    expect(options.map(({ driver, vintage }) => ({ driver, vintage }))).toEqual([
      { driver: 'embedded', vintage: '2024' },
    ])
    expect(hasAllOptions).toBe(false)
  })

  test('is complete when every way is at hand', () => {
    expect(shelfOf({ serve: [{ driver: 'embedded', layer: 'areas' }] }).hasAllOptions).toBe(true)
  })

  test('of a layer that is not in the embedded data has no way', () => {
    expect(shelfOf({ serve: [{ driver: 'embedded', layer: 'oceans' }] })).toMatchObject({ ways: [], complete: false })
  })

  test('of the point itself is computed', async () => {
    const { options } = shelfOf({ shape: 'document', serve: [{ driver: 'computed' }] })
    expect(await (options[0]!.source as unknown as Sources['document'])({ at: { lat: 1, lng: 2 } }, budget)).toEqual({
      lat: 1,
      lng: 2,
    })
  })
})

describe('the embedded way', () => {
  const at = { lat: 39.7, lng: -105 }
  test('of features asks the layer, within the part that the dataset is', async () => {
    const data = embeddedOf()
    const { options } = shelfOf(
      { serve: [{ driver: 'embedded', layer: 'areas', where: "KIND = 'a' OR KIND = 'b'" }] },
      data,
    )
    const ask = options[0]!.source as unknown as Sources['features']
    await ask({ at, radius_m: 0 }, budget)
    await ask({ at, radius_m: 5, where: 'A = 1 OR B = 2', limit: 1 }, budget)
    expect(data.asked).toEqual([
      { at, radius_m: 0, where: "KIND = 'a' OR KIND = 'b'" },
      { at, radius_m: 5, where: "(KIND = 'a' OR KIND = 'b') AND (A = 1 OR B = 2)", limit: 1 },
    ])
  })

  test('of a raster asks the grid', async () => {
    const data = embeddedOf()
    const { options } = shelfOf({ shape: 'raster', serve: [{ driver: 'embedded', layer: 'net' }] }, data)
    expect(
      await (options[0]!.source as unknown as Sources['raster'])({ at, radius_cells: 1 } satisfies RasterQuery, budget),
    ).toMatchObject({ cells: [1, 2, 3, 4] })
    expect(data.asked).toEqual([{ at, radius_cells: 1 }])
  })

  test('covers every place, unless its polygons are the coverage', () => {
    const data = embeddedOf(({ at }) => (at.lat > 39 ? [{ properties: {}, distance_m: 0 }] : []))
    const south: Place = { ...denver, lat: 38 }
    const covered = (tessellated: boolean) =>
      [denver, south].map((place) =>
        shelfOf({ serve: [{ driver: 'embedded', layer: 'areas', tessellated }] }, data).options[0]!.covers(place),
      )
    expect([covered(false), covered(true)]).toEqual([
      [true, true],
      [true, false],
    ])
  })

  test('covers where a polygon of its part is', () => {
    const data = embeddedOf()
    shelfOf(
      { serve: [{ driver: 'embedded', layer: 'areas', where: 'EDITION = 2010', tessellated: true }] },
      data,
    ).options[0]!.covers(denver)
    expect(data.asked).toEqual([
      { at: { lat: denver.lat, lng: denver.lng }, radius_m: 0, limit: 1, where: 'EDITION = 2010' },
    ])
  })
})

describe('what is missing is said in a sentence with the name of the dataset', () => {
  const pack = { driver: 'pack', file: 'it.gpkg' } as const
  const file = { driver: 'geojson_file', asset: 'https://files.example.gov/it.json' } as const
  const online: SourceConfig = { offline: false, keys: new Map() }
  const lackOf = (dataset: Partial<Dataset>, means?: SourceConfig) => {
    const { code, message } = shelfOf(dataset, undefined, means).unavailableError()
    return `${code}: ${message}`
  }

  test('without a network: whom to ask, or which pack to install', () => {
    expect(lackOf({ serve: [pack, arcgis, file] })).toBe(
      'offline_no_data: There is no local data for The Thing (it), and the network is switched off (FIELDSTONE_OFFLINE=1): switch it on to ask maps.example.gov or files.example.gov, or: put it.gpkg into the packs folder.',
    )
  })

  test('where a pack is the only way, which one', () => {
    expect(lackOf({ serve: [pack] }, online)).toBe(
      'offline_no_data: The Thing (it) is served from a local pack only: put it.gpkg into the packs folder.',
    )
  })

  test("where the publisher's files are known, which command makes the pack", () => {
    const recipe = { files: ['https://files.example.gov/it.zip'] }
    expect(lackOf({ serve: [pack], recipe }, online)).toBe(
      'offline_no_data: The Thing (it) is served from a local pack only: `fieldstone pack fetch it` makes it.gpkg.',
    )
    expect(lackOf({ serve: [pack, { driver: 'pack', file: 'more.gpkg' }], recipe }, online)).toEndWith(
      '`fieldstone pack fetch it` makes it.gpkg and more.gpkg.',
    )
  })

  test('where a key is missing, which variable', () => {
    expect(lackOf({ serve: [arcgis], needs_key: { env: 'THING_KEY', required: true } }, online)).toBe(
      'key_missing: The Thing (it) is asked with a key: set THING_KEY.',
    )
    expect(lackOf({ serve: [arcgis, pack], needs_key: { env: 'THING_KEY', required: true } }, online)).toBe(
      'key_missing: The Thing (it) is asked with a key: set THING_KEY, or: put it.gpkg into the packs folder.',
    )
  })

  test.each<[string, Dataset['needs_key'], string[]]>([
    ['a key that is needed and set', { env: 'THING_KEY', required: true }, ['THING_KEY']],
    ['a key that helps and is not needed', { env: 'THING_KEY', required: false }, []],
    ['a key that no variable holds', { env: null, required: true }, []],
  ])('and no key is asked for where there is %s', (_name, needs_key, keys) => {
    expect(
      lackOf({ serve: [arcgis], needs_key }, { offline: false, keys: new Map(keys.map((name) => [name, 'x'])) }),
    ).toStartWith('unsupported_request: The Thing (it) cannot be asked from here')
  })

  test('where an instance must be named, which variable', () => {
    expect(
      lackOf(
        { serve: [{ driver: 'overpass', endpoint: 'https://overpass.example/api', tags: 'way[highway]' }] },
        online,
      ),
    ).toContain('set FIELDSTONE_OVERPASS')
  })
})
