import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import { bufferPieces } from '../geo/overlay/buffer.ts'
import type { GeometryRunner } from '../geo/overlay/geometry-jobs.ts'
import type { AreaFilter } from '../model/area.ts'
import type { QueryArea } from './shape/area-geometry.ts'

/** The margin of a filter: this share of the size of the area, but at least some meters. */
const marginShare = 0.001
const marginMin_degrees = 0.0001

/**
 * Returns the polygon or the lines that select the features of a service. A polygon has a margin, because a service
 * tests it in its own coordinate system; what the margin adds is cut off here.
 */
export function filterOfArea(area: QueryArea, { grow }: Pick<GeometryRunner, 'grow'>): MaybePromise<AreaFilter> {
  if (area.kind === 'line') return { kind: 'line', paths: bufferPieces(area.lines) }
  const { west, south, east, north } = area.extent
  const margin_degrees = Math.max(marginMin_degrees, marginShare * Math.max(east - west, north - south))
  const grown = grow({ rings: area.overlay.toPaths(area.rings), margin_degrees })
  return andThen(grown, (paths) => ({ kind: 'polygon', paths }))
}
