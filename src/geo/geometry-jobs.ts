import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Extent, FlatPath } from '../model/area.ts'
import type { Violation } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import type { GridRings, RunOverlay } from './overlay.ts'

/**
 * Polygons to measure: of a request, whose faults are named; of a source, which may overlap; or those of every place
 * within a distance of lines. `loc`: where they are in the request.
 */
export type MeasureJob = { loc: Violation['loc'] } & (
  | { kind: 'request'; type: 'Polygon' | 'MultiPolygon'; polygons: readonly FlatPath[][] }
  | { kind: 'source'; polygons: readonly FlatPath[][] }
  | { kind: 'buffer'; lines: readonly FlatPath[]; distance_m: number }
)

/** Polygons without overlap, on the grid of the overlays in their extent, with their area on the ellipsoid. */
export type MeasuredPolygon = { rings: GridRings; area_m2: number; extent: Extent; point: Point }

/**
 * Executes work on the geometry of one area that can take more than its length: small work at once, large work in
 * another thread. When the work of an area takes too long, the rest fails with the {UpstreamError} `too_large`.
 */
export type GeometryRunner = {
  overlay: RunOverlay
  /** @throws {ValidationError} for a fault of the polygons. */
  measure(job: MeasureJob): MaybePromise<MeasuredPolygon>
}

/** Returns what executes the work of one area. `admit` runs the measurement of a large area when it may begin. */
export type GeometryForArea = (
  budget: Pick<Budget, 'signal'>,
  admit?: <T>(work: () => Promise<T>) => Promise<T>,
) => GeometryRunner
