import { Clipper64, ClipType, FillRule, type Path64, type Paths64 } from 'clipper2-ts'
import type { Extent, FlatPath } from '../model/area.ts'
import { signedRingArea_m2 } from './ellipsoid.ts'
import { extentOf } from './cut-at-extent.ts'

/** Rings on the grid of an `Overlay`: outer rings and holes run in opposite directions and do not overlap. */
export type GridRings = Paths64

/** The extent has this many grid steps: coordinates stay exact integers, and their rounding far below a millimeter. */
const gridSteps = 2 ** 46
/** How far vertices outside the extent may lie. */
const reach = 4

/** Polygon overlay within an extent. Coordinates are rounded to a fine grid, which makes the overlay robust. */
export class Overlay {
  readonly #scale: number
  readonly #x: number
  readonly #y: number

  constructor({ west, south, east, north }: Extent) {
    const size = Math.max(east - west, north - south, Number.MIN_VALUE)
    this.#scale = 2 ** Math.floor(Math.log2(gridSteps / reach / size))
    this.#x = (west + east) / 2
    this.#y = (south + north) / 2
  }

  /** A polygon with the even-odd rule, as rings that do not overlap. */
  fromPolygon(rings: readonly FlatPath[]): GridRings {
    return execute(ClipType.Union, this.#toGrid(rings), [], FillRule.EvenOdd)
  }

  /** The part of a polygon (with the even-odd rule) within `area`. */
  cutPolygon(rings: readonly FlatPath[], area: GridRings): GridRings {
    return execute(ClipType.Intersection, this.#toGrid(rings), area, FillRule.EvenOdd)
  }

  intersection(a: GridRings, b: GridRings): GridRings {
    return execute(ClipType.Intersection, a, b, FillRule.NonZero)
  }

  difference(a: GridRings, b: GridRings): GridRings {
    return b.length === 0 ? a : execute(ClipType.Difference, a, b, FillRule.NonZero)
  }

  union(rings: GridRings): GridRings {
    return execute(ClipType.Union, rings, [], FillRule.NonZero)
  }

  area_m2(rings: GridRings): number {
    let sum = 0
    for (const ring of rings) sum += signedRingArea_m2(this.#toDegrees(ring))
    return Math.abs(sum)
  }

  extentOf(rings: GridRings): Extent {
    return extentOf(this.toPaths(rings))
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

function execute(type: ClipType, subject: Paths64, clip: Paths64, fillRule: FillRule): Paths64 {
  const clipper = new Clipper64()
  clipper.addSubject(subject)
  if (clip.length > 0) clipper.addClip(clip)
  const solution: Paths64 = []
  if (!clipper.execute(type, fillRule, solution)) throw new Error('The polygon overlay failed.')
  return solution
}
