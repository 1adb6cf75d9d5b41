import { expect, test } from 'bun:test'
import { Geodesic } from 'geographiclib-geodesic'
import * as fc from 'fast-check'
import { lineLength_m, signedRingArea_m2 } from '../../src/geo/ellipsoid.ts'
import type { FlatPath } from '../../src/model/area.ts'

/** Splits edges, so that geodesic edges follow the edges that are straight in degrees. */
function densify(path: FlatPath, step_degrees: number): FlatPath {
  const dense: FlatPath = []
  for (let i = 0; i < path.length; i += 2) {
    const next = (i + 2) % path.length
    const [dx, dy] = [path[next]! - path[i]!, path[next + 1]! - path[i + 1]!]
    const pieces = Math.max(1, Math.ceil(Math.hypot(dx, dy) / step_degrees))
    for (let piece = 0; piece < pieces; piece++)
      dense.push(path[i]! + (dx * piece) / pieces, path[i + 1]! + (dy * piece) / pieces)
  }
  return dense
}

function geodesicOf(path: FlatPath, isLine: boolean): { area: number; length: number } {
  const polygon = Geodesic.WGS84.Polygon(isLine)
  for (let i = 0; i < path.length; i += 2) polygon.AddPoint(path[i + 1]!, path[i]!)
  const { area, perimeter } = polygon.Compute(false, true)
  return { area: area ?? NaN, length: perimeter }
}

const center = fc.tuple(fc.double({ min: -170, max: -65, noNaN: true }), fc.double({ min: 15, max: 70, noNaN: true }))
const triangle = fc
  .tuple(center, fc.double({ min: 0.05, max: 2, noNaN: true }), fc.double({ min: 0, max: 6, noNaN: true }))
  .map(([[x, y], size, turn]) =>
    [0, 2.1, 4.2].flatMap((angle) => [x + size * Math.cos(angle + turn), y + size * Math.sin(angle + turn)]),
  )

test('an area agrees with the geodesic area of a densified ring to 1e-6', () => {
  fc.assert(
    fc.property(triangle, (ring) => {
      const expected = geodesicOf(densify(ring, Math.abs(ring[2]! - ring[0]!) / 300), false).area
      expect(Math.abs(signedRingArea_m2(ring) / expected - 1)).toBeLessThan(1e-6)
    }),
    { numRuns: 100, seed: 20261122 },
  )
})

test('a length agrees with the geodesic length of a densified line to 1e-8', () => {
  fc.assert(
    fc.property(triangle, (line) => {
      const dense = densify([...line, line[0]!, line[1]!], 0.01)
      const closing = dense.lastIndexOf(line[1]!) - 1
      const open = dense.slice(0, closing + 2)
      const expected = geodesicOf(open, true).length
      expect(Math.abs(lineLength_m(open) / expected - 1)).toBeLessThan(1e-8)
    }),
    { numRuns: 100, seed: 20261122 },
  )
})

test('a parcel of 40 m agrees with its area on a tangent plane to 1e-9', () => {
  fc.assert(
    fc.property(center, ([x, y]) => {
      const [dx, dy] = [0.0004, 0.0003]
      const ring = [x, y, x + dx, y, x + dx, y + dy, x, y + dy]
      const plane_m2 = lineLength_m([x, y + dy / 2, x + dx, y + dy / 2]) * lineLength_m([x, y, x, y + dy])
      expect(Math.abs(signedRingArea_m2(ring) / plane_m2 - 1)).toBeLessThan(1e-9)
    }),
    { numRuns: 200, seed: 20261122 },
  )
})

test('a degree of longitude on the equator has its known length, and one hemisphere of a zone its known area', () => {
  expect(lineLength_m([0, 0, 1, 0])).toBeCloseTo(111_319.4907932264, 6)
  // A 360th of half of the WGS 84 ellipsoid, whose area is 510,065,621.724 km².
  expect(signedRingArea_m2([0, 0, 1, 0, 1, 90, 0, 90]) / 1e6).toBeCloseTo(510_065_621.724 / 720, 3)
})

test('a ring that runs clockwise has a negative area', () => {
  expect(signedRingArea_m2([-105, 39, -105, 40, -104, 40, -104, 39])).toBeLessThan(0)
})

test('the parts of a split ring add up to it', () => {
  fc.assert(
    fc.property(triangle, fc.double({ min: 0.05, max: 0.95, noNaN: true }), (ring, t) => {
      const [x1, y1, x2, y2, x3, y3] = ring as [number, number, number, number, number, number]
      const cut = [x1 + t * (x2 - x1), y1 + t * (y2 - y1)]
      const parts = signedRingArea_m2([x1, y1, ...cut, x3, y3]) + signedRingArea_m2([...cut, x2, y2, x3, y3])
      expect(Math.abs(parts / signedRingArea_m2(ring) - 1)).toBeLessThan(1e-9)
    }),
    { numRuns: 500, seed: 20261122 },
  )
})
