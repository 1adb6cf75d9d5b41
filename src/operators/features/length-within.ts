import { andThen } from '../../async/maybe-promise.ts'
import { segmentLength_m } from '../../geo/ellipsoid.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Feature, FeatureQuery, Position } from '../../model/source.ts'
import { defineOperator, t } from '../operator.ts'
import { distinctKeyOf } from './count.ts'

/** Returns the length of the lines within the radius in meters, cut at the circle. 0, never absent, without lines. */
export const lengthWithinOperator = defineOperator({
  shape: 'features',
  args: t.Object({
    radius_m: t.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
    where: t.Optional(t.String()),
    /** Measures features with the same value of this attribute once. */
    distinct: t.Optional(t.String()),
  }),
  run({ radius_m, where, distinct }, features, { at, onRecordsUsed }, budget) {
    const query: FeatureQuery = { at, radius_m, with_geometry: true, ...(where !== undefined && { where }) }
    return andThen(features(query, budget), (nearby) => {
      const measured =
        distinct === undefined
          ? nearby
          : [...new Map(nearby.map((it) => [distinctKeyOf(it.properties, distinct), it])).values()]
      onRecordsUsed?.(measured.map(({ properties }) => properties))
      const toPlane = planeAround(at)
      return measured.reduce((sum, feature) => sum + lengthOf(feature, toPlane, radius_m), 0)
    })
  },
})

type ToPlane = (position: Position) => [x_m: number, y_m: number]

function lengthOf({ geometry }: Feature, toPlane: ToPlane, radius_m: number): number {
  if (!geometry)
    throw new UpstreamError('unsupported_request', 'The field needs the lines, but the source does not return them.')
  return geometry.lines
    .map((line) => line.map(toPlane))
    .flatMap((line) => line.slice(1).map((to, i) => lengthInCircle_m(line[i]!, to, radius_m)))
    .reduce((sum, length_m) => sum + length_m, 0)
}

/** The length of the part of a segment within the circle around the origin. */
function lengthInCircle_m([x1, y1]: [number, number], [x2, y2]: [number, number], radius_m: number): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const squared = dx * dx + dy * dy
  if (squared === 0) return 0
  const half = (x1 * dx + y1 * dy) / squared
  const discriminant = half * half - (x1 * x1 + y1 * y1 - radius_m * radius_m) / squared
  if (discriminant <= 0) return 0
  const root = Math.sqrt(discriminant)
  const share = Math.min(1, -half + root) - Math.max(0, -half - root)
  return Math.max(0, share) * Math.sqrt(squared)
}

/** Meters east and north of a point, in a plane that is exact for some kilometers. */
function planeAround({ lat, lng }: Point): ToPlane {
  const degree_m = [
    segmentLength_m(lng - 0.5, lat, lng + 0.5, lat),
    segmentLength_m(lng, lat - 0.5, lng, lat + 0.5),
  ] as const
  return ([x, y]) => [(((x - lng + 540) % 360) - 180) * degree_m[0], (y - lat) * degree_m[1]]
}
