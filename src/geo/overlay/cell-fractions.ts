import type { CellRect } from '../../model/area.ts'

/** Coordinates of an edge in cells: columns to the east, rows to the south. */
export type CellEdge = readonly [x1: number, y1: number, x2: number, y2: number]

/** Fractions this close to 0 or 1 are 0 or 1: the sums along a row have rounding errors. */
const rounding = 1e-9

/**
 * The exact fraction of each cell of a rectangle that rings cover, row by row. The edges are those of closed rings that
 * do not overlap, with holes in the opposite direction. Edges east of the rectangle do not count, so it must contain
 * the rings or lie west of what it leaves out.
 */
export class CellFractions {
  readonly #rect: CellRect
  readonly #stride: number
  readonly #sums: Float64Array

  constructor(rect: CellRect) {
    this.#rect = rect
    this.#stride = rect.width + 2
    this.#sums = new Float64Array(this.#stride * rect.height)
  }

  add([x1, y1, x2, y2]: CellEdge): void {
    const { column, row } = this.#rect
    const [ax, ay, bx, by] = [x1 - column, y1 - row, x2 - column, y2 - row]
    if (ay < by) addEdge(this.#sums, this.#stride, this.#rect, ax, ay, bx, by, 1)
    else if (by < ay) addEdge(this.#sums, this.#stride, this.#rect, bx, by, ax, ay, -1)
  }

  /** The fractions after all edges. */
  fractions(): Float64Array {
    const { width, height } = this.#rect
    const fractions = new Float64Array(width * height)
    for (let row = 0; row < height; row++) {
      let sum = 0
      for (let column = 0; column < width; column++) {
        sum += this.#sums[row * this.#stride + column]!
        const fraction = Math.abs(sum)
        fractions[row * width + column] = fraction < rounding ? 0 : fraction > 1 - rounding ? 1 : fraction
      }
    }
    return fractions
  }
}

/**
 * Adds an edge from north to south. `sums` has the change of the coverage from each cell to the next one in the row, so
 * that the sum along a row is the coverage.
 */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
function addEdge(
  sums: Float64Array,
  stride: number,
  { width, height }: CellRect,
  ax: number,
  ay: number,
  bx: number,
  by: number,
  direction: 1 | -1,
): void {
  const slope = (bx - ax) / (by - ay)
  const last = Math.min(height, Math.ceil(by))
  for (let row = Math.max(0, Math.floor(ay)); row < last; row++) {
    const top = Math.max(row, ay)
    const bottom = Math.min(row + 1, by)
    if (bottom <= top) continue
    const x1 = ax + (top - ay) * slope
    const x2 = ax + (bottom - ay) * slope
    addRow(sums, row * stride, width, Math.min(x1, x2), Math.max(x1, x2), direction * (bottom - top))
  }
}

/** Adds the part of an edge in one row, which runs from `west` to `east` and is `rise` rows high. */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
function addRow(sums: Float64Array, at: number, width: number, west: number, east: number, rise: number): void {
  let covered = 0
  const first = Math.min(width, Math.max(0, Math.floor(west)))
  const lastCell = Math.min(width, Math.max(first, Math.floor(east)))
  for (let column = first; column <= lastCell; column++) {
    // The share of the cell's width and of all cells east of it that lies east of the edge, times its height.
    const total = rise * shareEastOf(column, west, east)
    sums[at + column]! += total - covered
    covered = total
  }
  sums[at + lastCell + 1]! += rise - covered
}

/**
 * The mean over the edge of the part of the cell `column` that lies east of it, from 0 to 1: the integral of
 * `clamp(column + 1 - x, 0, 1)` for x from `west` to `east`, divided by its length.
 */
function shareEastOf(column: number, west: number, east: number): number {
  const upTo = (x: number) => {
    const t = column + 1 - x
    return t <= 0 ? 0 : t >= 1 ? t - 0.5 : (t * t) / 2
  }
  if (east - west < 1e-12) return Math.min(1, Math.max(0, column + 1 - (west + east) / 2))
  return (upTo(west) - upTo(east)) / (east - west)
}
