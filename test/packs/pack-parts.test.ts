import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import type { Feature, FeatureQuery } from '../../src/model/source.ts'
import { createByteCache } from '../../src/packs/layer/byte-cache.ts'
import { parseManifest } from '../../src/packs/pack-manifest.ts'
import { combineParts } from '../../src/packs/pack-parts.ts'
import { openGeopackagePack, type PackPart, type PackRequirements } from '../../src/packs/pack.ts'
import type { StoredFeature } from './create-geopackage.ts'
import { blob, boxRing, lineWkb, pointWkb, polygonWkb } from './encode-wkb.ts'
import { writePack } from './write-pack.ts'
import { randomOf } from '../../scripts/bench/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

const required: PackRequirements = { dataset: 'd', attributes: [], layers: [null], needsPolygons: false, tables: [] }
let files = 0

type Boxes = [west: number, east: number, south: number, north: number][]

/** Opens a file of these features as a part, with this manifest. */
function partOf(features: StoredFeature[], manifest: object, boxes?: Boxes): PackPart {
  const path = join(folder, `${files++}.gpkg`)
  writePack(path)
    .layer('features', features, { ...(boxes && { boxes }) })
    .close()
  const parsed = parseManifest(JSON.stringify(manifest), 'part.json')
  return openGeopackagePack(path, { manifest: parsed }, [required], createByteCache(1e6)).datasets.get('d')!
}

const square = (west: number, south: number, attributes: StoredFeature['attributes'], size = 1): StoredFeature => ({
  geom: blob(polygonWkb(boxRing(west, south, west + size, south + size))),
  attributes,
})
const namesOf = (found: Feature[]) => found.map(({ properties }) => String(properties.name))
const queryOf = (parts: PackPart[], query: FeatureQuery) => combineParts(parts).layers.get('')!.query(query)

describe('parts that overlap answer like one file', () => {
  const seed = Number(process.env.SEED ?? 7)
  const random = randomOf(seed)
  type Box = [west: number, south: number, east: number, north: number]
  const [west, south, size] = [-106, 39, 1]
  const features = Array.from({ length: 600 }, (_, id): { box: Box; stored: StoredFeature } => {
    const [x, y, r] = [west + size * random(), south + size * random(), 0.03 * random()]
    const geom = [
      blob(pointWkb([x, y])),
      blob(lineWkb([x, y], [x + r, y + r])),
      blob(polygonWkb(boxRing(x, y, x + r, y + r))),
    ][id % 3]!
    return { box: [x, y, x + r, y + r], stored: { geom, attributes: { id, kind: id % 5 } } }
  })
  const intersects = (a: Box, b: Box) => a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1]
  const one = partOf(
    features.map(({ stored }) => stored),
    { coverage: [west, south, west + size, south + size] },
  )
  /** Nine parts in a grid. Each has all features that intersect its coverage widened by `wider` degrees. */
  const gridOf = (wider: number, manifest: object) =>
    Array.from({ length: 9 }, (_, i) => {
      const [x, y, step] = [west + (i % 3) * (size / 3), south + Math.floor(i / 3) * (size / 3), size / 3]
      const box: Box = [x, y, x + step, y + step]
      const widened: Box = [x - wider, y - wider, x + step + wider, y + step + wider]
      const own = features.filter((it) => intersects(it.box, widened)).map(({ stored }) => stored)
      return partOf(own, { coverage: box, ...manifest })
    })
  const queries = Array.from({ length: 400 }, (_, i): FeatureQuery => {
    const at: Point = { lat: south + size * random(), lng: west + size * random() }
    // A third of the points are on the border of two parts.
    if (i % 3 === 0) at.lng = west + size / 3
    return [
      { at, radius_m: 0 },
      { at, radius_m: 4_000 },
      { at, radius_m: 4_000, where: 'kind = 3' },
      { at, radius_m: 4_000, limit: 1 },
      { at, radius_m: 4_000, limit: 3 },
      { at, radius_m: 4_000, count_only: true } as const,
    ][i % 6]!
  })
  const idsOf = (found: Feature[], { count_only }: FeatureQuery) =>
    count_only
      ? found.length
      : found.map(({ properties, distance_m }) => `${distance_m.toFixed(6)} ${String(properties.id)}`).toSorted()
  const areasOf = (found: Feature[]) =>
    found.map(({ properties }) => Number(properties.area ?? 0)).toSorted((a, b) => a - b)

  test.each([
    ['with a key', gridOf(0.05, { key: 'id' })],
    ['without a key', gridOf(0.05, {})],
    ['with a key and a margin', gridOf(0.05, { key: 'id', margin_m: 4_000 })],
    ['that have only what intersects them', gridOf(0, { key: 'id' })],
  ])('%s', (_, parts) => {
    const combined = combineParts(parts)
    let found = 0
    for (const query of queries) {
      const expected = one.layers.get('')!.query(query)
      const answer = combined.layers.get('')!.query(query)
      expect({ seed, query, ids: idsOf(answer, query) }).toEqual({ seed, query, ids: idsOf(expected, query) })
      expect(areasOf(answer)).toEqual(areasOf(expected))
      found += expected.length
    }
    expect(found).toBeGreaterThan(500)
  })
})

describe('a feature of several parts', () => {
  const at = { lat: 39.5, lng: -104.5 }

  test('is returned once if its key is the same, from the newest part', () => {
    const newer = partOf([square(-105, 39, { gid: 5, name: 'new' })], { key: 'gid' })
    const older = partOf([square(-105, 39, { gid: 5, name: 'old' })], { key: 'gid' })
    expect(namesOf(queryOf([newer, older], { at, radius_m: 0 }))).toEqual(['new'])
    expect(queryOf([newer, older], { at, radius_m: 10, count_only: true })).toHaveLength(1)
  })

  test('is returned once if its geometry and attributes are the same, whatever its row id', () => {
    const first = partOf([square(0, 0, { name: 'other' }), square(-105, 39, { name: 'a' })], {})
    const second = partOf([square(-105, 39, { name: 'a' }), square(-105, 39, { name: 'b' })], {})
    expect(namesOf(queryOf([first, second], { at, radius_m: 0 })).toSorted()).toEqual(['a', 'b'])
  })

  test('is not merged with an equal feature of the same part', () => {
    const twice = [square(-105, 39, { name: 'a' }), square(-105, 39, { name: 'a' })]
    expect(queryOf([partOf(twice, {}), partOf(twice, {})], { at, radius_m: 0 })).toHaveLength(2)
  })

  test('is measured to its nearest piece if the publisher cut it at the border of the parts', () => {
    const west = partOf([square(-106, 39, { gid: 1 })], { key: 'gid', coverage: [-106, 39, -105, 40] })
    const east = partOf([square(-105, 39, { gid: 1 })], { key: 'gid', coverage: [-105, 39, -104, 40] })
    const [found] = queryOf([west, east], { at, radius_m: 200_000 })
    expect(found!.distance_m).toBe(0)
  })
})

describe('a point', () => {
  const named = (name: string, manifest: object) => partOf([square(-106, 39, { name }, 3)], manifest)

  test('is answered from the parts that cover it, and is outside of the others', () => {
    const parts = [named('west', { coverage: [-106, 39, -105, 40] }), named('east', { coverage: [-105, 39, -104, 40] })]
    const combined = combineParts(parts)
    const at = (lng: number) => combined.at({ lat: 39.5, lng }).layers.get('')!
    expect(namesOf(at(-104.5).query({ at: { lat: 39.5, lng: -104.5 }, radius_m: 0 }))).toEqual(['east'])
    expect(combined.covers({ lat: 39.5, lng: -105.5 })).toBe(true)
    expect(combined.covers({ lat: 41, lng: -105.5 })).toBe(false)
  })

  test('is answered by the newest part alone if that one states its margin', () => {
    const coverage = [-106, 39, -103, 42]
    const parts = [partOf([square(0, 0, { name: 'far' })], { coverage, margin_m: 0 }), named('old', { coverage })]
    expect(queryOf(parts, { at: { lat: 39.5, lng: -104.5 }, radius_m: 0 })).toEqual([])
  })

  test('has the vintage of its part, and all parts together have a range', () => {
    const combined = combineParts([
      named('west', { vintage: '2026-03', coverage: [-106, 39, -105, 40] }),
      named('east', { vintage: '2024-01', coverage: [-105, 39, -104, 40] }),
    ])
    expect(combined.vintage).toBe('2024-01 to 2026-03')
    expect(combined.at({ lat: 39.5, lng: -104.5 }).vintage).toBe('2024-01')
  })

  test('on either side of the antimeridian is found in a coverage that crosses it', () => {
    const aleutians = partOf([square(179, 51, { name: 'a' })], { coverage: [170, 50, -170, 53] })
    const combined = combineParts([aleutians, named('b', { coverage: [-106, 39, -103, 42] })])
    for (const lng of [171, 180, -180, -171]) expect(combined.covers({ lat: 51.5, lng })).toBe(true)
    expect(combined.covers({ lat: 51.5, lng: -160 })).toBe(false)
    const at = { lat: 51.5, lng: -179.9 }
    expect(namesOf(combined.layers.get('')!.query({ at, radius_m: 20_000 }))).toEqual(['a'])
  })
})

test('a box has each feature of several parts once, and every piece of a feature that is cut', () => {
  const shared = square(-105, 39, { gid: 1 })
  const west = partOf([shared, square(-106, 39, { gid: 2 })], { key: 'gid' })
  const east = partOf([shared, square(-104, 39, { gid: 2 }), square(-104.9, 39.1, { gid: 1 }, 0.2)], { key: 'gid' })
  const box = { west: -107, east: -103, south: 38, north: 41 }
  const found = combineParts([west, east]).layers.get('')!.inBox({ box, detail_degrees: 0, limit: 10 })
  expect(found.map(({ properties }) => properties.gid).toSorted((a, b) => Number(a) - Number(b))).toEqual([1, 1, 2, 2])
})

test('an invalid geometry fails a query only if no part has a feature', () => {
  const coverage = [-105, 39, -104, 40]
  const invalid = partOf([{ geom: new Uint8Array([1, 2, 3]), attributes: {} }], { coverage }, [[-105, -104, 39, 40]])
  const valid = partOf([square(-105, 39, { name: 'a' }, 0.6)], { coverage })
  const query = { at: { lat: 39.5, lng: -104.5 }, radius_m: 0 }
  expect(namesOf(queryOf([invalid, valid], query))).toEqual(['a'])
  expect(() => queryOf([invalid, valid], { ...query, at: { lat: 39.9, lng: -104.1 } })).toThrow(/invalid geometry/)
})
