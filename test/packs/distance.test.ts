import { expect, test } from 'bun:test'
import fc from 'fast-check'
import geodesic from 'geographiclib-geodesic'
import { coordinateStep_degrees } from '../../src/geo/flat-geometries.ts'
import { loadTestLayer } from './load-test-layer.ts'
import type { Point } from '../../src/model/place.ts'
import { createGeopackage } from './create-geopackage.ts'
import { blob, lineWkb, pointWkb, polygonWkb, type WkbPosition, type WkbShape } from './encode-wkb.ts'

const wgs84 = geodesic.Geodesic.WGS84
const truth_m = (a: Point, b: Point) => wgs84.Inverse(a.lat, a.lng, b.lat, b.lng).s12!
const layerOf = (...shapes: WkbShape[]) =>
  loadTestLayer(
    createGeopackage({ it: shapes.map((shape, NAME) => ({ geom: blob(shape), attributes: { NAME } })) }),
    'it',
  )
const pointAt = ({ lat, lng }: Point) => pointWkb([lng, lat])

/** A coordinate on the layer's grid, so that tests measure the distance error and not the rounding. */
const snapToGrid = (degrees: number) => Math.round(degrees / coordinateStep_degrees) * coordinateStep_degrees
const place = fc.record({
  lat: fc.double({ min: -80, max: 80, noNaN: true }).map(snapToGrid),
  lng: fc.double({ min: -180, max: 180, noNaN: true }).map(snapToGrid),
})
const usPlace = fc.record({
  lat: fc.double({ min: 18, max: 71, noNaN: true }).map(snapToGrid),
  lng: fc.double({ min: -178, max: -65, noNaN: true }).map(snapToGrid),
})
const azimuth = fc.double({ min: 0, max: 360, noNaN: true })

function moveBy(from: Point, azimuth_degrees: number, distance_m: number): Point {
  const { lat2, lon2 } = wgs84.Direct(from.lat, from.lng, azimuth_degrees, distance_m)
  return { lat: lat2!, lng: lon2! }
}

/** The relative error of a measured distance. */
function errorOf(town: Point, at: Point): number {
  const [found] = layerOf(pointAt(town)).query({ at, radius_m: Infinity })
  return Math.abs(found!.distance_m / truth_m(at, town) - 1)
}

test('a distance up to 5,000 km is within 0.1 % of the geodesic, in every place and direction', () => {
  fc.assert(
    fc.property(
      place,
      azimuth,
      fc.double({ min: 1_000, max: 5_000_000, noNaN: true }),
      (town, direction, distance_m) => {
        expect(errorOf(town, moveBy(town, direction, distance_m))).toBeLessThan(1e-3)
      },
    ),
    { numRuns: 500 },
  )
})

test('a distance of 1 to 10 km is within 0.001 % of the geodesic', () => {
  fc.assert(
    fc.property(place, azimuth, fc.double({ min: 1_000, max: 10_000, noNaN: true }), (town, direction, distance_m) => {
      expect(errorOf(town, moveBy(town, direction, distance_m))).toBeLessThan(1e-5)
    }),
    { numRuns: 500 },
  )
})

test('a stored vertex is within 0.6 m of the original', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -80, max: 80, noNaN: true }),
      fc.double({ min: -180, max: 180, noNaN: true }),
      (lat, lng) => {
        expect(
          layerOf(pointAt({ lat, lng })).query({ at: { lat, lng }, radius_m: Infinity })[0]!.distance_m,
        ).toBeLessThan(0.61)
      },
    ),
    { numRuns: 200 },
  )
})

/** The slow reference: the shortest geodesic to many places along the edges, which are straight lines in degrees. */
function sampledDistance_m(at: Point, vertices: WkbPosition[]): number {
  return vertices.slice(1).reduce((least, to, i) => Math.min(least, toSegment_m(at, vertices[i]!, to)), Infinity)
}

/** Samples a thousand places, then a thousand around the best of them. */
function toSegment_m(at: Point, [x1, y1]: WkbPosition, [x2, y2]: WkbPosition): number {
  const steps = 1_000
  const distance_m = (part: number) => truth_m(at, { lat: y1! + (y2! - y1!) * part, lng: x1! + (x2! - x1!) * part })
  const best = (from: number, to: number) => {
    const parts = Array.from({ length: steps + 1 }, (_, step) =>
      Math.min(1, Math.max(0, from + ((to - from) * step) / steps)),
    )
    return parts.reduce((a, b) => (distance_m(b) < distance_m(a) ? b : a))
  }
  const roughly = best(0, 1)
  return distance_m(best(roughly - 1 / steps, roughly + 1 / steps))
}

test('the distance to a line is the distance to its nearest place, however long its segments are', () => {
  const degrees = fc.double({ min: -1.5, max: 1.5, noNaN: true })
  fc.assert(
    fc.property(usPlace, fc.array(fc.tuple(degrees, degrees), { minLength: 2, maxLength: 4 }), (at, offsets) => {
      const vertices = offsets.map(([x, y]): WkbPosition => [snapToGrid(at.lng + x), snapToGrid(at.lat + y)])
      const slow_m = sampledDistance_m(at, vertices)
      // A chord is at most 0.6 m below the ground, and the reference is accurate to a meter.
      expect(
        Math.abs(layerOf(lineWkb(...vertices)).query({ at, radius_m: Infinity })[0]!.distance_m - slow_m),
      ).toBeLessThan(2 + slow_m * 1e-4)
    }),
    { numRuns: 25 },
  )
})

test('a line with many vertices has no gap between any two of them', () => {
  const vertices = Array.from({ length: 200 }, (_, i): WkbPosition => [
    snapToGrid(-105 + 0.01 * i),
    snapToGrid(40 + 0.002 * (i % 2)),
  ])
  const layer = layerOf(lineWkb(...vertices))
  const middles = vertices
    .slice(1)
    .map(([x, y], i) => ({ lng: (x! + vertices[i]![0]!) / 2, lat: (y! + vertices[i]![1]!) / 2 }))
  expect(middles.filter((at) => layer.query({ at, radius_m: Infinity })[0]!.distance_m > 1)).toEqual([])
})

test('the distance to a polygon is 0 inside it, and the distance to its edge outside', () => {
  fc.assert(
    fc.property(usPlace, fc.double({ min: 0.2, max: 2, noNaN: true }), fc.boolean(), (centre, size, isInside) => {
      const west = snapToGrid(centre.lng + (isInside ? -size / 2 : 0.01))
      const [south, north] = [snapToGrid(centre.lat - size / 2), snapToGrid(centre.lat + size / 2)]
      const ring: WkbPosition[] = [
        [west, south],
        [west + size, south],
        [west + size, north],
        [west, north],
        [west, south],
      ].map(([x, y]) => [snapToGrid(x!), snapToGrid(y!)])
      const [found] = layerOf(polygonWkb(ring)).query({ at: centre, radius_m: 200_000 })
      if (isInside) expect(found!.distance_m).toBe(0)
      else expect(Math.abs(found!.distance_m - sampledDistance_m(centre, ring.slice(3)))).toBeLessThan(1)
    }),
    { numRuns: 60 },
  )
})

test('the nearest of many features come first, in the order of an exhaustive search', () => {
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 80 }),
      place,
      fc.integer({ min: 1, max: 20 }),
      fc.double({ min: 10_000, max: 5_000_000, noNaN: true }),
      (towns, at, limit, radius_m) => {
        const all = towns.map((town) => truth_m(at, town)).toSorted((a, b) => a - b)
        const found = layerOf(...towns.map(pointAt))
          .query({ at, radius_m, limit })
          .map(({ distance_m }) => distance_m)
        // Within a thousandth of the radius, either answer is correct.
        expect(found.length).toBeGreaterThanOrEqual(Math.min(limit, all.filter((it) => it < radius_m * 0.999).length))
        expect(found.length).toBeLessThanOrEqual(Math.min(limit, all.filter((it) => it < radius_m * 1.001).length))
        expect(found.filter((distance_m, i) => Math.abs(distance_m - all[i]!) > 0.001 * all[i]! + 0.01)).toEqual([])
      },
    ),
    { numRuns: 200 },
  )
})
