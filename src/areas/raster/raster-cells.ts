import type { YieldToEventLoop } from '../../async/incremental-task.ts'
import { CellFractions, type CellEdge } from '../../geo/overlay/cell-fractions.ts'
import type { CellRect, CellSource, FlatPath } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Budget, Grid } from '../../model/source.ts'
import { emptyExtent, addToExtent } from '../../geo/boxes.ts'

/**
 * A cell of a strip: its column and row in the grid of the strip, and the fraction of it that the area covers. `left`
 * and `top`: the column and the row of the grid in the raster.
 */
export type CoveredCell = {
  grid: Grid
  left: number
  top: number
  column: number
  row: number
  fraction: number
  isInside: boolean
}

/** The most cells around an area. A strip is read at a time, so they limit the time, not the memory. */
const cellsMax = 64_000_000
/** The cells of a strip. */
const stripMax = 500_000
/** An edge is split until its middle is this close to the straight line between its projected ends, in cells. */
const straightness_cells = 0.001
const splitsMax = 12
/** The most edges after that. They take 32 MB. */
const edgesMax = 1_000_000
/** Operators read up to this many cells around each cell. */
const margin = 1

/**
 * Visits every cell that rings in degrees cover, in strips of rows. The edges of the rings are straight in degrees, so
 * they are curves in the cells of a projected raster.
 * @throws {UpstreamError} `too_large` for too many cells.
 */
export async function visitCoveredCells(
  cells: CellSource,
  rings: readonly FlatPath[],
  { budget, yieldToEventLoop }: { budget: Budget; yieldToEventLoop: YieldToEventLoop },
  visit: (cell: CoveredCell) => void,
): Promise<void> {
  const edges = await projectRings(cells, rings, yieldToEventLoop)
  const { column, row, width, height } = edges.rect
  if (!(width * height <= cellsMax))
    throw new UpstreamError(
      'too_large',
      `The box around the area has ${Math.round(width * height).toLocaleString('en-US')} cells of the raster. The maximum is ${cellsMax.toLocaleString('en-US')}. Ask about a smaller area.`,
    )
  const rows = Math.max(1, Math.min(Math.max(cells.rowsPerChunk, 64), Math.floor(stripMax / width)))
  const edgesOfStrip = edges.byStrip(rows)
  for (let top = row; top < row + height; top += rows) {
    await yieldToEventLoop()
    const strip = { column, row: top, width, height: Math.min(rows, row + height - top) }
    const covered = new CellFractions(strip)
    for (const edge of edgesOfStrip()) {
      const pause = yieldToEventLoop()
      if (pause) await pause
      covered.add(edges.at(edge))
    }
    const fractions = covered.fractions()
    const used = usedColumns(fractions, strip)
    if (!used) continue
    const grid = await cells.read(
      {
        column: column + used.first - margin,
        row: top - margin,
        width: used.last - used.first + 1 + 2 * margin,
        height: strip.height + 2 * margin,
      },
      budget,
    )
    visitStrip(cells, { strip, fractions, grid, first: used.first }, visit)
  }
}

function visitStrip(
  { width, height }: CellSource,
  { strip, fractions, grid, first }: { strip: CellRect; fractions: Float64Array; grid: Grid; first: number },
  visit: (cell: CoveredCell) => void,
): void {
  const [left, top] = [strip.column + first - margin, strip.row - margin]
  for (let y = 0; y < strip.height; y++) {
    const isRowInside = strip.row + y >= 0 && strip.row + y < height
    for (let x = 0; x < strip.width; x++) {
      const fraction = fractions[y * strip.width + x]!
      if (fraction === 0) continue
      const column = strip.column + x
      const isInside = isRowInside && column >= 0 && column < width
      visit({ grid, left, top, column: x - first + margin, row: y + margin, fraction, isInside })
    }
  }
}

/** The columns of a strip that are covered; null if none is. */
function usedColumns(fractions: Float64Array, { width }: CellRect): { first: number; last: number } | null {
  let [first, last] = [Infinity, -1]
  for (let i = 0; i < fractions.length; i++) {
    if (fractions[i] === 0) continue
    const column = i % width
    first = Math.min(first, column)
    last = Math.max(last, column)
  }
  return last < 0 ? null : { first, last }
}

/** Edges in cells. A million of them are a few arrays, not objects. */
class CellEdges {
  #ends = new Float64Array(4096)
  #count = 0
  readonly #bounds = emptyExtent()

  /** @throws {UpstreamError} `too_large` for too many edges. */
  add(x1: number, y1: number, x2: number, y2: number): void {
    if (this.#count === edgesMax)
      throw new UpstreamError(
        'too_large',
        'The outline is too long to be compared with each cell of the raster. Simplify it, or ask about a smaller area.',
      )
    if (4 * this.#count === this.#ends.length) {
      const longer = new Float64Array(2 * this.#ends.length)
      longer.set(this.#ends)
      this.#ends = longer
    }
    this.#ends.set([x1, y1, x2, y2], 4 * this.#count++)
    addToExtent(this.#bounds, x1, y1)
    addToExtent(this.#bounds, x2, y2)
  }

  at(edge: number): CellEdge {
    return this.#ends.subarray(4 * edge, 4 * edge + 4) as unknown as CellEdge
  }

  get rect(): CellRect {
    // Rows are counted downwards.
    const { west, south: top, east, north: bottom } = this.#bounds
    const [column, row] = [Math.floor(west), Math.floor(top)]
    return { column, row, width: Math.ceil(east) - column, height: Math.ceil(bottom) - row }
  }

  /** Returns a function that returns the edges in the first strip of this many rows, then those in the next one. */
  byStrip(rows: number): () => Iterable<number> {
    const { row, height } = this.rect
    const strips = Math.ceil(height / rows)
    const topOf = (edge: number) => Math.min(this.#ends[4 * edge + 1]!, this.#ends[4 * edge + 3]!)
    const bottomOf = (edge: number) => Math.max(this.#ends[4 * edge + 1]!, this.#ends[4 * edge + 3]!)
    const firstStripOf = (edge: number) => Math.min(strips - 1, Math.floor((topOf(edge) - row) / rows))
    const begins = new Uint32Array(strips + 1)
    for (let edge = 0; edge < this.#count; edge++) begins[firstStripOf(edge) + 1]!++
    for (let strip = 0; strip < strips; strip++) begins[strip + 1]! += begins[strip]!
    const inOrder = new Uint32Array(this.#count)
    const next = begins.slice()
    for (let edge = 0; edge < this.#count; edge++) inOrder[next[firstStripOf(edge)]!++] = edge
    let strip = 0
    let current: number[] = []
    return () => {
      const top = row + strip * rows
      current = current.filter((edge) => bottomOf(edge) > top)
      for (const edge of inOrder.subarray(begins[strip], begins[strip + 1])) current.push(edge)
      strip++
      return current
    }
  }
}

async function projectRings(
  cells: CellSource,
  rings: readonly FlatPath[],
  yieldToEventLoop: YieldToEventLoop,
): Promise<CellEdges> {
  const edges = new CellEdges()
  for (const ring of rings)
    for (let to = 0, from = ring.length - 2; to < ring.length; from = to, to += 2) {
      const pause = yieldToEventLoop()
      if (pause) await pause
      projectEdge(cells, edges, [ring[from]!, ring[from + 1]!], [ring[to]!, ring[to + 1]!])
    }
  return edges
}

function projectEdge({ positionOf }: CellSource, edges: CellEdges, first: LngLat, last: LngLat): void {
  split(first, last, splitsMax)

  function split(from: LngLat, to: LngLat, splits: number): void {
    const [a, b] = [positionAt(from), positionAt(to)]
    const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2] as const
    const m = positionAt(middle)
    const bend = Math.hypot(m.x - (a.x + b.x) / 2, m.y - (a.y + b.y) / 2)
    if (bend <= straightness_cells || splits === 0) return edges.add(a.x, a.y, b.x, b.y)
    split(from, middle, splits - 1)
    split(middle, to, splits - 1)
  }

  function positionAt([lng, lat]: LngLat): { x: number; y: number } {
    return positionOf({ lat, lng })
  }
}

type LngLat = readonly [lng: number, lat: number]
