import { Clipper64, ClipType, FillRule, type Path64, type Paths64 } from 'clipper2-ts'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import type { Extent, FlatPath } from '../../model/area.ts'
import { signedRingArea_m2 } from '../ellipsoid.ts'
import { convexRingOf } from './convex-ring.ts'
import { surroundsExtent } from './cut-at-extent.ts'
import { cutNearPolygon, gridBoxOf, hasManyVertices, ringsNear } from './overlay-near.ts'
import { fastestShear } from './overlay-steps.ts'

/** Rings on the grid of an `Overlay`: outer rings and holes run in opposite directions and do not overlap. */
export type GridRings = Paths64

/** The part of rings within others, and the rest of them. */
export type SplitRings = { shared: GridRings; rest: GridRings }

/** Splits rings at others. Without others, the result is the union of the rings. */
export type OverlayJob = { rings: GridRings; at: GridRings | null; fillRule: 'even_odd' | 'non_zero' }

/** Executes an overlay, a large one in another thread. The union of rings is `shared`. */
export type RunOverlay = (job: OverlayJob) => MaybePromise<SplitRings>

/** The extent has this many grid steps: coordinates stay exact integers, and their rounding far below a millimeter. */
const gridSteps = 2 ** 46
/** How far vertices outside the extent may lie. */
const reach = 4

/** Polygon overlay within an extent. Coordinates are rounded to a fine grid, which makes the overlay robust. */
export class Overlay {
  readonly #extent: Extent
  readonly #run: RunOverlay
  readonly #scale: number
  readonly #x: number
  readonly #y: number

  constructor(extent: Extent, run: RunOverlay = runOverlay) {
    const { west, south, east, north } = extent
    this.#extent = extent
    this.#run = run
    const size = Math.max(east - west, north - south, Number.MIN_VALUE)
    this.#scale = 2 ** Math.floor(Math.log2(gridSteps / reach / size))
    this.#x = (west + east) / 2
    this.#y = (south + north) / 2
  }

  /** The distance to which coordinates are rounded. */
  get step_degrees(): number {
    return 1 / this.#scale
  }

  /** A polygon with the even-odd rule, as rings that do not overlap. */
  fromPolygon(rings: readonly FlatPath[]): MaybePromise<GridRings> {
    const onGrid = this.#toGrid(rings)
    const convexRing = onGrid.length === 1 ? convexRingOf(onGrid[0]!) : null
    if (convexRing) return [convexRing]
    return andThen(this.#run({ rings: onGrid, at: null, fillRule: 'even_odd' }), sharedOf)
  }

  /** The part of rings within a polygon with the even-odd rule, and whether it is all of them. */
  withinPolygon(rings: GridRings, polygon: readonly FlatPath[]): MaybePromise<{ shared: GridRings; isAll: boolean }> {
    if (surroundsExtent(polygon, this.#extent)) return { shared: rings, isAll: true }
    const job: OverlayJob & { at: GridRings } = { rings, at: this.#toGrid(polygon), fillRule: 'even_odd' }
    const near = hasManyVertices(rings) ? cutNearPolygon(job) : null
    if (near) return andThen(this.#split({ ...job, rings: near }), ({ shared }) => ({ shared, isAll: false }))
    return andThen(this.#split(job), ({ shared, rest }) => ({ shared, isAll: rest.length === 0 }))
  }

  /** Splits rings at others: the part in both, and the part outside the others. */
  split(rings: GridRings, at: GridRings): MaybePromise<SplitRings> {
    const { near, far } = hasManyVertices(rings) ? ringsNear(at, rings) : { near: rings, far: [] }
    const nearAt = far.length > 0 || hasManyVertices(at) ? ringsNear(near, at).near : at
    const split = this.#split({ rings: near, at: nearAt, fillRule: 'non_zero' })
    return far.length === 0 ? split : andThen(split, ({ shared, rest }) => ({ shared, rest: [...rest, ...far] }))
  }

  #split(job: OverlayJob & { at: GridRings }): MaybePromise<SplitRings> {
    return splitWithoutCrossing(job) ?? this.#run(job)
  }

  union(rings: GridRings): MaybePromise<GridRings> {
    return andThen(this.#run({ rings, at: null, fillRule: 'non_zero' }), sharedOf)
  }

  area_m2(rings: GridRings): number {
    let sum = 0
    for (const ring of rings) sum += signedRingArea_m2(this.#toDegrees(ring))
    return Math.abs(sum)
  }

  /** The rings in degrees. */
  toPaths(rings: GridRings): FlatPath[] {
    return rings.map((ring) => this.#toDegrees(ring))
  }

  #toGrid(rings: readonly FlatPath[]): Paths64 {
    // The library does not accept empty rings.
    const complete = rings.filter((ring) => ring.length >= 6)
    return complete.map((ring) => {
      const path: Path64 = []
      for (let i = 0; i < ring.length; i += 2)
        path.push({
          x: Math.round((ring[i]! - this.#x) * this.#scale),
          y: Math.round((ring[i + 1]! - this.#y) * this.#scale),
        })
      return path
    })
  }

  #toDegrees(ring: Path64): FlatPath {
    const path: FlatPath = []
    for (const { x, y } of ring) path.push(x / this.#scale + this.#x, y / this.#scale + this.#y)
    return path
  }
}

function sharedOf({ shared }: SplitRings): GridRings {
  return shared
}

/**
 * Splits rings at others that have no edge in the box around them: all of the rings is inside, or nothing. Returns null
 * if an edge may be in this box. Most features around a small area are like this.
 */
function splitWithoutCrossing({ rings, at, fillRule }: OverlayJob & { at: GridRings }): SplitRings | null {
  const box = gridBoxOf(rings)
  if (!box) return null
  const x = (box.left + box.right) / 2
  const y = (box.bottom + box.top) / 2
  let windings = 0
  for (const ring of at) {
    let from = ring.at(-1)!
    for (const to of ring) {
      const isBeside =
        (from.x <= box.left && to.x <= box.left) ||
        (from.x >= box.right && to.x >= box.right) ||
        (from.y <= box.bottom && to.y <= box.bottom) ||
        (from.y >= box.top && to.y >= box.top)
      if (!isBeside) return null
      // Of the edges beside the box, only those on its right meet a ray from its center to the right.
      if (from.y > y !== to.y > y && (from.x > x || to.x > x)) windings += from.y > y ? -1 : 1
      from = to
    }
  }
  const isInside = fillRule === 'even_odd' ? windings % 2 !== 0 : windings !== 0
  return isInside ? { shared: rings, rest: [] } : { shared: [], rest: rings }
}

/** Executes an overlay in this thread. */
export function runOverlay(job: OverlayJob): SplitRings {
  const shear = fastestShear(job)
  if (!shear) return overlayOnce(job)
  const { shared, rest } = overlayOnce({ ...job, rings: shear.apply(job.rings), at: job.at && shear.apply(job.at) })
  return { shared: shear.revert(shared), rest: shear.revert(rest) }
}

function overlayOnce({ rings, at, fillRule }: OverlayJob): SplitRings {
  const rule = fillRule === 'even_odd' ? FillRule.EvenOdd : FillRule.NonZero
  return at === null
    ? { shared: execute(clipperOf(rings, []), ClipType.Union, rule), rest: [] }
    : splitRings(rings, at, rule)
}

/**
 * On rare coordinates the library loses a part of the result: one overlay of 60,000. Both parts together then have
 * another area than the rings, and the split is repeated on a coarser grid.
 */
function splitRings(rings: Paths64, at: Paths64, fillRule: FillRule): SplitRings {
  for (const coarseness of coarsenesses) {
    const [subject, clip] = [coarsen(rings, 1 / coarseness), coarsen(at, 1 / coarseness)]
    const clipper = clipperOf(subject, clip)
    const shared = execute(clipper, ClipType.Intersection, fillRule)
    const rest = execute(clipper, ClipType.Difference, fillRule)
    const lost = Math.abs(stepsOf(subject) - stepsOf(shared) - stepsOf(rest))
    // Each vertex of the result is rounded by half a step.
    if (lost <= roundingSteps * (boundaryOf(subject) + boundaryOf(shared)))
      return { shared: coarsen(shared, coarseness), rest: coarsen(rest, coarseness) }
  }
  throw new Error('The polygon overlay lost a part of its result.')
}

const coarsenesses = [1, 2, 4, 8, 16, 64]
const roundingSteps = 4

function coarsen(rings: Paths64, factor: number): Paths64 {
  if (factor === 1) return rings
  return rings.map((ring) => ring.map(({ x, y }) => ({ x: Math.round(x * factor), y: Math.round(y * factor) })))
}

/** The area of rings in square grid steps. */
function stepsOf(rings: Paths64): number {
  let sum = 0
  for (const ring of rings) {
    const [origin] = ring
    if (!origin) continue
    for (let i = 2; i < ring.length; i++) {
      const [a, b] = [ring[i - 1]!, ring[i]!]
      sum += ((a.x - origin.x) * (b.y - origin.y) - (b.x - origin.x) * (a.y - origin.y)) / 2
    }
  }
  return Math.abs(sum)
}

/** The length of the boundary of rings in grid steps, along both axes. */
function boundaryOf(rings: Paths64): number {
  let sum = 0
  for (const ring of rings) {
    let before = ring.at(-1)!
    for (const vertex of ring) {
      sum += Math.abs(vertex.x - before.x) + Math.abs(vertex.y - before.y)
      before = vertex
    }
  }
  return sum
}

/** Returns the rings, ready for several executions. */
function clipperOf(subject: Paths64, clip: Paths64): Clipper64 {
  const clipper = new Clipper64()
  clipper.addSubject(joinHorizontalEdges(subject))
  if (clip.length > 0) clipper.addClip(joinHorizontalEdges(clip))
  return clipper
}

function execute(clipper: Clipper64, type: ClipType, fillRule: FillRule): Paths64 {
  const solution: Paths64 = []
  if (!clipper.execute(type, fillRule, solution)) throw new Error('The polygon overlay failed.')
  return solution
}

/**
 * Rings whose consecutive horizontal edges are one edge, which enclose the same area. Where such edges run back over each
 * other, the library may never end.
 */
function joinHorizontalEdges(rings: Paths64): Paths64 {
  const joined = rings.map((ring) =>
    ring.filter(({ y }, i) => ring.at(i - 1)!.y !== y || ring[(i + 1) % ring.length]!.y !== y),
  )
  return joined.filter((ring) => ring.length > 0)
}
