import type { YieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { cellFractions, type CellEdge } from '../geo/cell-fractions.ts'
import { extentOf } from '../geo/cut-at-extent.ts'
import type { CellRect, CellSource, FlatPath } from '../model/area.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget, Grid } from '../model/source.ts'

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
  const edges = rings.flatMap((ring) => projectRing(cells, ring))
  const { column, row, width, height } = rectOf(edges)
  if (!(width * height <= cellsMax))
    throw new UpstreamError(
      'too_large',
      `The box around the area has ${Math.round(width * height).toLocaleString('en-US')} cells of the raster. The maximum is ${cellsMax.toLocaleString('en-US')}. Ask about a smaller area.`,
    )
  const rows = Math.max(1, Math.min(Math.max(cells.rowsPerChunk, 64), Math.floor(stripMax / width)))
  for (let top = row; top < row + height; top += rows) {
    await yieldToEventLoop()
    const strip = { column, row: top, width, height: Math.min(rows, row + height - top) }
    const fractions = cellFractions(edges, strip)
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

function rectOf(edges: readonly CellEdge[]): CellRect {
  const { west, east, south, north } = extentOf(edges)
  const [column, row] = [Math.floor(west), Math.floor(south)]
  return { column, row, width: Math.ceil(east) - column, height: Math.ceil(north) - row }
}

function projectRing({ positionOf }: CellSource, ring: FlatPath): CellEdge[] {
  const edges: CellEdge[] = []
  const count = ring.length / 2
  for (let i = 0; i < count; i++) {
    const next = (i + 1) % count
    splitEdge([ring[2 * i]!, ring[2 * i + 1]!], [ring[2 * next]!, ring[2 * next + 1]!], splitsMax)
  }
  return edges

  function splitEdge(from: readonly [number, number], to: readonly [number, number], splits: number): void {
    const [a, b] = [positionAt(from), positionAt(to)]
    const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2] as const
    const m = positionAt(middle)
    const bend = Math.hypot(m.x - (a.x + b.x) / 2, m.y - (a.y + b.y) / 2)
    if (bend <= straightness_cells || splits === 0) return void edges.push([a.x, a.y, b.x, b.y])
    splitEdge(from, middle, splits - 1)
    splitEdge(middle, to, splits - 1)
  }

  function positionAt([lng, lat]: readonly [number, number]): { x: number; y: number } {
    return positionOf({ lat, lng })
  }
}
