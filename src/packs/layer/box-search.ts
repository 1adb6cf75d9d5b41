import FlatQueue from 'flatqueue'
import type { Point } from '../../model/place.ts'
import { boxMinDistance_m, boxMaxDistance_m } from './box-distance.ts'
import { startWalk, type BoxIndex } from './box-index.ts'

/** Visits every row whose box contains the point. Longitudes that differ by 360 are equal (170 west is 190 east). */
export function visitRowsAt(index: BoxIndex, { lat, lng }: Point, visit: (row: number) => void): void {
  const nodeAt = startWalk(index)
  descend(index.root, index.level)

  function descend(id: number, level: number) {
    const { ids, boxes } = nodeAt(id, level)
    for (let i = 0; i < ids.length; i++) {
      if (lat < boxes[4 * i + 2]! || lat > boxes[4 * i + 3]! || !spansLongitude(boxes[4 * i]!, boxes[4 * i + 1]!, lng))
        continue
      if (level === 0) visit(ids[i]!)
      else descend(ids[i]!, level - 1)
    }
  }
}

/** Visits every row whose box may be within the reach. `isWithin` is true if the whole box is. */
export function visitRowsWithin(
  index: BoxIndex,
  at: Point,
  reach_m: number,
  visit: (row: number, isWithin: boolean) => void,
): void {
  const nodeAt = startWalk(index)
  descend(index.root, index.level)

  function descend(id: number, level: number) {
    const { ids, boxes } = nodeAt(id, level)
    for (let i = 0; i < ids.length; i++) {
      const south = boxes[4 * i + 2]!
      const north = boxes[4 * i + 3]!
      if (Math.max(south - at.lat, at.lat - north) * minMetersPerLatDegree > reach_m) continue
      if (boxMinDistance_m(at, boxes, 4 * i) > reach_m) continue
      if (level === 0) visit(ids[i]!, boxMaxDistance_m(at, boxes, 4 * i) <= reach_m)
      else descend(ids[i]!, level - 1)
    }
  }
}

/** The parameters of a nearest-row search. */
export type NearestSearch = {
  reach_m: number
  /** The maximum number of features, not rows. */
  limit: number
  /** The exact distance of a row in meters; `null` if the row does not match or is farther than `reach_m`. */
  measure: (row: number, reach_m: number) => number | null
  /** Returns whether to continue. */
  onFound: (row: number, distance_m: number) => boolean
  /** The feature that a row belongs to, for layers that store a feature in several rows. */
  featureIdOf?: ((row: number) => number) | null
}

/**
 * Visits rows in order of distance, by best-first search. The queue orders nodes and unmeasured rows by a lower bound
 * from their boxes, and measured rows by their exact distance. When a measured row leaves the queue, nothing unread can
 * be nearer.
 */
export function visitNearestRows(
  index: BoxIndex,
  at: Point,
  { reach_m, limit, measure, onFound, featureIdOf }: NearestSearch,
): void {
  const nodeAt = startWalk(index)
  const queue = new FlatQueue<QueueEntry>()
  const nearestDistances = new FlatQueue()
  const measuredIds = new Set<number>()
  let reach = reach_m
  expand(index.root, index.level)
  while (queue.length > 0) {
    const bound = queue.peekValue()!
    const { id, level } = queue.pop()!
    if (bound > reach) return
    if (level >= 0) expand(id, level)
    else if (level === measuredRow) {
      if (!onFound(id, bound)) return
    } else measureRow(id)
  }

  function expand(id: number, level: number) {
    const { ids, boxes } = nodeAt(id, level)
    for (let i = 0; i < ids.length; i++) {
      const [south, north] = [boxes[4 * i + 2]!, boxes[4 * i + 3]!]
      if (Math.max(south - at.lat, at.lat - north) * minMetersPerLatDegree > reach) continue
      const bound = boxMinDistance_m(at, boxes, 4 * i)
      if (bound <= reach) queue.push({ id: ids[i]!, level: level === 0 ? unmeasuredRow : level - 1 }, bound)
    }
  }

  function measureRow(row: number) {
    const distance_m = measure(row, reach)
    if (distance_m === null || distance_m > reach) return
    queue.push({ id: row, level: measuredRow }, distance_m)
    if (!featureIdOf || isNewFeature(featureIdOf(row))) tightenReach(distance_m)
  }

  /** Only the first measured row of a feature may tighten the reach. */
  function isNewFeature(feature: number): boolean {
    const sizeBefore = measuredIds.size
    return measuredIds.add(feature).size > sizeBefore
  }

  /** Limits the reach to the farthest of the `limit` nearest features measured so far. */
  function tightenReach(distance_m: number) {
    if (limit > maxTightenLimit) return
    nearestDistances.push(placeholderRow, -distance_m)
    if (nearestDistances.length > limit) nearestDistances.pop()
    if (nearestDistances.length === limit) reach = Math.min(reach, -nearestDistances.peekValue()!)
  }
}

/** A node (`level` is 0 or more) or a row (`level` is `unmeasuredRow` or `measuredRow`). */
type QueueEntry = { id: number; level: number }
const unmeasuredRow = -1
const measuredRow = -2
const placeholderRow = 0
const maxTightenLimit = 100
const minMetersPerLatDegree = 110_000

/** Whether a box contains a longitude. Longitudes that differ by 360 are equal. */
export function spansLongitude(west: number, east: number, lng: number): boolean {
  return (
    (lng >= west && lng <= east) || (lng - 360 >= west && lng - 360 <= east) || (lng + 360 >= west && lng + 360 <= east)
  )
}
