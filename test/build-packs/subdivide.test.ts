import { afterAll, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import type { Point } from '../../src/model/place.ts'
import { createByteCache } from '../../src/packs/layer/byte-cache.ts'
import { countFeatures, openGeopackage } from '../../src/files/geopackage/geopackage.ts'
import { openPackLayer, type PackLayer } from '../../src/packs/layer/pack-layer.ts'
import { shapeContains, decodeShape, type PackShape } from '../../src/packs/layer/pack-shape.ts'
import { randomOf } from '../../scripts/bench/random.ts'
import { buildTestPack, workFolder } from './build-test-pack.ts'

const { folder, file, remove } = workFolder()
afterAll(remove)

const seed = Number(process.env.SEED ?? 7)
const random = randomOf(seed)
console.log(`SEED=${seed}`)

type Place = [x: number, y: number]
type Shape = { name: string; polygons: Place[][][] }

/** A ring whose radius varies from vertex to vertex by the fraction `spikes`. */
function spiky([x, y]: Place, radius: number, vertices: number, spikes: number): Place[] {
  const ring = Array.from({ length: vertices }, (_, i): Place => {
    const [angle, r] = [(2 * Math.PI * i) / vertices, radius * (1 - spikes * random())]
    return [x + r * Math.cos(angle), y + r * Math.sin(angle)]
  })
  return [...ring, ring[0]!]
}

function withHoles([x, y]: Place, radius: number): Place[][] {
  const holes = Array.from({ length: 20 }, (_, i) =>
    spiky([x + ((i % 5) - 2) * radius * 0.2, y + (Math.floor(i / 5) - 1.5) * radius * 0.2], radius * 0.08, 400, 0.1),
  )
  return [spiky([x, y], radius, 12_000, 0.05), ...holes]
}

/** A ring that crosses itself at random. */
function walk([x, y]: Place, size: number, vertices: number): Place[] {
  const ring = Array.from({ length: vertices }, (): Place => [x + size * (random() - 0.5), y + size * (random() - 0.5)])
  return [...ring, ring[0]!]
}

/** A comb whose teeth start and end on the lines that halve its box. */
function comb([x, y]: Place, teeth: number): Place[] {
  const step = 1 / 4096
  const ring: Place[] = [[x, y]]
  for (let i = 0; i < teeth; i++)
    ring.push(
      [x + 2 * i * step, y + 1 / 64],
      [x + (2 * i + 1) * step, y + 1 / 64],
      [x + (2 * i + 1) * step, y + 1 / 128],
      [x + (2 * i + 2) * step, y + 1 / 128],
    )
  return [...ring, [x + 2 * teeth * step, y], [x, y]]
}

const many = Array.from({ length: 60 }, (_, i) => [
  spiky([-99.95 + 0.01 * (i % 10), 40.05 + 0.01 * Math.floor(i / 10)], 0.004, 80, 0.3),
])
const shapes: Shape[] = [
  { name: 'spiky, with twenty holes', polygons: [withHoles([-100, 40], 0.02)] },
  { name: 'of many parts', polygons: [...many, withHoles([-100.05, 40], 0.01)] },
  { name: 'small and near', polygons: [[spiky([-99.97, 40.02], 0.003, 40, 0.3)]] },
  { name: 'laid over the first', polygons: [[spiky([-100.01, 40.01], 0.003, 1_500, 0.05)]] },
  { name: 'a comb on the lines', polygons: [[comb([-100.125, 40.0625], 256)]] },
]

const collection = (of: Shape[]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: of.map(({ name, polygons }) => ({
      type: 'Feature',
      properties: { name },
      geometry: { type: 'MultiPolygon', coordinates: polygons },
    })),
  })

type Opened = { layer: PackLayer; pieces: PackShape[]; features: number; path: string; close(): void }

async function openPieces(of: Shape[], keepWhole: boolean): Promise<Opened> {
  const { path, features } = await buildTestPack([file(`shapes-${random()}.geojson`, collection(of))], folder, {
    keepWhole,
  })
  const { db, tables, close } = openGeopackage(path)
  const layer = openPackLayer(
    db,
    tables[0]!,
    { attributes: [], renames: new Map(), needsPolygons: true },
    createByteCache(2e7),
  )
  const pieces = db
    .query<{ geom: Uint8Array }, []>('SELECT geom FROM shapes')
    .all()
    .map(({ geom }) => decodeShape(geom, null)!)
  expect(countFeatures(db, tables[0]!)).toBe(features)
  return {
    layer,
    pieces,
    features,
    path,
    close: () => {
      layer.close()
      close()
    },
  }
}

const between = (low: number, high: number): number => low + (high - low) * random()
const randomPoints = (of: Shape[], count: number): Point[] => {
  const [xs, ys] = [
    of.flatMap(({ polygons }) => polygons.flat(2).map(([x]) => x)),
    of.flatMap(({ polygons }) => polygons.flat(2).map(([, y]) => y)),
  ]
  const bounds = (values: number[]): [number, number] => [
    values.reduce((a, b) => Math.min(a, b)) - 0.01,
    values.reduce((a, b) => Math.max(a, b)) + 0.01,
  ]
  const [wide, high] = [bounds(xs), bounds(ys)]
  return Array.from({ length: count }, () => ({ lng: between(...wide), lat: between(...high) }))
}
const vertices = (of: Shape[]): Point[] =>
  of.flatMap(({ polygons }) => polygons.flat(2).map(([lng, lat]) => ({ lat, lng })))
/** The sides of the piece boxes are on the cuts. */
const pointsOnCuts = (pieces: PackShape[]): Point[] =>
  pieces.flatMap(({ box }) =>
    Array.from({ length: 4 }, (_, i) =>
      i % 2 === 0
        ? { lng: i < 2 ? box.west : box.east, lat: between(box.south, box.north) }
        : { lng: between(box.west, box.east), lat: i < 2 ? box.south : box.north },
    ),
  )

const namesAt = (layer: PackLayer, at: Point): string =>
  layer
    .query({ at, radius_m: 0 })
    .map(({ properties }) => properties.name)
    .join('; ')

const [whole, cut] = [await openPieces(shapes, true), await openPieces(shapes, false)]

describe('a layer with subdivided polygons', () => {
  afterAll(() => {
    whole.close()
    cut.close()
  })

  test('has pieces of at most 128 vertices, and the same number of features', () => {
    expect(whole.pieces.length).toBe(shapes.length)
    expect(cut.pieces.length).toBeGreaterThan(60)
    expect(Math.max(...cut.pieces.map(({ coordinates }) => coordinates.length / 2))).toBeLessThanOrEqual(128)
    expect([whole.features, cut.features]).toEqual([shapes.length, shapes.length])
  })

  test('contains the same points, including those on vertices and cuts, each in one piece of a feature', () => {
    const holding = shapes.map(({ name }) => ({ name, pieces: [] as PackShape[] }))
    const db = new Database(cut.path, { readonly: true })
    for (const { name, geom } of db
      .query<{ name: string; geom: Uint8Array }, []>('SELECT name, geom FROM shapes')
      .all())
      holding.find((it) => it.name === name)!.pieces.push(decodeShape(geom, null)!)
    db.close()
    const points = [...randomPoints(shapes, 20_000), ...vertices(shapes), ...pointsOnCuts(cut.pieces)]
    let held = 0
    for (const at of points) {
      const names = namesAt(whole.layer, at)
      if (namesAt(cut.layer, at) !== names)
        throw new Error(`${at.lat}, ${at.lng}: ${namesAt(cut.layer, at)} for ${names}`)
      for (const { name, pieces } of holding) {
        const count = pieces.filter((piece) => shapeContains(piece, at)).length
        if (count !== (names.split('; ').includes(name) ? 1 : 0))
          throw new Error(`${at.lat}, ${at.lng}: ${count} pieces of ${name}`)
      }
      if (names !== '') held++
    }
    expect(held).toBeGreaterThan(5_000)
  }, 120_000)

  test('measures the same distances and returns each feature once in the same order, whatever the limit', () => {
    for (const at of randomPoints(shapes, 1_500)) {
      for (const query of [
        { radius_m: 1e5, limit: 1 },
        { radius_m: 3_000, limit: 2 },
        { radius_m: 1_500 },
        { radius_m: 1e5, limit: 4 },
      ]) {
        const [expected, found] = [whole.layer.query({ at, ...query }), cut.layer.query({ at, ...query })]
        expect(found.map(({ properties }) => properties.name)).toEqual(
          expected.map(({ properties }) => properties.name),
        )
        // An edge that is straight in degrees is measured as a few chords; the difference is a millimeter.
        for (const [i, { distance_m }] of expected.entries())
          expect(Math.abs(found[i]!.distance_m - distance_m)).toBeLessThan(1e-6 * distance_m + 1e-3)
      }
      const [expected, found] = [whole, cut].map(
        ({ layer }) => layer.query({ at, radius_m: 1_000, count_only: true }).length,
      )
      expect(found).toBe(expected)
    }
  }, 120_000)

  test('supports conditions, hides the internal columns, and knows the area of the complete feature', () => {
    const at = { lat: 40.01, lng: -100.01 }
    const [expected, found] = [whole, cut].map(({ layer }) =>
      layer
        .query({ at, radius_m: 0 })
        .map(({ properties }) => Object.entries(properties).filter(([name]) => name !== 'fid')),
    )
    expect(expected!.length).toBe(2)
    expect(found!).toEqual(expected!)
    expect(found![0]!.map(([name]) => name)).toEqual(['name', 'area'])
    expect(
      cut.layer
        .query({ at, radius_m: 5_000, where: "name = 'small and near'" })
        .map(({ properties }) => properties.name),
    ).toEqual(
      whole.layer
        .query({ at, radius_m: 5_000, where: "name = 'small and near'" })
        .map(({ properties }) => properties.name),
    )
  })

  test('is rejected as an input, because a piece is not a feature', async () => {
    const refused = await buildTestPack([cut.path], folder).catch((error: Error) => error.message)
    expect(refused).toContain('is a pack with subdivided polygons')
    expect((await buildTestPack([whole.path], folder)).features).toBe(shapes.length)
  })

  test('applies --where to features and counts features', async () => {
    const input = file('chosen.geojson', collection(shapes))
    expect(
      await buildTestPack([input], folder, { where: "name LIKE '%e%' AND name <> 'small and near'" }),
    ).toMatchObject({ features: 3, excluded: 2 })
  })
})

test('a self-crossing polygon follows the even-odd rule, subdivided or not', async () => {
  const odd: Shape[] = [{ name: 'odd', polygons: [[walk([10, 10], 1, 900), walk([10.1, 10], 1, 700)]] }]
  const [one, several] = [await openPieces(odd, true), await openPieces(odd, false)]
  for (const at of [...randomPoints(odd, 5_000), ...vertices(odd), ...pointsOnCuts(several.pieces).slice(0, 5_000)])
    if (namesAt(one.layer, at) !== namesAt(several.layer, at)) throw new Error(`${at.lat}, ${at.lng}`)
  one.close()
  several.close()
})

test('pieces across the antimeridian match longitudes that differ by 360', async () => {
  const across: Shape[] = [{ name: 'across', polygons: [withHoles([180, 52], 0.02)] }]
  const [one, several] = [await openPieces(across, true), await openPieces(across, false)]
  let held = 0
  for (const { lat, lng } of [...randomPoints(across, 3_000), ...vertices(across)]) {
    for (const at of [
      { lat, lng },
      { lat, lng: lng > 180 ? lng - 360 : lng },
    ]) {
      expect(namesAt(several.layer, at)).toBe(namesAt(one.layer, at))
      if (namesAt(several.layer, at) !== '') held++
    }
    const [expected, found] = [one, several].map(
      ({ layer }) => layer.query({ at: { lat, lng: lng > 180 ? lng - 360 : lng }, radius_m: 5_000 })[0]!.distance_m,
    )
    expect(Math.abs(found! - expected!)).toBeLessThan(1e-6 * expected! + 1e-3)
  }
  expect(held).toBeGreaterThan(1_000)
  one.close()
  several.close()
})
