import FlatQueue from 'flatqueue'
import type { Point } from '../model/place.ts'
import { bound_m, farthest_m } from './box-bound.ts'
import type { BoxIndex } from './box-index.ts'

/** Visits every row whose box holds the point, under each of the names a meridian has (170 west is 190 east). */
export function rowsAt(index: BoxIndex, { lat, lng }: Point, visit: (row: number) => void): void {
  descend(index.root, index.level)

  function descend(id: number, level: number) {
    const { ids, boxes } = index.node(id, level)
    for (let i = 0; i < ids.length; i++) {
      if (lat < boxes[4 * i + 2]! || lat > boxes[4 * i + 3]! || !reaches(boxes[4 * i]!, boxes[4 * i + 1]!, lng)) continue
      if (level === 0) visit(ids[i]!)
      else descend(ids[i]!, level - 1)
    }
  }
}

/** Visits every row whose box may be nearer than the reach, and says whether all of its box is. */
export function rowsWithin(index: BoxIndex, at: Point, reach_m: number, visit: (row: number, isWithin: boolean) => void): void {
  descend(index.root, index.level)

  function descend(id: number, level: number) {
    const { ids, boxes } = index.node(id, level)
    for (let i = 0; i < ids.length; i++) {
      const south = boxes[4 * i + 2]!
      const north = boxes[4 * i + 3]!
      if (Math.max(south - at.lat, at.lat - north) * leastMetresOfDegree > reach_m) continue
      if (bound_m(at, boxes[4 * i]!, boxes[4 * i + 1]!, south, north) > reach_m) continue
      if (level === 0) visit(ids[i]!, farthest_m(at, boxes[4 * i]!, boxes[4 * i + 1]!, south, north) <= reach_m)
      else descend(ids[i]!, level - 1)
    }
  }
}

/**
 * `measure` is the true distance of a row in metres, `null` when it does not count or is farther than `reach_m`; `found` says whether to go on.
 * `wholeOf`: what a row is of, where several can be of one feature; `limit` counts features.
 */
export type NearestSearch = { reach_m: number; limit: number; measure: (row: number, reach_m: number) => number | null; found: (row: number, distance_m: number) => boolean; wholeOf?: ((row: number) => number) | null }

/**
 * Best first: of all that waits (nodes and rows by what their boxes promise at best, rows by their true distance) the least comes out next,
 * so that a row which comes out measured is final: nothing unread can be nearer.
 */
export function nearestRows(index: BoxIndex, at: Point, { reach_m, limit, measure, found, wholeOf }: NearestSearch): void {
  const queue = new FlatQueue<Waiting>()
  const nearest = new FlatQueue()
  const counted = new Set<number>()
  let reach = reach_m
  open(index.root, index.level)
  while (queue.length > 0) {
    const bound = queue.peekValue()!
    const { id, level } = queue.pop()!
    if (bound > reach) return
    if (level >= 0) open(id, level)
    else if (level === measuredRow) {
      if (!found(id, bound)) return
    } else take(id)
  }

  function open(id: number, level: number) {
    const { ids, boxes } = index.node(id, level)
    for (let i = 0; i < ids.length; i++) {
      const [south, north] = [boxes[4 * i + 2]!, boxes[4 * i + 3]!]
      if (Math.max(south - at.lat, at.lat - north) * leastMetresOfDegree > reach) continue
      const bound = bound_m(at, boxes[4 * i]!, boxes[4 * i + 1]!, south, north)
      if (bound <= reach) queue.push({ id: ids[i]!, level: level === 0 ? unmeasuredRow : level - 1 }, bound)
    }
  }

  function take(row: number) {
    const distance_m = measure(row, reach)
    if (distance_m === null || distance_m > reach) return
    queue.push({ id: row, level: measuredRow }, distance_m)
    if (!wholeOf || isNew(wholeOf(row))) tighten(distance_m)
  }

  /** Only one row of a feature tells how far so many features reach. */
  function isNew(feature: number): boolean {
    const before = counted.size
    return counted.add(feature).size > before
  }

  /** No farther than the farthest of the `limit` nearest that are measured so far. */
  function tighten(distance_m: number) {
    if (limit > mostTightened) return
    nearest.push(row0, -distance_m)
    if (nearest.length > limit) nearest.pop()
    if (nearest.length === limit) reach = Math.min(reach, -nearest.peekValue()!)
  }
}

/** A node of a level, or a row. */
type Waiting = { id: number; level: number }
const unmeasuredRow = -1
const measuredRow = -2
const row0 = 0
const mostTightened = 100
const leastMetresOfDegree = 110_000

function reaches(west: number, east: number, lng: number): boolean {
  return (lng >= west && lng <= east) || (lng - 360 >= west && lng - 360 <= east) || (lng + 360 >= west && lng + 360 <= east)
}
