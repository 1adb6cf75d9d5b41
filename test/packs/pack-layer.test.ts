import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import geodesic from 'geographiclib-geodesic'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import type { Feature } from '../../src/model/source.ts'
import { createByteCache } from '../../src/packs/layer/byte-cache.ts'
import { openGeopackage } from '../../src/files/geopackage/geopackage.ts'
import { openPackLayer, type PackLayer } from '../../src/packs/layer/pack-layer.ts'
import { sampleOf } from '../support/sample-data.ts'
import type { StoredFeature } from './create-geopackage.ts'
import { writePack } from './write-pack.ts'
import {
  blob,
  boxRing,
  collection,
  lineWkb,
  multiline,
  multipolygon,
  pointWkb,
  polygonWkb,
  type WkbPosition,
  type WkbShape,
} from './encode-wkb.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
let files = 0

type Opening = { cache_bytes?: number; polygons?: boolean }

function opened(path: string, { cache_bytes = 1_000_000, polygons: needsPolygons = false }: Opening = {}): PackLayer {
  const { db, tables } = openGeopackage(path)
  return openPackLayer(
    db,
    tables[0]!,
    { attributes: [], renames: new Map(), needsPolygons },
    createByteCache(cache_bytes),
  )
}

function boxOf(positions: readonly WkbPosition[]): [number, number, number, number] {
  const [xs, ys] = [positions.map(([x]) => x!), positions.map(([, y]) => y!)]
  return [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
}

/** A layer with an R-tree, made of shapes and their bounding positions. */
function layerOf(shapes: [WkbShape, WkbPosition[]][], more: Opening & { values?: number[] } = {}): PackLayer {
  const features = shapes.map(([shape], i): StoredFeature => ({
    geom: blob(shape),
    attributes: { NAME: `f${i}`, value: more.values?.[i] ?? i },
  }))
  return opened(
    writePack(join(folder, `${files++}.gpkg`))
      .layer('it', features, { boxes: shapes.map(([, positions]) => boxOf(positions)) })
      .close(),
    more,
  )
}

/** The same layer without an R-tree. */
const plainLayerOf = (...features: (Uint8Array | null)[]) =>
  opened(
    writePack(join(folder, `${files++}.gpkg`))
      .layer(
        'it',
        features.map((geom, i) => ({ geom, attributes: { NAME: `f${i}` } })),
      )
      .close(),
  )
const names = (features: Feature[]) => features.map(({ properties }) => properties.NAME)
const at = (lng: number, lat: number): Point => ({ lat, lng })

describe('a containment query', () => {
  test('reads all positions of one polygon or several up to a limit', () => {
    const circle = (vertices: number) => {
      const angleOf = (i: number) => (2 * Math.PI * (i % vertices)) / vertices
      const ring = Array.from({ length: vertices + 1 }, (_, i): WkbPosition => [
        -105 + Math.cos(angleOf(i)),
        39 + Math.sin(angleOf(i)),
      ])
      return blob(polygonWkb(ring))
    }
    const [small, large] = [circle(175_000), circle(524_000)]
    const query = { at: at(-105, 39), radius_m: 0 }
    expect(names(plainLayerOf(large).query(query))).toEqual(['f0'])
    expect(names(plainLayerOf(small, small).query(query))).toEqual(['f0', 'f1'])
    expect(() => plainLayerOf(small, small, small).query(query)).toThrow(
      'The polygons of it around the point have more than 524,288 positions.',
    )
  })

  const ring = boxRing(0, 0, 10, 10)
  const hole = boxRing(4, 4, 6, 6)
  const layer = layerOf([
    [polygonWkb(ring, hole), ring],
    [
      multipolygon([boxRing(20, 0, 30, 10)], [boxRing(40, 0, 50, 10), boxRing(44, 4, 46, 6)]),
      [...boxRing(20, 0, 50, 10)],
    ],
    [polygonWkb(boxRing(10, 0, 12, 10)), boxRing(10, 0, 12, 10)],
    [
      collection(lineWkb([0, 20], [10, 20]), polygonWkb(boxRing(0, 20, 10, 30)), pointWkb([5, 35])),
      boxRing(0, 20, 10, 35),
    ],
    [polygonWkb(ring.slice(0, 4).map(([x, y]) => [x! + 60, y!])), boxRing(60, 0, 70, 10)],
  ])
  test.each<[string, Point, string[]]>([
    ['inside', at(1, 1), ['f0']],
    ['in the hole', at(5, 5), []],
    ['next to the hole', at(4, 7), ['f0']],
    ['in the first part', at(25, 5), ['f1']],
    ['between the parts', at(35, 5), []],
    ['in the hole of the second part', at(45, 5), []],
    ['in the second part', at(41, 5), ['f1']],
    ['on a shared border, in the eastern polygon', at(10, 5), ['f2']],
    ['on the west and south corner', at(0, 0), ['f0']],
    ['on the north border, in none', at(5, 10), []],
    ['in a polygon of a collection', at(5, 25), ['f3']],
    ['on a line of a collection, outside its polygon', at(5, 35), []],
    ['in a ring that is not closed', at(65, 5), ['f4']],
    ['outside all', at(-5, -5), []],
  ])('%s', (_name, here, expected) => expect(names(layer.query({ at: here, radius_m: 0 }))).toEqual(expected))

  test('several features come in table order with their areas, and condition and limit apply', () => {
    const nested = layerOf([
      [polygonWkb(boxRing(-1, -1, 1, 1)), boxRing(-1, -1, 1, 1)],
      [polygonWkb(boxRing(-2, -2, 2, 2), boxRing(1.5, 1.5, 1.8, 1.8)), boxRing(-2, -2, 2, 2)],
    ])
    const found = nested.query({ at: at(0, 0), radius_m: 0 })
    expect(names(found)).toEqual(['f0', 'f1'])
    expect(Number(found[0]!.properties.area) / 49_233e6).toBeCloseTo(1, 2)
    expect(Number(found[1]!.properties.area)).toBeGreaterThan(3.9 * Number(found[0]!.properties.area))
    expect(names(nested.query({ at: at(0, 0), radius_m: 0, where: 'value = 1' }))).toEqual(['f1'])
    expect(names(nested.query({ at: at(0, 0), radius_m: 0, limit: 1 }))).toEqual(['f0'])
  })
})

describe('across the antimeridian', () => {
  const shapes: [WkbShape, WkbPosition[]][] = [
    [polygonWkb(boxRing(172, 50, 190, 53)), boxRing(172, 50, 190, 53)],
    [multipolygon([boxRing(175, -10, 180, -5)], [boxRing(-180, -10, -175, -5)]), boxRing(-180, -10, 180, -5)],
    [pointWkb([179.9, 20]), [[179.9, 20]]],
    [pointWkb([-179.7, 20]), [[-179.7, 20]]],
  ]
  const layer = layerOf(shapes)
  test.each<[string, Point, string[]]>([
    ['in a polygon that extends beyond 180, on one side', at(-172, 51), ['f0']],
    ['in the same polygon, on the other side', at(175, 51), ['f0']],
    ['beyond the end of the polygon', at(-169, 51), []],
    ['in a polygon with two parts', at(-178, -7), ['f1']],
    ['on the antimeridian as 180', at(180, -7), ['f1']],
    ['on the antimeridian as -180', at(-180, -7), ['f1']],
  ])('%s', (_name, here, expected) => expect(names(layer.query({ at: here, radius_m: 0 }))).toEqual(expected))

  test('the nearest feature is the nearest on the ground', () => {
    expect(names(layer.query({ at: at(-179.95, 20), radius_m: 100_000 }))).toEqual(['f2', 'f3'])
    expect(names(layer.query({ at: at(179.99, 20), radius_m: Infinity, limit: 1 }))).toEqual(['f2'])
  })
})

test('empty, missing and invalid geometries are skipped, and invalid ones are counted', () => {
  const good = blob(polygonWkb(boxRing(0, 0, 1, 1)))
  const broken = [
    good.slice(0, 40),
    Uint8Array.from([1, 2, 3]),
    blob(
      polygonWkb([
        [0, 0],
        [NaN, 1],
        [1, 1],
        [0, 0],
      ]),
    ),
    blob(pointWkb([4000, 5])),
  ]
  const layer = plainLayerOf(
    good,
    null,
    blob(polygonWkb(), { isEmpty: true }),
    blob(polygonWkb()),
    blob(pointWkb([NaN, NaN])),
    ...broken,
  )
  expect(names(layer.query({ at: at(0.5, 0.5), radius_m: Infinity }))).toEqual(['f0'])
  expect(layer.invalidCount()).toBe(4)
  expect(layer.notes).toEqual([expect.stringContaining('has no R-tree')])
})

test('where a geometry in an R-tree is invalid, it is not known that there is nothing; elsewhere it is', () => {
  const bytes = blob(polygonWkb(boxRing(0, 0, 1, 1)))
  const path = writePack(join(folder, `${files++}.gpkg`))
    .layer(
      'it',
      [
        { geom: bytes.slice(0, 60), attributes: { NAME: 'a' } },
        { geom: blob(polygonWkb(boxRing(0, 0, 0.2, 0.2))), attributes: { NAME: 'b' } },
      ],
      {
        boxes: [
          [0, 1, 0, 1],
          [0, 0.2, 0, 0.2],
        ],
      },
    )
    .close()
  const layer = opened(path)
  for (const query of [{ radius_m: 0 }, { radius_m: 1000 }, { radius_m: 1000, count_only: true as const }])
    expect(() => layer.query({ at: at(0.5, 0.5), ...query })).toThrow('The pack has an invalid geometry in it here')
  expect(names(layer.query({ at: at(0.1, 0.1), radius_m: 0 }))).toEqual(['b'])
  expect(layer.query({ at: at(5, 5), radius_m: 1000 })).toEqual([])
  expect(layer.invalidCount()).toBe(1)
})

describe('features that are not on the earth', () => {
  const places: WkbPosition[] = [
    [-97, 40],
    [-98, 41],
    [-96, 425],
    [-99, 42],
  ]
  const stored = (some: WkbPosition[]) =>
    some.map((position, i): StoredFeature => ({ geom: blob(pointWkb(position)), attributes: { NAME: `f${i}` } }))
  const pathOf = (some: WkbPosition[], hasIndex: boolean) =>
    writePack(join(folder, `${files++}.gpkg`))
      .layer('it', stored(some), hasIndex ? { boxes: some.map((position) => boxOf([position])) } : {})
      .close()

  test.each([true, false])(
    'are skipped and reported if they are few, and the bounds of the layer exclude them (with an R-tree: %p)',
    (hasIndex) => {
      const layer = opened(pathOf(places, hasIndex))
      // Without an R-tree, opening the layer reads each point, and such a point is invalid.
      if (hasIndex)
        expect(layer.notes).toEqual([
          '1 feature of it is skipped because its coordinates are out of range. The first is row 3: x ranges from -96 to -96 and y from 425 to 425.',
        ])
      else expect(layer.invalidCount()).toBe(1)
      expect(names(layer.query({ at: at(-97, 40), radius_m: Infinity }))).toEqual(['f0', 'f1', 'f3'])
      // On the far side of the earth, where the shortest path crosses the pole.
      expect(names(layer.query({ at: at(83, 60), radius_m: Infinity, limit: 1 }))).toEqual(['f3'])
      expect([layer.boundsContain(at(-97, 41)), layer.boundsContain(at(-97, 60))]).toEqual([true, false])
    },
  )

  test('are counted if they are deep in a large tree', () => {
    const many = Array.from({ length: 5_000 }, (_, i): WkbPosition => [
      -120 + (i % 100) / 2,
      i === 3_000 || i === 4_000 ? 100 : 25 + i / 250,
    ])
    expect(opened(pathOf(many, true)).notes[0]).toMatch(
      /^2 features of it are skipped because their coordinates are out of range\. The first is row (3001|4001): x ranges from -120 to -120 and y from 100 to 100\.$/,
    )
  })

  test('mean a wrong coordinate system if they are the majority', () => {
    expect(() =>
      opened(
        pathOf(
          [
            [500_000, 4_000_000],
            [600_000, 4_100_000],
            [-97, 40],
          ],
          true,
        ),
      ),
    ).toThrow(
      'declares coordinates in degrees (WGS 84), but x ranges from -97 to 600000 and y from 40 to 4100000. The declared coordinate system (CRS) is wrong.',
    )
  })
})

test('Z and M values are ignored in either byte order', () => {
  for (const numbers of [3, 4, 'm'] as const)
    for (const little of [true, false]) {
      expect(
        names(
          plainLayerOf(blob(polygonWkb(boxRing(0, 0, 1, 1)), { numbers, little, envelope: 1 })).query({
            at: at(0.5, 0.5),
            radius_m: 10,
          }),
        ),
      ).toEqual(['f0'])
    }
})

test('a file overwritten while it is open is an upstream error', () => {
  const places = Array.from({ length: 3_000 }, (_, i): WkbPosition => [i / 100, 0])
  const path = writePack(join(folder, `${files++}.gpkg`))
    .layer(
      'it',
      places.map((position) => ({ geom: blob(pointWkb(position)), attributes: { NAME: 'x'.repeat(200) } })),
      { boxes: places.map((position) => boxOf([position])) },
    )
    .close()
  const layer = opened(path)
  writeFileSync(path, new Uint8Array(statSync(path).size).fill(0xff))
  expect(() => layer.query({ at: at(15, 0), radius_m: 10_000 })).toThrow('it could not be read from its pack')
})

test('a count-only query reads no properties', () => {
  expect(layerOf([[pointWkb([0, 0]), [[0, 0]]]]).query({ at: at(0, 0), radius_m: 10, count_only: true })).toEqual([
    { properties: {}, distance_m: 0 },
  ])
})

test('the fraction along the nearest line is a fraction of its length', () => {
  const [found] = layerOf([
    [
      lineWkb([0, 0], [0.01, 0], [0.04, 0]),
      [
        [0, 0],
        [0.04, 0],
      ],
    ],
  ]).query({ at: at(0.02, 0.001), radius_m: Infinity, limit: 1 })
  expect(found!.fraction).toBeCloseTo(0.5, 6)
  const [two] = layerOf([
    [
      multiline(
        [
          [0, 0],
          [1, 0],
        ],
        [
          [2, 0],
          [3, 0],
        ],
      ),
      [
        [0, 0],
        [3, 0],
      ],
    ],
  ]).query({ at: at(0.5, 0.1), radius_m: Infinity, limit: 1 })
  expect(two).not.toHaveProperty('fraction')
})

describe('distances', () => {
  const truth_m = (a: Point, b: Point) => geodesic.Geodesic.WGS84.Inverse(a.lat, a.lng, b.lat, b.lng).s12!
  const place = fc.record({
    lat: fc.double({ min: -75, max: 75, noNaN: true }),
    lng: fc.double({ min: -179.9, max: 179.9, noNaN: true }),
  })

  test('up to 10 km are within 0.1 % of the geodesic, in every place and direction', () => {
    fc.assert(
      fc.property(
        place,
        fc.double({ min: 0, max: 360, noNaN: true }),
        fc.double({ min: 1, max: 10_000, noNaN: true }),
        (from, direction, distance_m) => {
          const { lat2, lon2 } = geodesic.Geodesic.WGS84.Direct(from.lat, from.lng, direction, distance_m)
          const [found] = layerOf([[pointWkb([lon2!, lat2!]), [[lon2!, lat2!]]]]).query({
            at: from,
            radius_m: Infinity,
            limit: 1,
          })
          expect(Math.abs(found!.distance_m / distance_m - 1)).toBeLessThan(1e-4)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('to a long line are measured to the straight line in degrees, and are 0 on it', () => {
    const border = layerOf([
      [
        lineWkb([-123, 49], [-95, 49]),
        [
          [-123, 49],
          [-95, 49],
        ],
      ],
    ])
    expect(border.query({ at: at(-109.37, 49), radius_m: Infinity })[0]!.distance_m).toBeLessThan(0.2)
    expect(border.query({ at: at(-109, 49.05), radius_m: Infinity })[0]!.distance_m).toBeCloseTo(
      truth_m(at(-109, 49.05), at(-109, 49)),
      -1,
    )
  })

  test('the nearest features and those within a radius are the same as in an exhaustive search', () => {
    fc.assert(
      fc.property(
        fc.array(place, { minLength: 1, maxLength: 400 }),
        place,
        fc.constantFrom(5_000, 300_000, 3_000_000),
        fc.integer({ min: 1, max: 5 }),
        (towns, from, radius_m, limit) => {
          const layer = layerOf(
            towns.map(({ lat, lng }) => [pointWkb([lng, lat]), [[lng, lat]]]),
            { cache_bytes: 20_000 },
          )
          const all = towns.map((town) => truth_m(from, town)).toSorted((a, b) => a - b)
          const near = layer.query({ at: from, radius_m })
          expect(near.length).toBeGreaterThanOrEqual(all.filter((it) => it < radius_m * 0.999).length)
          expect(near.length).toBeLessThanOrEqual(all.filter((it) => it < radius_m * 1.001).length)
          const nearest = layer.query({ at: from, radius_m: Infinity, limit })
          expect(nearest).toHaveLength(Math.min(limit, towns.length))
          // Our distance formula is accurate up to 5,000 km (geo/ecef.ts).
          nearest.forEach(({ distance_m }, i) => {
            if (all[i]! < 5_000_000) expect(Math.abs(distance_m - all[i]!)).toBeLessThan(0.001 * all[i]! + 1)
          })
        },
      ),
      { numRuns: 40 },
    )
  })
})

const zip = sampleOf('nwi_dc.zip')
const isHere = existsSync(zip) && Bun.which('ogr2ogr') !== null
describe.skipIf(!isHere)('the wetlands of Washington (needs nwi_dc.zip and ogr2ogr)', () => {
  const [albers, degrees] = [join(folder, 'albers.gpkg'), join(folder, 'degrees.gpkg')]
  if (isHere) {
    const shapes = `/vsizip/${zip}/DC_shapefile_wetlands/DC_Wetlands.shp`
    for (const [path, ...more] of [[albers], [degrees, '-t_srs', 'EPSG:4326']])
      Bun.spawnSync(['ogr2ogr', '-f', 'GPKG', path!, shapes, '-nln', 'Wetlands', '-nlt', 'PROMOTE_TO_MULTI', ...more])
  }
  const random = (seed: number) => () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
  const points = (count: number, next = random(7)) =>
    Array.from({ length: count }, () => at(-77.12 + 0.21 * next(), 38.79 + 0.21 * next()))
  const attributes = (features: Feature[]) =>
    features.map(({ properties }) => `${String(properties.ATTRIBUTE)} ${String(properties.ACRES)}`).sort()

  test('contain the same of 1,000 points as in GDAL', () => {
    const layer = opened(degrees)
    const features = geoJsonOf(degrees)
    const wrong = points(1_000).filter((here) => {
      const truth = features
        .filter(({ polygons }) =>
          polygons.some((rings) => rings.filter((ring) => obviouslyIn(ring, here)).length % 2 === 1),
        )
        .map(({ key }) => key)
        .sort()
      return truth.join() !== attributes(layer.query({ at: here, radius_m: 0 })).join()
    })
    expect(wrong).toEqual([])
  })

  test('give the same results in Albers (EPSG:5070) and in degrees for containment, nearest features and counts', () => {
    const [a, b] = [opened(albers), opened(degrees)]
    for (const here of points(300)) {
      expect(attributes(a.query({ at: here, radius_m: 0 }))).toEqual(attributes(b.query({ at: here, radius_m: 0 })))
      expect(a.query({ at: here, radius_m: 500 })).toHaveLength(b.query({ at: here, radius_m: 500 }).length)
      const [x, y] = [a, b].map((layer) => layer.query({ at: here, radius_m: Infinity, limit: 1 })[0]!.distance_m)
      expect(Math.abs(x! - y!)).toBeLessThan(0.001)
    }
  })
})

function geoJsonOf(path: string): { key: string; polygons: WkbPosition[][][] }[] {
  const text = Bun.spawnSync([
    'ogr2ogr',
    '-f',
    'GeoJSON',
    '-lco',
    'COORDINATE_PRECISION=17',
    '/vsistdout/',
    path,
  ]).stdout.toString()
  const { features } = JSON.parse(text) as {
    features: { properties: { ATTRIBUTE: string; ACRES: number }; geometry: { coordinates: WkbPosition[][][] } }[]
  }
  return features.map(({ properties, geometry }) => ({
    key: `${properties.ATTRIBUTE} ${properties.ACRES}`,
    polygons: geometry.coordinates,
  }))
}

/** The slow reference. */
function obviouslyIn(ring: WkbPosition[], { lat, lng }: Point): boolean {
  return (
    ring.slice(1).filter(([x2, y2], i) => {
      const [x1, y1] = ring[i]!
      return y1! > lat !== y2! > lat && lng < x1! + ((x2! - x1!) * (lat - y1!)) / (y2! - y1!)
    }).length %
      2 ===
    1
  )
}
