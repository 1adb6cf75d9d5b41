import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import { boxesTouch, splitAtAntimeridian, type QueryBox } from '../../geo/boxes.ts'
import { countPositions } from '../../geo/measure.ts'
import { boundsOfGeometry } from '../../geo/overlay/simplify.ts'
import { UpstreamError } from '../../model/error.ts'
import type { FeatureQuery, Geometry } from '../../model/source.ts'
import type { GeoFeature } from './nearest-features.ts'
import { boundingBoxAround } from '../rest/url-template.ts'

/** Services simplify outlines, and select by boxes in other coordinate systems. */
const tolerance = { share: 0.1, m: 1_000 }
const slice_ms = 5

/** Whether the geometry of a feature has a position. */
export function hasPosition({ geometry: { points, lines, polygons } }: GeoFeature): boolean {
  return points.length + lines.length + polygons.length > 0
}

/**
 * Returns the features that a service lists in the box around the circle, each once, in their order. Some services list
 * more than was queried. Other requests are answered between them. `mayHaveNoPosition`: the service was not asked for
 * geometries, or its protocol has features without one.
 * @throws {UpstreamError} `bad_response` if all features are outside the box: the service answered another place, so
 * what is missing here is no absence. Also for a feature that can be anywhere, because it has no position.
 */
export async function requireQueriedFeatures(
  features: readonly GeoFeature[],
  { at, radius_m }: Pick<FeatureQuery, 'at' | 'radius_m'>,
  name: string,
  { mayHaveNoPosition = false } = {},
): Promise<GeoFeature[]> {
  if (!mayHaveNoPosition && !features.every(hasPosition)) throw missingGeometryError(name)
  const boxes = splitAtAntimeridian(boundingBoxAround(at, radius_m * (1 + tolerance.share) + tolerance.m))
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const unique = new Map<string, GeoFeature>()
  let outside: QueryBox | null = null
  for (const feature of features) {
    await yieldToEventLoop()
    const extent = extentOf(feature.geometry)
    if (extent && !boxes.some((box) => boxesTouch(box, extent))) {
      outside ??= extent
      continue
    }
    const identity = JSON.stringify([feature.properties, extent, countPositions(feature.geometry)])
    if (!unique.has(identity)) unique.set(identity, feature)
  }
  if (outside && unique.size === 0) throw otherPlaceError(name, outside)
  return [...unique.values()]
}

/** Null without positions. */
function extentOf(geometry: Geometry): QueryBox | null {
  const { west: w, south: s, east: e, north: n } = boundsOfGeometry(geometry)
  return w <= e ? { w, s, e, n } : null
}

/** The error of a feature without the geometry that the query requested. */
export function missingGeometryError(name: string): UpstreamError {
  return new UpstreamError('bad_response', `${name} returned a feature without a geometry. Try again later.`)
}

function otherPlaceError(name: string, { w, s, e, n }: QueryBox): UpstreamError {
  const place = [s, w, n, e].map((degrees) => degrees.toFixed(2)).join(', ')
  return new UpstreamError(
    'bad_response',
    `${name} returned a feature at ${place}, which is outside the area of the query. Try again later.`,
  )
}
