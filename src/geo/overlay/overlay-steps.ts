import type { Paths64 } from 'clipper2-ts'
import type { FlatPath } from '../../model/area.ts'

/** Rings on a grid; with `at`, those at which they are split. */
type RingsToOverlay = { rings: Paths64; at: Paths64 | null }

/**
 * The work of an overlay: it goes through all vertices from south to north, and at each one through all edges that lie
 * beside it. Many edges side by side make this the square of their number.
 */
export function overlaySteps({ rings, at }: RingsToOverlay): number {
  return sweepSteps(
    at === null ? rings : [...rings, ...at],
    (ring) => ring.length,
    (ring, i) => ring[i]!.y,
  )
}

/** Whether an overlay takes at most about ten milliseconds. With many vertices it does not, and is not examined. */
export function isQuickToOverlay(job: RingsToOverlay): boolean {
  return verticesOf(job.rings, job.at) <= quickVertices && overlaySteps(job) <= ownThreadSteps
}

/** The number of vertices of rings. */
export function verticesOf(rings: Paths64, others: Paths64 | null = null): number {
  let vertices = 0
  for (const ring of rings) vertices += ring.length
  return others === null ? vertices : vertices + verticesOf(others)
}

/** An overlay of more vertices would take more than 200 MB: each takes about 500 bytes. */
export const overlayMax_vertices = 400_000

/** As `isQuickToOverlay`, of flat paths. Comparing each edge with those that it may cross takes no longer. */
export function isQuickToCompare(paths: readonly FlatPath[]): boolean {
  return positionsOfPaths(paths) <= quickVertices && stepsOfPaths(paths) <= ownThreadSteps
}

/** The number of positions of flat paths. */
export function positionsOfPaths(paths: readonly FlatPath[]): number {
  return paths.reduce((sum, path) => sum + path.length / 2, 0)
}

function stepsOfPaths(paths: readonly FlatPath[]): number {
  return sweepSteps(
    paths,
    (path) => path.length / 2,
    (path, i) => path[2 * i + 1]!,
  )
}

function sweepSteps<Ring>(
  rings: readonly Ring[],
  lengthOf: (ring: Ring) => number,
  yOf: (ring: Ring, vertex: number) => number,
): number {
  const vertices = rings.reduce((sum, ring) => sum + lengthOf(ring), 0)
  if (vertices ** 2 <= ownThreadSteps) return vertices ** 2
  const ys = new Float64Array(vertices)
  let count = 0
  for (const ring of rings) for (let i = 0; i < lengthOf(ring); i++) ys[count++] = yOf(ring, i)
  ys.sort()
  const rankOf = new Map<number, number>()
  for (const [rank, y] of ys.entries()) rankOf.set(y, rank)
  let steps = stepsOfVertex * vertices
  for (const ring of rings) {
    let before = rankOf.get(yOf(ring, lengthOf(ring) - 1))!
    for (let i = 0; i < lengthOf(ring); i++) {
      const rank = rankOf.get(yOf(ring, i))!
      steps += Math.abs(rank - before)
      before = rank
    }
  }
  return steps
}

/** An overlay of this many steps takes about ten milliseconds. */
export const ownThreadSteps = 150_000
/** A vertex takes as long as this many edges beside it. */
const stepsOfVertex = 40
const quickVertices = ownThreadSteps / stepsOfVertex

/** A shear of the grid. Areas stay the same, and integers stay integers. */
type Shear = { apply(rings: Paths64): Paths64; revert(rings: Paths64): Paths64 }

/**
 * Returns the shear after which an overlay takes fewest steps; null if none saves half of them. Long edges side by side,
 * such as the teeth of a comb, take the square of their number, unless they run from west to east.
 */
export function fastestShear({ rings, at }: RingsToOverlay): Shear | null {
  const all = at === null ? rings : [...rings, ...at]
  const vertices = verticesOf(all)
  if (vertices ** 2 <= ownThreadSteps) return null
  const steps = overlaySteps({ rings: all, at: null })
  if (steps <= fewStepsOfVertex * vertices) return null
  const [fastest] = directions
    .map(([c, d]) => ({ c, d, climb: climbOf(all, c, d) }))
    .toSorted((a, b) => a.climb - b.climb)
  const shear = shearTo(fastest!.c, fastest!.d)
  const sheared = { rings: shear.apply(all), at: null }
  return overlaySteps(sheared) <= steps / worthwhileGain ? shear : null
}

/** Outlines of places take fewer. */
const fewStepsOfVertex = 250
const worthwhileGain = 2

/** Pairs of `c` and `d` without a common divisor. An edge on which `c * x + d * y` is the same runs west to east after the shear. */
const directions = [1, 2, 3, 4].flatMap((c) =>
  [-4, -3, -2, -1, 0, 1, 2, 3, 4]
    .filter((d) => greatestDivisor(c, Math.abs(d)) === 1)
    .map((d): [c: number, d: number] => [c, d]),
)

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

/** How far the edges run from south to north after a shear, in heights of all rings. */
function climbOf(rings: Paths64, c: number, d: number): number {
  let [climb, south, north] = [0, Infinity, -Infinity]
  for (const ring of rings) {
    const last = ring.at(-1)!
    let before = c * last.x + d * last.y
    for (const { x, y } of ring) {
      const height = c * x + d * y
      climb += Math.abs(height - before)
      south = Math.min(south, height)
      north = Math.max(north, height)
      before = height
    }
  }
  return climb / (north - south)
}

/** Returns a shear to `y = c * x + d * y`, with the determinant 1. */
function shearTo(c: number, d: number): Shear {
  let a = 0
  while ((a * d - 1) % c !== 0) a++
  const b = (a * d - 1) / c
  return {
    apply: (rings) => rings.map((ring) => ring.map(({ x, y }) => ({ x: a * x + b * y, y: c * x + d * y }))),
    revert: (rings) => rings.map((ring) => ring.map(({ x, y }) => ({ x: d * x - b * y, y: a * y - c * x }))),
  }
}
