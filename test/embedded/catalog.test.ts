import { describe, expect, test } from 'bun:test'
import { datasets, fields } from '../../catalog/contents.ts'
import type { ReadSpec } from '../../src/catalog/records.ts'
import { joinConditions } from '../../src/drivers/pack/embedded.ts'
import { attributeOf } from '../../src/geo/attribute.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { embeddedFile } from '../support/test-service.ts'

const embedded = openEmbeddedData(embeddedFile)

const denver = { lat: 39.7392, lng: -104.9903 }
const served = Object.entries(datasets).flatMap(([id, { shape, license, attribution, serve }]) =>
  serve.flatMap((serving) =>
    serving.driver === 'embedded'
      ? [{ id, shape, license, attribution, layer: serving.layer, where: serving.where }]
      : [],
  ),
)

describe.each(served.map((it) => [it.id, it] as const))(
  'the dataset %s',
  (_id, { shape, license, attribution, layer, where }) => {
    test('is served from an existing layer', () => expect([...embedded.manifest.keys()]).toContain(layer))

    test('has data under its condition', () => {
      if (shape === 'raster') expect(embedded.grid(layer).window(denver, 0).cells).not.toContain(null)
      else
        expect(
          embedded
            .layer(layer)
            .query({ at: denver, radius_m: Infinity, limit: 3, ...(where !== undefined && { where }) }),
        ).toHaveLength(3)
    })

    test('has the attribution that the license of its layer requires', () => {
      const layerLicense = embedded.manifest.get(layer)!.license
      const isAsking = /ODbL|CC[ -]BY/.test(`${layerLicense} ${license}`)
      expect({ isAsking, hasWords: (attribution ?? '').length > 5 }).toEqual({ isAsking, hasWords: isAsking })
      // Attribution that the file requires must also be in the catalog.
      expect(/ODbL/.test(layerLicense)).toBe(/ODbL/.test(license))
      expect(/CC[ -]BY/.test(layerLicense)).toBe(/CC[ -]BY/.test(license))
    })
  },
)

test('every dataset under the ODbL or CC BY has the required attribution', () => {
  const asking = Object.entries(datasets).filter(([, { license }]) => /ODbL|CC[ -]BY/i.test(license))
  expect(asking.length).toBeGreaterThan(10)
  expect(
    asking.filter(([, { attribution }]) => attribution === undefined || attribution.length < 5).map(([id]) => id),
  ).toEqual([])
})

/** A read and its fallbacks, without its inputs. */
function readsOf(read: ReadSpec): ReadSpec[] {
  return [
    read,
    ...Object.values(read.from ?? {})
      .filter((it) => typeof it !== 'string')
      .flatMap(readsOf),
    ...(read.fallback ?? []).flatMap(readsOf),
  ]
}
const layerOf = new Map(served.map(({ id, layer }) => [id, layer]))
const local = fields.flatMap(({ name, read }) =>
  readsOf(read)
    .filter(({ dataset, op }) => layerOf.has(dataset) && op !== 'computed')
    .map((read) => ({ name, read, layer: layerOf.get(read.dataset)! })),
)

test('every attribute that a field reads from an embedded layer exists', () => {
  const named = local.flatMap(({ name, read, layer }) =>
    'attribute' in read && read.attribute !== undefined
      ? [read.attribute].flat().map((attribute) => ({ name, layer, attribute }))
      : [],
  )
  const first = (layer: string) =>
    embedded.layer(layer).query({ at: denver, radius_m: Infinity, limit: 1 })[0]!.properties
  expect(named.length).toBeGreaterThan(30)
  expect(
    named.filter(({ layer, attribute }) => attributeOf(first(layer), attribute) === undefined).map(({ name }) => name),
  ).toEqual([])
})

test('every condition on an embedded layer matches some features', () => {
  const conditions = local.flatMap(({ name, read, layer }) =>
    'where' in read && read.where !== undefined ? [{ name, layer, where: read.where }] : [],
  )
  expect(conditions.length).toBeGreaterThan(15)
  expect(
    conditions
      .filter(
        ({ layer, where }) =>
          embedded.layer(layer).query({ at: denver, radius_m: Infinity, limit: 1, where }).length === 0,
      )
      .map(({ name }) => name),
  ).toEqual([])
})

test('the conditions of all fields are evaluated when the data is laid out, so that a first query waits for nothing', () => {
  const queries = local.map(({ name, read, layer }) => {
    const field = 'where' in read ? read.where : undefined
    const dataset = served.find(({ id }) => id === read.dataset)!.where
    return { name, layer, where: dataset === undefined ? field : joinConditions(dataset, field) }
  })
  const waiting = queries.filter(
    ({ layer, where }) =>
      layer !== 'geoid' && embedded.prepare(layer, { radius_m: 0, ...(where !== undefined && { where }) }) !== null,
  )
  expect(waiting).toEqual([])
})

const inRegion = {
  conus: denver,
  ak: { lat: 61.2181, lng: -149.9003 },
  hi: { lat: 21.3069, lng: -157.8583 },
  pr: { lat: 18.4655, lng: -66.1057 },
  vi: { lat: 18.3419, lng: -64.9307 },
  gu: { lat: 13.4745, lng: 144.7504 },
  as: { lat: -14.2794, lng: -170.7006 },
  mp: { lat: 15.1869, lng: 145.7545 },
}

test('a layer of places, airports or ZIP codes has features near the capital of each covered region', () => {
  const near = ['geonames_places', 'geonames_postal_codes', 'faa_nasr'].flatMap((id) => {
    const {
      coverage: { regions },
    } = datasets[id]!
    if (regions === 'everywhere') throw new Error(`${id} is to name its regions.`)
    return regions.map((region) => [
      id,
      region,
      embedded.layer(layerOf.get(id)!).query({ at: inRegion[region], radius_m: 50_000, limit: 1 }).length,
    ])
  })
  expect(near.filter(([, , count]) => count === 0)).toEqual([])
  expect(near.length).toBe(24)
})

test('in a territory, the nearest ZIP code belongs to the territory', () => {
  const zipAt = (region: 'pr' | 'vi' | 'gu' | 'as' | 'mp') =>
    String(embedded.layer('zips').query({ at: inRegion[region], radius_m: Infinity, limit: 1 })[0]!.properties.ZIP)
  expect([zipAt('pr').slice(0, 3), zipAt('vi'), zipAt('gu'), zipAt('as'), zipAt('mp')]).toEqual([
    '009',
    '00802',
    '96910',
    '96799',
    '96950',
  ])
})
