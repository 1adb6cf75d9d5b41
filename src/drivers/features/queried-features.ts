import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import { boxesTouch, splitAtAntimeridian, type QueryBox } from '../../geo/boxes.ts'
import { countPositions } from '../../geo/measure.ts'
import { UpstreamError } from '../../model/error.ts'
import type { FeatureQuery, Geometry } from '../../model/source.ts'
import type { GeoFeature } from './nearest-features.ts'
import { boundingBoxAround } from '../rest/url-template.ts'

/** Services simplify outlines, and select by boxes in other coordinate systems. */
const tolerance = { share: 0.1, m: 1_000 }
const slice_ms = 5

/**
 * Returns the features that a service lists in the box around the circle, each once, in their order. Some services list
 * more than was queried. Other requests are answered between them.
 * @throws {UpstreamError} `bad_response` if all features are outside the box: the service answered another place, so
 * what is missing here is no absence.
 */
export async function requireQueriedFeatures(
  features: readonly GeoFeature[],
  { at, radius_m }: Pick<FeatureQuery, 'at' | 'radius_m'>,
  name: string,
): Promise<GeoFeature[]> {
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
function extentOf({ points, lines, polygons }: Geometry): QueryBox | null {
  const box = { w: Infinity, s: Infinity, e: -Infinity, n: -Infinity }
  for (const positions of [points, ...lines, ...polygons.flat()])
    for (const [lng, lat] of positions) {
      box.w = Math.min(box.w, lng)
      box.e = Math.max(box.e, lng)
      box.s = Math.min(box.s, lat)
      box.n = Math.max(box.n, lat)
    }
  return box.w <= box.e ? box : null
}

function otherPlaceError(name: string, { w, s, e, n }: QueryBox): UpstreamError {
  const place = [s, w, n, e].map((degrees) => degrees.toFixed(2)).join(', ')
  return new UpstreamError(
    'bad_response',
    `${name} returned a feature at ${place}, which is outside the area of the query. Try again later.`,
  )
}
