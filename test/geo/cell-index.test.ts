import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CellIndex } from '../../src/geo/cell-index.ts'
import { buildCells } from '../../scripts/embed/build-cells.ts'
import { coordinateStep_degrees, type FlatGeometries } from '../../src/geo/flat-geometries.ts'
import { ringsContain } from '../../src/geo/polygon.ts'
import { buildRingRows } from '../../src/geo/polygon.ts'
import { words } from '../support/words.ts'

type Step = [x: number, y: number]
const degree = 131_072
/** Around the corner of four blocks of one degree; some positions are on the corners of cells. */
const position = fc.oneof(
  fc.integer({ min: -2 * degree, max: 2 * degree }),
  fc.integer({ min: -64, max: 64 }).map((cell) => 4096 * cell),
  fc.integer({ min: -64, max: 64 }).map((cell) => 4096 * cell + 1),
)
const vertex: fc.Arbitrary<Step> = fc.tuple(position, position)
/** Rings may cross themselves and each other: the even-odd rule holds for them as well. */
const ring = fc.array(vertex, { minLength: 3, maxLength: 12 })
const polygons = fc.array(fc.tuple(fc.array(ring, { minLength: 1, maxLength: 3 }), fc.nat(3)), {
  minLength: 1,
  maxLength: 6,
})

test('cells find the same features as a test of all rings, anywhere, on vertices, on edges and on corners of cells', () => {
  fc.assert(
    fc.property(
      polygons,
      fc.array(vertex, { minLength: 20, maxLength: 60 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 1024 }).map((it) => it / 1024)),
      (all, points, shares) => {
        const shapes = shapesOf(all)
        const rows = buildRingRows(shapes)
        const index = new CellIndex(shapes, rows, buildCells(shapes, rows))
        const vertices = all.flatMap(([rings]) => rings.flatMap((it) => [...it, it[0]!]))
        const onEdges = vertices.slice(1).map(([x, y], i): Step => {
          const [share] = shares.take(1)
          const [fromX, fromY] = vertices[i]!
          return [fromX + share! * (x - fromX), fromY + share! * (y - fromY)]
        })
        for (const [x, y] of [...points, ...vertices, ...onEdges]) {
          const [lat, lng] = [y * coordinateStep_degrees, x * coordinateStep_degrees]
          expect([...index.featuresContaining(lat, lng)]).toEqual(featuresByRings(shapes, x, y))
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('the features around a small extent contain each of its points, and no others do', () => {
  const sides = fc.tuple(fc.nat(6000), fc.nat(6000))
  const extents = fc.array(fc.tuple(vertex, sides), { minLength: 40, maxLength: 80 })
  const shares = fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { minLength: 12, maxLength: 12 })
  let found = 0
  fc.assert(
    fc.property(polygons, extents, shares, (all, boxes, places) => {
      const shapes = shapesOf(all)
      const rows = buildRingRows(shapes)
      const cells = new CellIndex(shapes, rows, buildCells(shapes, rows))
      for (const [[x, y], [width, height]] of boxes) {
        const [west, south, east, north] = [x, y, x + width, y + height].map((it) => it * coordinateStep_degrees)
        const around = cells.featuresAround({ west: west!, south: south!, east: east!, north: north! })
        if (!around) continue
        found++
        for (const [a, b] of [[0, 0], [0, 100], [100, 0], [100, 100], ...places] as Step[])
          expect(featuresByRings(shapes, x + (a * width) / 100, y + (b * height) / 100)).toEqual([...around])
      }
    }),
    { numRuns: 60 },
  )
  expect(found).toBeGreaterThan(100)
})

test('the whole earth has cells, with the poles and both sides of the antimeridian', () => {
  const [west, south, east, north] = [-180, -90, 180, 90].map((it) => it * degree)
  const all: [Step[][], number][] = [
    [
      [
        [
          [west!, south!],
          [0, south!],
          [0, north!],
          [west!, north!],
        ],
      ],
      1,
    ],
    [
      [
        [
          [0, south!],
          [east!, south!],
          [east!, north!],
          [0, north!],
        ],
      ],
      2,
    ],
  ]
  const shapes = shapesOf(all)
  const rows = buildRingRows(shapes)
  const index = new CellIndex(shapes, rows, buildCells(shapes, rows))
  const at = (lat: number, lng: number) => index.featuresContaining(lat, lng).join()
  expect([at(0, -90), at(0, 90), at(-90, -90), at(-90, 179.9), at(0, -180), at(0, 180)]).toEqual(words`
    1 2 1 2 1 1
  `)
  // The rule of borders is half-open, so nothing contains the North Pole.
  expect([at(90, 10), at(89.9999, 10)]).toEqual(['', '2'])
})

function featuresByRings({ coordinates, starts, polygonRings, polygonFeatures }: FlatGeometries, x: number, y: number) {
  const found = new Set<number>()
  for (const [polygon, feature] of polygonFeatures.entries())
    if (ringsContain(coordinates, starts, polygonRings[polygon]!, polygonRings[polygon + 1]!, x, y)) found.add(feature)
  return [...found].toSorted((a, b) => a - b)
}

/** Closes the rings. Each polygon has the number of its feature beside it. */
function shapesOf(all: readonly (readonly [Step[][], number])[]): FlatGeometries {
  const rings = all.flatMap(([it]) => it.map((open) => [...open, open[0]!]))
  const sum = (lengths: number[]) =>
    Uint32Array.from([0, ...lengths].map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0)))
  return {
    coordinates: Int32Array.from(rings.flat(2)),
    starts: sum(rings.map((it) => it.length)),
    polygonRings: sum(all.map(([it]) => it.length)),
    polygonFeatures: Uint32Array.from(all, ([, feature]) => feature),
    ringFeatures: Uint32Array.from(all.flatMap(([it, feature]) => it.map(() => feature))),
  }
}
