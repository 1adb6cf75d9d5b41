import type { LngLat, Ring } from './layer.ts'

/**
 * Cuts a clockwise ring in two along a line and returns the part to the right of the line first. The ends of the line
 * snap to the nearest vertices. No vertex of the ring moves, so neighboring rings still fit.
 */
export function cutRing(ring: Ring, line: LngLat[]): [right: Ring, left: Ring] {
  const open = ring.slice(0, -1)
  const start = nearest(open, line[0]!)
  const end = nearest(open, line.at(-1)!)
  const inner = withoutEndsOutside(ring, line)
  const right = [...walk(open, end, start), ...inner, open[end]!]
  const left = [...walk(open, start, end), ...inner.toReversed(), open[start]!]
  return [right, left]
}

/** Returns the vertices from one index to another, inclusive, around the ring. */
const walk = (open: LngLat[], from: number, to: number): LngLat[] =>
  from <= to ? open.slice(from, to + 1) : [...open.slice(from), ...open.slice(0, to + 1)]

function nearest(open: LngLat[], [x, y]: LngLat): number {
  const shrink = Math.cos((y * Math.PI) / 180)
  const distances = open.map((vertex) => Math.hypot((vertex[0] - x) * shrink, vertex[1] - y))
  return distances.indexOf(Math.min(...distances))
}

/** Removes the ends of the line outside the ring. A generalized line can begin or end slightly outside. */
function withoutEndsOutside(ring: Ring, line: LngLat[]): LngLat[] {
  const inside = line.map((position) => contains(ring, position) && !ring.some((vertex) => same(vertex, position)))
  return line.slice(inside.indexOf(true), inside.lastIndexOf(true) + 1)
}

/** Whether a position is inside the ring, by counting the crossings of a ray to the east. */
function contains(ring: Ring, [x, y]: LngLat): boolean {
  let inside = false
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!]
    if (a[1] > y !== b[1] > y && x < a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0])) inside = !inside
  }
  return inside
}

const same = (a: LngLat, b: LngLat): boolean => a[0] === b[0] && a[1] === b[1]

/**
 * Returns the border of a region with others of the same topology: the run of shared vertices.
 *
 * @throws unless there is exactly one.
 */
export function findSharedBorder(others: Ring[], region: Ring[]): LngLat[] {
  const theirs = new Set(others.flat().map(String))
  const found = region.flatMap((ring) => runs(ring, (position) => theirs.has(String(position))))
  if (found.length !== 1) throw new Error(`A region has ${found.length} borders with its neighbours, expected one.`)
  return found[0]!
}

/** Returns the runs of two or more vertices that pass the test. At least one vertex of the ring must fail it. */
function runs(ring: Ring, test: (position: LngLat) => boolean): LngLat[][] {
  const open = ring.slice(0, -1)
  const first = open.findIndex((position) => !test(position))
  const found: LngLat[][] = [[]]
  for (const position of [...open.slice(first), ...open.slice(0, first)]) {
    if (test(position)) found.at(-1)!.push(position)
    else found.push([])
  }
  return found.filter((run) => run.length > 1)
}

/** Returns the ring in clockwise order, with longitude to the right and latitude up. */
export function toClockwise(ring: Ring): Ring {
  let twiceArea = 0
  for (let i = 1; i < ring.length; i++) twiceArea += ring[i - 1]![0] * ring[i]![1] - ring[i]![0] * ring[i - 1]![1]
  return twiceArea > 0 ? ring.toReversed() : ring
}
