import { describe, expect, test } from 'bun:test'
import { createCatalog } from '../../src/catalog/catalog.ts'
import type { Dataset } from '../../src/catalog/records.ts'
import type { SourceConfig } from '../../src/fetch/sources/unavailable.ts'
import { createRegistryBuilder } from '../../src/fetch/sources/source-registry.ts'
import type { DriverDeps } from '../../src/drivers/driver.ts'
import type { Place } from '../../src/model/place.ts'
import type { Feature, FeatureQuery, RasterQuery, Sources } from '../../src/model/source.ts'
import type { EmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { contentsOf, datasetOf } from '../support/catalog-contents.ts'
import { fetchBudget, denver } from './fake-context.ts'

/** Embedded data with one layer, `areas`, and one grid, `net`, which record their queries. */
function embeddedOf(answer: (query: FeatureQuery) => Feature[] = () => []) {
  const queries: unknown[] = []
  const layerInfo = {
    title: '',
    packages: '[]',
    publisher: '',
    source_url: '',
    license: '',
    attribution: null,
    features: 1,
    derivation: '',
  }
  const layer = {
    query(query: FeatureQuery) {
      queries.push(query)
      return answer(query)
    },
  }
  const window = (at: unknown, radius_cells: number) => {
    queries.push({ at, radius_cells })
    return { width: 2, height: 2, at_x: 0.5, at_y: 0.5, cells: [1, 2, 3, 4] }
  }
  const manifest = new Map([
    ['areas', { ...layerInfo, layer: 'areas', vintage: '2024' }],
    ['net', { ...layerInfo, layer: 'net', vintage: '1996' }],
  ])
  const embedded = {
    manifest,
    layer: () => layer,
    prepare: () => null,
    grid: () => ({ window }),
    close() {},
  } as unknown as EmbeddedData
  return { embedded, queries }
}

function handleOf(
  dataset: Partial<Dataset>,
  { embedded } = embeddedOf(),
  sourceConfig: SourceConfig = { offline: true, keys: new Map() },
) {
  const deps = { embedded, net: null, now: () => new Date(), folder: '/nowhere' } as unknown as DriverDeps
  const buildRegistry = createRegistryBuilder(deps, sourceConfig, (source) => source)
  return buildRegistry(
    createCatalog(contentsOf([], { datasets: { it: datasetOf({ title: 'The Thing', ...dataset }) } })),
  ).dataset('it')
}
const arcgis = { driver: 'arcgis', endpoint: 'https://maps.example.gov/arcgis/rest/services/X/MapServer/0' } as const

describe('a dataset', () => {
  test('has its available options in order, each with its vintage', () => {
    const { options, hasAllOptions } = handleOf({
      serve: [{ driver: 'pack', file: 'it.gpkg' }, { driver: 'embedded', layer: 'areas' }, arcgis],
    })
    expect(options.map(({ driver, vintage }) => ({ driver, vintage }))).toEqual([
      { driver: 'embedded', vintage: '2024' },
    ])
    expect(hasAllOptions).toBe(false)
  })

  test('has all options when every one is available', () => {
    expect(handleOf({ serve: [{ driver: 'embedded', layer: 'areas' }] }).hasAllOptions).toBe(true)
  })

  test('with a layer that is not in the embedded data has no option', () => {
    expect(handleOf({ serve: [{ driver: 'embedded', layer: 'oceans' }] })).toMatchObject({
      options: [],
      hasAllOptions: false,
    })
  })

  test('with the driver computed returns the point', async () => {
    const { options } = handleOf({ shape: 'document', serve: [{ driver: 'computed' }] })
    expect(
      await (options[0]!.source as unknown as Sources['document'])({ at: { lat: 1, lng: 2 } }, fetchBudget),
    ).toEqual({ lat: 1, lng: 2 })
  })
})

describe('the embedded option', () => {
  const at = { lat: 39.7, lng: -105 }
  test('of features queries the layer with the condition of the dataset', async () => {
    const data = embeddedOf()
    const { options } = handleOf(
      { serve: [{ driver: 'embedded', layer: 'areas', where: "KIND = 'a' OR KIND = 'b'" }] },
      data,
    )
    const ask = options[0]!.source as unknown as Sources['features']
    await ask({ at, radius_m: 0 }, fetchBudget)
    await ask({ at, radius_m: 5, where: 'A = 1 OR B = 2', limit: 1 }, fetchBudget)
    expect(data.queries).toEqual([
      { at, radius_m: 0, where: "KIND = 'a' OR KIND = 'b'" },
      { at, radius_m: 5, where: "(KIND = 'a' OR KIND = 'b') AND (A = 1 OR B = 2)", limit: 1 },
    ])
  })

  test('of a raster reads the grid', async () => {
    const data = embeddedOf()
    const { options } = handleOf({ shape: 'raster', serve: [{ driver: 'embedded', layer: 'net' }] }, data)
    expect(
      await (options[0]!.source as unknown as Sources['raster'])(
        { at, radius_cells: 1 } satisfies RasterQuery,
        fetchBudget,
      ),
    ).toMatchObject({ cells: [1, 2, 3, 4] })
    expect(data.queries).toEqual([{ at, radius_cells: 1 }])
  })

  test('covers every place unless its polygons define the coverage', () => {
    const data = embeddedOf(({ at }) => (at.lat > 39 ? [{ properties: {}, distance_m: 0 }] : []))
    const south: Place = { ...denver, lat: 38 }
    const covered = (tessellated: boolean) =>
      [denver, south].map((place) =>
        handleOf({ serve: [{ driver: 'embedded', layer: 'areas', tessellated }] }, data).options[0]!.covers(place),
      )
    expect(covered(false)).toEqual([true, true])
    expect(covered(true)).toEqual([true, false])
  })

  test('checks its coverage with the condition of the dataset', () => {
    const data = embeddedOf()
    handleOf(
      { serve: [{ driver: 'embedded', layer: 'areas', where: 'EDITION = 2010', tessellated: true }] },
      data,
    ).options[0]!.covers(denver)
    expect(data.queries).toEqual([
      { at: { lat: denver.lat, lng: denver.lng }, radius_m: 0, limit: 1, where: 'EDITION = 2010' },
    ])
  })
})

describe('the error of a dataset without an option says what is missing', () => {
  const pack = { driver: 'pack', file: 'it.gpkg' } as const
  const file = { driver: 'geojson_file', asset: 'https://files.example.gov/it.json' } as const
  const online: SourceConfig = { offline: false, keys: new Map() }
  const messageOf = (dataset: Partial<Dataset>, sourceConfig?: SourceConfig) => {
    const { code, message } = handleOf(dataset, undefined, sourceConfig).unavailableError()
    return `${code}: ${message}`
  }

  test('offline: the hosts, or the pack to install', () => {
    expect(messageOf({ serve: [pack, arcgis, file] })).toBe(
      'offline_no_data: No local data for The Thing (it), and this server has no network (FIELDSTONE_OFFLINE=1). To get a value, put it.gpkg into the packs folder. See /guide/packs-and-offline#download-a-pack.',
    )
  })

  test('with a pack as the only option: the pack', () => {
    expect(messageOf({ serve: [pack] }, online)).toBe(
      'no_local_data: The Thing (it) requires a local pack. To get a value, put it.gpkg into the packs folder. See /guide/packs-and-offline#download-a-pack.',
    )
  })

  test('with a recipe: the command that builds the pack', () => {
    const recipe = { files: ['https://files.example.gov/it.zip'] }
    expect(messageOf({ serve: [pack], recipe }, online)).toBe(
      'no_local_data: The Thing (it) requires a local pack. To get a value, run `fieldstone pack fetch it`. See /guide/packs-and-offline#download-a-pack.',
    )
    expect(messageOf({ serve: [pack, { driver: 'pack', file: 'more.gpkg' }], recipe }, online)).toEndWith(
      'run `fieldstone pack fetch it`. See /guide/packs-and-offline#download-a-pack.',
    )
  })

  test('without its API key: the setting', () => {
    expect(messageOf({ serve: [arcgis], needs_key: { env: 'THING_KEY', required: true } }, online)).toBe(
      'key_missing: The Thing (it) requires an API key. Set THING_KEY. See /guide/fields-and-presets#keys.',
    )
    expect(messageOf({ serve: [arcgis, pack], needs_key: { env: 'THING_KEY', required: true } }, online)).toBe(
      'key_missing: The Thing (it) requires an API key. Set THING_KEY, or put it.gpkg into the packs folder. See /guide/fields-and-presets#keys.',
    )
  })

  test.each<[string, Dataset['needs_key'], string[]]>([
    ['a required key that is set', { env: 'THING_KEY', required: true }, ['THING_KEY']],
    ['an optional key', { env: 'THING_KEY', required: false }, []],
    ['a key without a setting', { env: null, required: true }, []],
  ])('the key is not mentioned with %s', (_name, needs_key, keys) => {
    expect(
      messageOf({ serve: [arcgis], needs_key }, { offline: false, keys: new Map(keys.map((name) => [name, 'x'])) }),
    ).toStartWith('unsupported_request: The Thing (it) is not available on this server')
  })

  test('for Overpass: the setting', () => {
    expect(
      messageOf(
        { serve: [{ driver: 'overpass', endpoint: 'https://overpass.example/api', tags: 'way[highway]' }] },
        online,
      ),
    ).toContain('set FIELDSTONE_OVERPASS')
  })
})
