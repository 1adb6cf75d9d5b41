import type { YieldToEventLoop } from '../../async/incremental-task.ts'
import type { MaybePromise } from '../../async/maybe-promise.ts'
import type { Extent, FlatPath } from '../../model/area.ts'
import type { Violation } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import type { DrawnOutline, DrawJob } from './drawing.ts'
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

/** Rings to enclose by larger ones that have fewer vertices. */
export type GrowJob = { rings: readonly FlatPath[]; margin_degrees: number }

/**
 * Executes work on geometry that can take more than its length, for one request: small work at once, large work in
 * another thread. When the work of a request takes too long, the rest fails with the {UpstreamError} `too_large`.
 */
export type GeometryRunner = {
  overlay: RunOverlay
  /** @throws {ValidationError} for a fault of the polygons. */
  measure(job: MeasureJob): MaybePromise<MeasuredPolygon>
  grow(job: GrowJob): MaybePromise<FlatPath[]>
  draw(job: DrawJob): MaybePromise<DrawnOutline | null>
  /** Ends the turn of this request, so that the requests of all accounts have theirs. */
  yieldToEventLoop: YieldToEventLoop
}

/** Returns what executes the work of one request. `admit` runs the measurement of a large area when it may begin. */
export type OpenGeometryRunner = (
  budget: Pick<Budget, 'signal'>,
  admit?: <T>(work: () => Promise<T>) => Promise<T>,
) => GeometryRunner
