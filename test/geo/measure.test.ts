import { expect, test } from 'bun:test'
import fc from 'fast-check'
import geodesic from 'geographiclib-geodesic'
import { polygonArea_m2, measureDistance } from '../../src/geo/measure.ts'
import type { Point } from '../../src/model/place.ts'
import type { Geometry, Position } from '../../src/model/source.ts'

const wgs84 = geodesic.Geodesic.WGS84
const truth_m = (a: Point, b: Point) => wgs84.Inverse(a.lat, a.lng, b.lat, b.lng).s12!
const geometry = (parts: Partial<Geometry>): Geometry => ({ points: [], lines: [], polygons: [], ...parts })
const box = (w: number, s: number, e: number, n: number): Position[] => [
  [w, s],
  [w, n],
  [e, n],
  [e, s],
  [w, s],
]
const reversed = (ring: Position[]) => ring.toReversed()

test('an empty geometry has no distance', () =>
  expect(measureDistance(geometry({}), { lat: 39, lng: -105 })).toBeNull())

const holding = [
  ['inside', [box(-106, 38, -104, 40)], 39, -105, true],
  ['outside', [box(-106, 38, -104, 40)], 39, -103, false],
  ['in a hole', [box(-106, 38, -104, 40), reversed(box(-105.5, 38.5, -104.5, 39.5))], 39, -105, false],
  [
    'on an island in a hole',
    [box(-106, 38, -104, 40), reversed(box(-105.5, 38.5, -104.5, 39.5)), box(-105.1, 38.9, -104.9, 39.1)],
    39,
    -105,
    true,
  ],
  ['in the second part', [box(-106, 38, -105.5, 40), box(-105.2, 38, -104, 40)], 39, -105, true],
  [
    'across the antimeridian, east of it',
    [
      [
        [179, 51],
        [179, 53],
        [-179, 53],
        [-179, 51],
        [179, 51],
      ],
    ],
    52,
    -179.5,
    true,
  ],
  [
    'across the antimeridian, west of it',
    [
      [
        [179, 51],
        [179, 53],
        [-179, 53],
        [-179, 51],
        [179, 51],
      ],
    ],
    52,
    179.5,
    true,
  ],
  [
    'across the antimeridian, far from it',
    [
      [
        [179, 51],
        [179, 53],
        [-179, 53],
        [-179, 51],
        [179, 51],
      ],
    ],
    52,
    0,
    false,
  ],
  ['west of 180 degrees west', [box(-191, 51, -179, 53)], 52, 170, true],
  ['east of 180 degrees east', [box(179, 51, 190, 53)], 52, -171, true],
  ['with a hole across the antimeridian', [box(170, 50, 190, 54), reversed(box(-181, 51, -179, 53))], 52, 180, false],
] as [string, Position[][], number, number, boolean][]
test.each(holding)('whether a polygon contains a point: %s', (_name, rings, lat, lng, expected) => {
  const at = measureDistance(geometry({ polygons: [rings] }), { lat, lng })!
  expect(at.distance_m === 0).toBe(expected)
})

test('on a shared border, the distance to both polygons is 0', () => {
  const at = { lat: 39.3, lng: -105 }
  const sides = [box(-106, 38, -105, 40), box(-105, 38, -104, 40)].map((ring) =>
    measureDistance(geometry({ polygons: [[ring]] }), at)!,
  )
  expect(sides.every(({ distance_m }) => distance_m < 1e-6)).toBe(true)
})

test('in a hole, the distance is measured to its edge', () => {
  const at = { lat: 39, lng: -105 }
  const { distance_m } = measureDistance(
    geometry({ polygons: [[box(-106, 38, -104, 40), box(-105.1, 38.9, -104.9, 39.1)]] }),
    at,
  )!
  expect(distance_m / truth_m(at, { lat: 39, lng: -104.9 }) - 1).toBeWithin(-0.001, 0.001)
})

test('the distance is that of the nearest part', () => {
  const at = { lat: 39, lng: -105 }
  const parts = geometry({
    points: [[-105, 39.5]],
    lines: [
      [
        [-106, 39.2],
        [-104, 39.2],
      ],
    ],
    polygons: [[box(-104, 38, -103, 40)]],
  })
  const { distance_m, fraction } = measureDistance(parts, at)!
  expect(distance_m / truth_m(at, { lat: 39.2, lng: -105 }) - 1).toBeWithin(-0.001, 0.001)
  expect(fraction).toBeCloseTo(0.5, 4)
  expect(measureDistance({ ...parts, points: [[-105, 39.1]] }, at)).not.toHaveProperty('fraction')
})

const fractions = [
  ['its start', -106.5, 0],
  ['its end', -103.5, 1],
  ['a quarter of it', -105.5, 0.25],
  ['half of it', -105, 0.5],
] as const
test.each(fractions)('the fraction of a line goes from 0 to 1 by length: %s', (_name, lng, expected) => {
  const line: Position[] = [
    [-106, 39],
    [-105.9, 39],
    [-104, 39],
  ]
  expect(measureDistance(geometry({ lines: [line] }), { lat: 39.001, lng })!.fraction).toBeCloseTo(expected, 3)
})

test('a line of one position has the fraction 0', () => {
  expect(measureDistance(geometry({ lines: [[[-105, 39]]] }), { lat: 39, lng: -105 })).toEqual({
    distance_m: 0,
    fraction: 0,
  })
})

const place = fc.record({
  lat: fc.double({ min: 18, max: 71, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
})
const azimuth = fc.double({ min: 0, max: 360, noNaN: true })
const reach = fc.double({ min: 10, max: 10_000, noNaN: true })

test('within 10 km the distance to a point agrees with the geodesic within 0.1 %', () => {
  fc.assert(
    fc.property(place, azimuth, reach, (at, direction, distance_m) => {
      const { lat2, lon2 } = wgs84.Direct(at.lat, at.lng, direction, distance_m)
      expect(measureDistance(geometry({ points: [[lon2!, lat2!]] }), at)!.distance_m / distance_m - 1).toBeWithin(
        -0.001,
        0.001,
      )
    }),
    { numRuns: 500, seed: 1 },
  )
})

test('within 10 km the distance to a line agrees with the shortest geodesic within 0.1 %, also across the antimeridian', () => {
  fc.assert(
    fc.property(
      place,
      azimuth,
      reach,
      azimuth,
      fc.double({ min: 100, max: 60_000, noNaN: true }),
      (at, direction, distance_m, course, length_m) => {
        const start = wgs84.Direct(at.lat, at.lng, direction, distance_m)
        const end = wgs84.Direct(start.lat2!, start.lon2!, course, length_m)
        const line: [Position, Position] = [
          [start.lon2!, start.lat2!],
          [end.lon2!, end.lat2!],
        ]
        const expected_m = slowDistance_m(at, line)
        const off = Math.abs(measureDistance(geometry({ lines: [line] }), at)!.distance_m - expected_m)
        expect(off).toBeLessThan(0.001 * expected_m + 0.5)
      },
    ),
    { numRuns: 200, seed: 1 },
  )
})

test('a long edge follows a straight line in degrees', () => {
  const at = { lat: 49.05, lng: -110 }
  const { distance_m } = measureDistance(
    geometry({
      lines: [
        [
          [-123, 49],
          [-97, 49],
        ],
      ],
    }),
    at,
  )!
  expect(distance_m / truth_m(at, { lat: 49, lng: -110 }) - 1).toBeWithin(-0.001, 0.001)
})

test('the area of a polygon without its holes agrees with the ellipsoid within 1 %', () => {
  const ring = box(-106, 38, -104, 40)
  const hole = reversed(box(-105.5, 38.5, -104.5, 39.5))
  const area = (...rings: Position[][]) => polygonArea_m2(geometry({ polygons: [rings] }))
  expect(area(ring) / ellipsoid_m2(ring) - 1).toBeWithin(-0.01, 0.01)
  expect(area(ring, hole)).toBeCloseTo(area(ring) - area(hole), 0)
  expect(area(box(179, 51, 181, 53))).toBeCloseTo(
    area([
      [179, 51],
      [179, 53],
      [-179, 53],
      [-179, 51],
      [179, 51],
    ]),
    0,
  )
  expect(polygonArea_m2(geometry({ points: [[1, 2]] }))).toBe(0)
})

function ellipsoid_m2(ring: Position[]): number {
  const polygon = wgs84.Polygon(false)
  for (const [lng, lat] of ring.slice(1)) polygon.AddPoint(lat, lng)
  return Math.abs(polygon.Compute(false, true).area!)
}

/**
 * The shortest geodesic to a line that is straight in degrees: a coarse search, then a fine search around the best
 * position.
 */
function slowDistance_m(at: Point, [[x1, y1], [x2, y2]]: [Position, Position]): number {
  const turn = Math.abs(x2 - x1) > 180 ? -360 * Math.sign(x2 - x1) : 0
  const distance_m = (part: number) => truth_m(at, { lat: y1 + (y2 - y1) * part, lng: x1 + (x2 + turn - x1) * part })
  let [from, to] = [0, 1]
  for (let round = 0; round < 4; round++) {
    const step = (to - from) / 40
    const parts = Array.from({ length: 41 }, (_, i) => from + i * step)
    const best = parts.reduce((a, b) => (distance_m(b) < distance_m(a) ? b : a))
    ;[from, to] = [Math.max(0, best - step), Math.min(1, best + step)]
  }
  return Math.min(distance_m(from), distance_m(to), distance_m((from + to) / 2))
}
