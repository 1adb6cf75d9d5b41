import type { Grid } from '../model/source.ts'
import type { CellArray } from './decode.ts'
import type { CellWindow } from './cell-window.ts'
import type { RasterLayout } from './layout.ts'

/** A half-open range of cells in the file. Rows are in stored order. */
export type CellRange = { left: number; right: number; top: number; bottom: number }

/** The part of the window that lies in the raster. null if there is none. */
export function cellRangeOf({ width, height, geoTransform }: RasterLayout, cellWindow: CellWindow): CellRange | null {
  const first = geoTransform.step_y > 0 ? height - cellWindow.row - cellWindow.height : cellWindow.row
  const range = {
    left: Math.max(0, cellWindow.column),
    right: Math.min(width, cellWindow.column + cellWindow.width),
    top: Math.max(0, first),
    bottom: Math.min(height, first + cellWindow.height),
  }
  return range.left < range.right && range.top < range.bottom ? range : null
}

/** The chunk numbers (tiles or strips) that a range touches. */
export function chunksOf(
  { chunkWidth, chunkHeight, firstChunkOfRow }: RasterLayout,
  band: number,
  { left, right, top, bottom }: CellRange,
): number[] {
  const chunks: number[] = []
  for (let row = Math.floor(top / chunkHeight); row * chunkHeight < bottom; row++) {
    for (let column = Math.floor(left / chunkWidth); column * chunkWidth < right; column++)
      chunks.push(firstChunkOfRow(row, band) + column)
  }
  return chunks
}

/** `nodata`: "no data" values in addition to the one that the file declares. `tileOf`: the cells of a chunk. */
type GridOptions = { band: number; nodata: number[]; tileOf: (chunk: number) => CellArray }

/** Builds the grid of a window from its chunks. An empty chunk is a gap without data. */
export function buildGrid(
  layout: RasterLayout,
  cellWindow: CellWindow,
  range: CellRange | null,
  options: GridOptions,
): Grid {
  const { width, height, at_x, at_y, cell_x_m, cell_y_m, up_degrees } = cellWindow
  const cells: (number | null)[] = Array.from({ length: width * height }, () => null)
  const grid = { width, height, at_x, at_y, cells, cell_x_m, cell_y_m, ...(up_degrees !== 0 && { up_degrees }) }
  if (!range) return grid
  const { chunkWidth, chunkHeight, firstChunkOfRow } = layout
  const readCell = createCellReader(layout, options)
  for (let y = range.top; y < range.bottom; y++) {
    const row = (layout.geoTransform.step_y > 0 ? layout.height - 1 - y : y) - cellWindow.row
    const chunkRow = Math.floor(y / chunkHeight)
    const first = firstChunkOfRow(chunkRow, options.band)
    for (let column = Math.floor(range.left / chunkWidth); column * chunkWidth < range.right; column++) {
      const tile = options.tileOf(first + column)
      if (tile.length === 0) continue
      const start = (y - chunkRow * chunkHeight) * chunkWidth - column * chunkWidth
      const to = Math.min(range.right, (column + 1) * chunkWidth)
      for (let x = Math.max(range.left, column * chunkWidth); x < to; x++)
        cells[row * width + x - cellWindow.column] = readCell(tile[start + x]!)
    }
  }
  return grid
}

/** Returns a function that converts a stored number to a value: null for "no data", otherwise scaled. */
function createCellReader(
  { nodata, sampleType, scales }: RasterLayout,
  { band, nodata: extraNodata }: GridOptions,
): (raw: number) => number | null {
  // Files with 32-bit floats declare "no data" with more digits than a 32-bit float has.
  const asStored = (value: number) => (sampleType === 'float32' ? Math.fround(value) : value)
  const nodataValues = [...(nodata === null ? [] : [nodata]), ...extraNodata].map(asStored)
  const { scale, offset } = scales.get(band) ?? { scale: 1, offset: 0 }
  const isNodata = (raw: number) => {
    for (const value of nodataValues) if (Object.is(value, raw) || value === raw) return true
    return false
  }
  return scale === 1 && offset === 0
    ? (raw) => (isNodata(raw) ? null : raw)
    : (raw) => (isNodata(raw) ? null : raw * scale + offset)
}
