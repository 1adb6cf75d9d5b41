import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import { countPieces, geometryContains, measureDistance } from '../../geo/measure.ts'
import { compileCondition } from '../../geo/text/sql-condition.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Feature, FeatureQuery, Geometry, Properties } from '../../model/source.ts'

/** A feature with its geometry, without a distance. */
export type GeoFeature = { geometry: Geometry; properties: Properties }

/** Measuring this many pieces takes up to 100 ms, in which no other request is answered. */
const measuredPiecesMax = 250_000
const slice_ms = 20

/**
 * The features that match a query, nearest first. Features without a geometry are dropped. Other requests are answered
 * between the features.
 * @throws {UpstreamError} `too_large` if a geometry is too large to be measured.
 */
export async function nearestFeatures(
  candidates: Iterable<GeoFeature>,
  { at, radius_m, where, limit = Infinity, with_geometry }: FeatureQuery,
): Promise<Feature[]> {
  const passes = where === undefined ? () => true : compileCondition(where)
  const measure = radius_m === 0 ? measureInside : measureOutside
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const features: Feature[] = []
  for (const { geometry, properties } of candidates) {
    await yieldToEventLoop()
    if (!passes(properties)) continue
    const measurement = measure(geometry, at)
    if (measurement && measurement.distance_m <= radius_m)
      features.push({ properties, ...measurement, ...(with_geometry && { geometry }) })
  }
  return features.sort((a, b) => a.distance_m - b.distance_m).slice(0, limit)
}

function measureOutside(geometry: Geometry, at: Point): ReturnType<typeof measureDistance> {
  const pieces = countPieces(geometry)
  if (pieces <= measuredPiecesMax) return measureDistance(geometry, at)
  if (geometryContains(geometry, at)) return { distance_m: 0 }
  throw new UpstreamError(
    'too_large',
    `A geometry is too large to measure the distance to it: it has ${pieces} pieces of at most 0.05 degrees. The maximum is ${measuredPiecesMax}. Build a local pack of the dataset.`,
  )
}

/** Without a radius, a polygon need not be measured: either it contains the point, or it does not match. */
function measureInside(geometry: Geometry, at: Point): ReturnType<typeof measureDistance> {
  if (geometry.points.length + geometry.lines.length > 0) return measureDistance(geometry, at)
  return geometryContains(geometry, at) ? { distance_m: 0 } : null
}
