import type { Grid } from '../model/source.ts'
import type { Cells } from './decode.ts'
import type { Frame } from './frame.ts'
import type { Layout } from './layout.ts'

/** The part of a raster that a frame covers, in cells of the file: half open, rows as they are stored. */
export type Part = { left: number; right: number; top: number; bottom: number }

/** What of the frame lies in the raster; null when nothing does. */
export function partOf({ width, height, place }: Layout, frame: Frame): Part | null {
  const first = place.step_y > 0 ? height - frame.row - frame.height : frame.row
  const part = {
    left: Math.max(0, frame.column), right: Math.min(width, frame.column + frame.width),
    top: Math.max(0, first), bottom: Math.min(height, first + frame.height),
  }
  return part.left < part.right && part.top < part.bottom ? part : null
}

/** The numbers of the tiles that a part touches. */
export function chunksOf({ chunkWidth, chunkHeight, chunkOf }: Layout, band: number, { left, right, top, bottom }: Part): number[] {
  const chunks: number[] = []
  for (let row = Math.floor(top / chunkHeight); row * chunkHeight < bottom; row++) {
    for (let column = Math.floor(left / chunkWidth); column * chunkWidth < right; column++) chunks.push(chunkOf(row, band) + column)
  }
  return chunks
}

/** Fills the frame from its tiles. */
export function gridOf(layout: Layout, frame: Frame, part: Part | null, says: { band: number; nodata: number[] }, tiles: (chunk: number) => Cells): Grid {
  const { width, height, at_x, at_y, cell_x_m, cell_y_m, up_degrees } = frame
  const cells: (number | null)[] = Array.from({ length: width * height }, () => null)
  const grid = { width, height, at_x, at_y, cells, cell_x_m, cell_y_m, ...(up_degrees !== 0 && { up_degrees }) }
  if (!part) return grid
  const { chunkWidth, chunkHeight, chunkOf } = layout
  const meaning = meaningOf(layout, says)
  for (let y = part.top; y < part.bottom; y++) {
    const row = (layout.place.step_y > 0 ? layout.height - 1 - y : y) - frame.row
    const chunkRow = Math.floor(y / chunkHeight)
    const first = chunkOf(chunkRow, says.band)
    for (let column = Math.floor(part.left / chunkWidth); column * chunkWidth < part.right; column++) {
      const tile = tiles(first + column)
      if (tile.length === 0) continue
      const start = (y - chunkRow * chunkHeight) * chunkWidth - column * chunkWidth
      const to = Math.min(part.right, (column + 1) * chunkWidth)
      for (let x = Math.max(part.left, column * chunkWidth); x < to; x++) cells[row * width + x - frame.column] = meaning(tile[start + x]!)
    }
  }
  return grid
}

/** What a stored number says: null for "no data", else scaled. */
function meaningOf({ nodata, sample, scales }: Layout, { band, nodata: more }: { band: number; nodata: number[] }): (raw: number) => number | null {
  // A file of 32-bit numbers writes its "no data" with more digits than they have.
  const stored = (value: number) => (sample === 'float32' ? Math.fround(value) : value)
  const empty = [...(nodata === null ? [] : [nodata]), ...more].map(stored)
  const { scale, offset } = scales.get(band) ?? { scale: 1, offset: 0 }
  const isEmpty = (raw: number) => {
    for (const value of empty) if (Object.is(value, raw) || value === raw) return true
    return false
  }
  return scale === 1 && offset === 0 ? (raw) => (isEmpty(raw) ? null : raw) : (raw) => (isEmpty(raw) ? null : raw * scale + offset)
}
