import { describe, expect, test } from 'bun:test'
import { ringsContain } from '../../src/geo/polygon.ts'
import type { GeometryPart } from '../../src/geo/text/wkb-write.ts'
import { buildPolygons } from '../../src/build-packs/polygons/build-polygons.ts'
import { isSimpleRing } from '../../src/build-packs/polygons/planar-graph.ts'
import { subdivide } from '../../src/build-packs/layer/subdivide.ts'
import { randomOf } from '../../scripts/bench/random.ts'

const seed = Number(process.env.SEED ?? 3)
const random = randomOf(seed)
console.log(`SEED=${seed}`)

const box = (west: number, south: number, east: number, north: number): number[] => [
  west,
  south,
  east,
  south,
  east,
  north,
  west,
  north,
  west,
  south,
]
const shown = (parts: GeometryPart[] | null): number[] | null =>
  parts && parts.map(({ paths }) => paths.length).toSorted((a, b) => b - a)

describe('closed rings by the even-odd rule', () => {
  const cases: [name: string, rings: number[][], ringsOfEach: number[] | null][] = [
    ['a ring in a ring is a hole', [box(0, 0, 9, 9), box(2, 2, 4, 4)], [2]],
    ['an island in a hole is a separate polygon', [box(0, 0, 9, 9), box(1, 1, 8, 8), box(3, 3, 5, 5)], [2, 1]],
    [
      'rings next to each other are two polygons, even if their boxes overlap',
      [[0, 0, 9, 0, 9, 1, 1, 1, 1, 9, 0, 9, 0, 0], box(3, 3, 5, 5)],
      [1, 1],
    ],
    [
      'also if a corner of one is in the middle of an edge of the other',
      [
        [0, 0, 6, 6, 0, 12, -1, 11, 4, 6, 1, 5, 0, 2, -5, 7, -6, 6, 0, 0],
        [0, 4, 2, 6, 0, 8, -2, 6, 0, 4],
      ],
      [1, 1],
    ],
    [
      'a ring that touches itself from outside is two polygons',
      [[0, 0, 2, 0, 2, 2, 4, 2, 4, 4, 2, 4, 2, 2, 0, 2, 0, 0]],
      [1, 1],
    ],
    [
      'a ring that touches itself from inside is a polygon with a hole',
      [[0, 0, 9, 0, 9, 9, 0, 9, 0, 0, 1, 3, 3, 3, 3, 1, 0, 0]],
      [2],
    ],
    [
      'a hole that touches its outer ring twice makes two polygons',
      [box(0, 0, 4, 4), [0, 0, 3, 2, 4, 4, 1, 2, 0, 0]],
      [1, 1],
    ],
    ['two rings that share an axis-parallel edge become one', [box(0, 0, 2, 2), box(2, 0, 4, 2)], [1]],
    ['a shared part of an axis-parallel edge is removed', [box(0, 0, 2, 6), box(2, 1, 4, 3)], [1]],
    ['a spike along a cut is removed', [[0, 0, 4, 0, 4, 4, 9, 4, 0, 4, 0, 0]], [1]],
    ['rings that cross make no polygons', [box(0, 0, 4, 4), [2, 1, 9, 2, 8, 3, 2, 1]], null],
    [
      'rings that share a slanted edge make no polygons',
      [
        [0, 0, 4, 3, 0, 4, 0, 0],
        [0, 0, 4, 3, 4, 0, 0, 0],
      ],
      null,
    ],
    ['identical rings cancel each other', [box(0, 0, 2, 2), box(0, 0, 2, 2)], []],
  ]
  for (const [name, rings, expected] of cases) test(name, () => expect(shown(buildPolygons(rings))).toEqual(expected))
})

type Cells = boolean[][]

function cellsOf(size: number, filled: number): Cells {
  return Array.from({ length: size }, () => Array.from({ length: size }, () => random() < filled))
}

/** The number of connected regions of filled or unfilled cells. Cells are connected by a shared side. */
function regions(cells: Cells, requested: boolean): number {
  const seen = cells.map((row) => row.map(() => false))
  let count = 0
  const flood = (y: number, x: number): boolean => {
    if (cells[y]?.[x] !== requested || seen[y]![x]) return false
    seen[y]![x] = true
    for (const [dy, dx] of [
      [0, 1],
      [1, 0],
      [0, -1],
      [-1, 0],
    ] as const)
      flood(y + dy, x + dx)
    return true
  }
  for (const y of cells.keys()) for (const x of cells[y]!.keys()) if (flood(y, x)) count++
  return count
}

const holdsAt = ({ paths }: GeometryPart, x: number, y: number): boolean =>
  ringsContain(
    Float64Array.from(paths.flat()),
    Uint32Array.from([0, ...paths.map((_, i) => paths.slice(0, i + 1).flat().length / 2)]),
    0,
    paths.length,
    x,
    y,
  )

test('squares of a board dissolve into one polygon per connected region', () => {
  for (let round = 0; round < 300; round++) {
    const cells = cellsOf(8, 0.3 + 0.5 * random())
    const rings = cells.flatMap((row, y) => row.flatMap((isFilled, x) => (isFilled ? [box(x, y, x + 1, y + 1)] : [])))
    const parts = buildPolygons(rings)!
    expect(parts.length).toBe(regions(cells, true))
    expect(
      parts.reduce(
        (sum, { paths }) => sum + 2 * areaOf(paths[0]!) - paths.reduce((all, path) => all + areaOf(path), 0),
        0,
      ),
    ).toBe(cells.flat().filter(Boolean).length)
    for (const [y, row] of cells.entries())
      for (const [x, isFilled] of row.entries())
        expect(parts.filter((part) => holdsAt(part, x + 0.5, y + 0.5)).length).toBe(isFilled ? 1 : 0)
    for (const { paths } of parts)
      for (const path of paths) expect(new Set(namesOf(path)).size).toBe(path.length / 2 - 1)
  }
})

const areaOf = (path: number[]): number =>
  Math.abs(
    namesOf(path)
      .slice(1)
      .reduce((sum, _, i) => sum + path[2 * i]! * path[2 * i + 3]! - path[2 * i + 2]! * path[2 * i + 1]!, 0),
  ) / 2

const namesOf = (path: number[]): string[] =>
  Array.from({ length: path.length / 2 }, (_, i) => `${path[2 * i]} ${path[2 * i + 1]}`)

/** A star with many rays around a center. */
function star([x, y]: [number, number], radius: number, rays: number, inner: number): number[] {
  const ring = Array.from({ length: 2 * rays }, (_, i) => {
    const r = radius * (i % 2 === 0 ? 1 : inner + (0.9 - inner) * random())
    return [x + r * Math.cos((Math.PI * i) / rays), y + r * Math.sin((Math.PI * i) / rays)]
  }).flat()
  return [...ring, ring[0]!, ring[1]!]
}

test('the pieces of a valid polygon have simple rings, no crossings, holes inside their rings, and no overlaps', () => {
  for (let round = 0; round < 4; round++) {
    const holes = Array.from({ length: 9 }, (_, i) => star([3 * (i % 3) - 3, 3 * Math.floor(i / 3) - 3], 1, 30, 0.2))
    const whole: GeometryPart = { kind: 'polygon', paths: [star([0, 0], 20, 400, 0.35), ...holes] }
    const pieces = subdivide([whole])
    expect(pieces.length).toBeGreaterThan(10)
    for (const piece of pieces) {
      expect(piece.flatMap(({ paths }) => paths).flat().length / 2).toBeLessThanOrEqual(128)
      for (const {
        paths: [outer, ...inner],
      } of piece) {
        for (const ring of [outer!, ...inner]) expect(new Set(namesOf(ring)).size).toBe(ring.length / 2 - 1)
        for (const ring of inner)
          expect(
            namesOf(ring).filter((_, i) =>
              holdsAt({ kind: 'polygon', paths: [outer!] }, ring[2 * i]!, ring[2 * i + 1]!),
            ).length,
          ).toBeGreaterThan(0)
      }
    }
    for (let i = 0; i < 150; i++) {
      const [x, y] = [44 * random() - 22, 44 * random() - 22]
      expect(pieces.flat().filter((part) => holdsAt(part, x, y)).length).toBe(holdsAt(whole, x, y) ? 1 : 0)
    }
  }
})

describe('a simple ring is recognized without a search for crossings', () => {
  test.each<[name: string, path: number[], isSimple: boolean]>([
    ['a box', box(0, 0, 4, 4), true],
    ['a slanted triangle', [0, 0, 4, 1, 2, 5, 0, 0], true],
    ['a step whose corners share a column and a row', [0, 0, 4, 0, 4, 2, 2, 2, 2, 4, 0, 4, 0, 0], true],
    ['no area', [0, 0, 4, 4, 0, 0], false],
    ['a vertex twice', [0, 0, 2, 2, 4, 0, 4, 4, 2, 2, 0, 4, 0, 0], false],
    ['a vertex on a vertical edge', [0, 0, 4, 0, 2, 2, 4, 4, 0, 4, 1, 3, 0, 2, 1, 1, 0, 0], true],
    ['a vertex on the vertical closing edge', [0, 0, 4, 1, 0, 2, 4, 4, 0, 4, 0, 0], false],
    ['a vertex on a horizontal edge', [0, 0, 4, 0, 4, 4, 2, 0, 0, 4, 0, 0], false],
    ['a vertex in line with an edge, beyond its end', [0, 0, 2, 0, 2, 1, 3, 1, 3, 0, 5, 0, 5, 4, 0, 4, 0, 0], true],
  ])('%s', (_, path, isSimple) => expect(isSimpleRing(path)).toBe(isSimple))
})
