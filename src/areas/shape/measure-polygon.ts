import { runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../../async/maybe-promise.ts'
import { bufferLine, bufferPieces } from '../../geo/overlay/buffer.ts'
import { extentOf } from '../../geo/overlay/cut-at-extent.ts'
import type { MeasuredPolygon, MeasureJob } from '../../geo/overlay/geometry-jobs.ts'
import { Overlay, runOverlay, type GridRings, type RunOverlay } from '../../geo/overlay/overlay.ts'
import { isQuickToCompare, positionsOfPaths } from '../../geo/overlay/overlay-steps.ts'
import { pointInside } from '../../geo/representative-point.ts'
import type { FlatPath } from '../../model/area.ts'
import { validationErrorAt, type ValidationError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { areaLimits } from '../area-schema.ts'
import {
  holesFault,
  overlapTolerance,
  polygonsFault,
  requireNoCrossing,
  requireSimpleRing,
  type Loc,
} from './geometry-errors.ts'

/** Whether polygons are measured in about ten milliseconds. */
export function isQuickToMeasure(job: MeasureJob): boolean {
  return job.kind === 'buffer'
    ? positionsOfPaths(bufferPieces(job.lines)) <= quickPositions
    : isQuickToCompare(job.polygons.flat())
}

/** The buffer of a line of so many positions, each with a sharp turn, is quick. */
const quickPositions = 12

/**
 * Checks polygons and measures them. By default, all overlays run in this thread.
 * @throws {ValidationError} that names the invalid position, and beyond the limits.
 */
export function measurePolygon(job: MeasureJob, run: RunOverlay = runOverlay): MaybePromise<MeasuredPolygon> {
  switch (job.kind) {
    case 'request':
      return runCoroutine(measureRequest(job, run))
    case 'source':
      return runCoroutine(joinPolygons(job.polygons, job.loc, run))
    case 'buffer': {
      const polygons = bufferPieces(job.lines).map((line) => bufferLine(line, job.distance_m))
      return runCoroutine(joinPolygons(polygons, job.loc, run))
    }
  }
}

function* measureRequest(
  { type, polygons, loc }: Extract<MeasureJob, { kind: 'request' }>,
  run: RunOverlay,
): Coroutine<MeasuredPolygon> {
  const locOf = (polygon: number) => (type === 'Polygon' ? loc : [...loc, polygon])
  requireNoCrossing(polygons, locOf)
  const extent = extentOf(polygons.flat())
  if (extent.west === extent.east || extent.south === extent.north)
    throw validationErrorAt(locOf(0), 'The polygon has no area')
  const overlay = new Overlay(extent, run)
  const parts: MeasuredRings[] = []
  for (const [i, rings] of polygons.entries()) parts.push(yield* partOf(overlay, rings, locOf(i)))
  const { rings, area_m2 } = parts.length === 1 ? parts[0]! : yield* joinParts(overlay, parts)
  const sum_m2 = parts.reduce((sum, part) => sum + part.area_m2, 0)
  if (sum_m2 - area_m2 > overlapTolerance * sum_m2) {
    const eachOnce = yield* waitFor(overlay.fromPolygon(parts.flatMap((part) => overlay.toPaths(part.rings))))
    throw polygonsFault(polygons, locOf, pointIn(overlay, (yield* waitFor(overlay.split(rings, eachOnce))).rest))
  }
  requireMeasurableArea(area_m2, polygons.length === 1 ? locOf(0) : locOf(0).slice(0, -1))
  return { rings, area_m2, extent, point: pointInside(overlay.toPaths(rings)) }
}

function* joinParts(overlay: Overlay, parts: readonly MeasuredRings[]): Coroutine<MeasuredRings> {
  const rings = yield* waitFor(overlay.union(parts.flatMap((part) => part.rings)))
  return { rings, area_m2: overlay.area_m2(rings) }
}

/** Joins polygons that may overlap, such as the pieces of a buffer. @throws {ValidationError} beyond the limits. */
function* joinPolygons(polygons: readonly FlatPath[][], loc: Loc, run: RunOverlay): Coroutine<MeasuredPolygon> {
  const extent = extentOf(polygons.flat())
  if (!(extent.west < extent.east && extent.south < extent.north)) throw tooSmallAt(loc)
  if (extent.west < -180 || extent.east > 180)
    throw validationErrorAt(
      loc,
      'The area crosses the antimeridian. Send a MultiPolygon with a part on each side of it',
    )
  const overlay = new Overlay(extent, run)
  const cleaned: GridRings = []
  for (const polygon of polygons) cleaned.push(...(yield* waitFor(overlay.fromPolygon(polygon))))
  const rings = yield* waitFor(overlay.union(cleaned))
  const area_m2 = overlay.area_m2(rings)
  requireMeasurableArea(area_m2, loc)
  return { rings, area_m2, extent, point: pointInside(overlay.toPaths(rings)) }
}

/** The smallest area: answers state areas in thousandths of a square meter. */
const areaMin_m2 = 0.001

function requireMeasurableArea(area_m2: number, loc: Loc): void {
  if (area_m2 < areaMin_m2) throw tooSmallAt(loc)
  requireAreaWithinLimit(area_m2, loc)
}

function tooSmallAt(loc: Loc): ValidationError {
  return validationErrorAt(loc, `The area is smaller than ${areaMin_m2} m². Use a larger one`)
}

/** @throws {ValidationError} for an area that is too large. */
export function requireAreaWithinLimit(area_m2: number, loc: Loc): void {
  if (area_m2 <= areaLimits.area_km2 * 1e6) return
  throw validationErrorAt(
    loc,
    `The area is ${Math.round(area_m2 / 1e6).toLocaleString('en-US')} km². The maximum is ${areaLimits.area_km2.toLocaleString('en-US')} km². Divide it into several areas`,
  )
}

type MeasuredRings = Pick<MeasuredPolygon, 'rings' | 'area_m2'>

/** A polygon on the grid. Its even-odd area equals the outer ring without the holes, unless a hole is not inside. */
function* partOf(overlay: Overlay, rings: FlatPath[], loc: Loc): Coroutine<MeasuredRings> {
  const cleaned: MeasuredRings[] = []
  for (const [i, ring] of rings.entries()) {
    const onGrid = yield* waitFor(overlay.fromPolygon([ring]))
    const area_m2 = overlay.area_m2(onGrid)
    requireSimpleRing(ring, area_m2, overlay, [...loc, i])
    cleaned.push({ rings: onGrid, area_m2 })
  }
  const [outer, ...holes] = cleaned as [MeasuredRings, ...MeasuredRings[]]
  const outer_m2 = outer.area_m2
  if (outer_m2 === 0) throw validationErrorAt(loc, 'The polygon has no area')
  if (holes.length === 0) return outer
  const withoutHoles = yield* waitFor(overlay.fromPolygon(rings))
  const area_m2 = overlay.area_m2(withoutHoles)
  const expected_m2 = holes.reduce((rest_m2, hole) => rest_m2 - hole.area_m2, outer_m2)
  if (area_m2 === 0) throw validationErrorAt(loc, 'The polygon has no area: its holes fill it')
  if (Math.abs(area_m2 - expected_m2) <= overlapTolerance * outer_m2) return { rings: withoutHoles, area_m2 }
  const union = yield* waitFor(overlay.union(holes.flatMap((hole) => hole.rings)))
  const { rest: outside } = yield* waitFor(overlay.split(union, outer.rings))
  const evenOdd = yield* waitFor(overlay.fromPolygon(rings.slice(1)))
  const { rest: twice } = yield* waitFor(overlay.split(union, evenOdd))
  throw holesFault(rings, loc, { outside: pointIn(overlay, outside), twice: pointIn(overlay, twice) })
}

/** A point in rings; null if they have no area. */
function pointIn(overlay: Overlay, rings: GridRings): Point | null {
  return overlay.area_m2(rings) === 0 ? null : pointInside(overlay.toPaths(rings))
}
