import type { Static, TObject } from '@sinclair/typebox'
import { UpstreamError } from '../../model/error.ts'
import { isPlaceholder } from '../../model/placeholder.ts'
import type { Grid } from '../../model/source.ts'
import { t } from '../operator.ts'

/** Schema properties for operators that clean raster cells. */
export const cellCleaningArgs = {
  /** Cell values that mean "no data". `nan` is NaN. */
  nodata: t.Optional(t.Array(t.Union([t.Number(), t.Literal('nan')]))),
  /** The factor of all cells. */
  scale: t.Optional(t.Number()),
}
type CellCleaningArgs = Static<TObject<typeof cellCleaningArgs>>
/** Cell values that mean "no data". */
export type NoData = NonNullable<CellCleaningArgs['nodata']>

/** Scales a cell. */
export function scaleCell(cell: number | null, { scale = 1 }: CellCleaningArgs): number | null {
  return cell === null ? null : cell * scale
}

/** The cell that contains the point. null without data. */
export function nearestCell(grid: Grid, nodata?: NoData): number | null {
  const { x, y } = cellOfPoint(grid)
  return cellIn(grid, x, y, nodata)
}

/** The cells with a center within the radius of the point. null without data. */
export function cellsWithinRadius(grid: Grid, radius_m: number, nodata?: NoData): (number | null)[] {
  const { width, height, at_x, at_y } = grid
  const { x_m, y_m } = cellSizeOf(grid)
  const reach_m = Math.min((Math.min(at_x, width - at_x) + 0.5) * x_m, (Math.min(at_y, height - at_y) + 0.5) * y_m)
  if (reach_m <= radius_m)
    throw new UpstreamError(
      'unsupported_request',
      `The raster returned ${width} by ${height} cells, too few for a radius of ${radius_m} m.`,
    )
  const values: (number | null)[] = []
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (Math.hypot((x + 0.5 - at_x) * x_m, (y + 0.5 - at_y) * y_m) <= radius_m)
        values.push(cellIn(grid, x, y, nodata))
    }
  }
  return values
}

/** The width and height of a cell on the ground. */
export function cellSizeOf({ cell_x_m, cell_y_m }: Grid): { x_m: number; y_m: number } {
  if (cell_x_m !== undefined && cell_y_m !== undefined) return { x_m: cell_x_m, y_m: cell_y_m }
  throw new UpstreamError('unsupported_request', 'The raster does not report its cell size.')
}

/** The column and row of the cell that holds the point. */
export function cellOfPoint({ width, height, at_x, at_y, cells }: Grid): { x: number; y: number } {
  const [x, y] = [Math.floor(at_x), Math.floor(at_y)]
  if (cells.length !== width * height)
    throw new UpstreamError(
      'bad_value',
      `The raster returned ${cells.length} cells for a window of ${width} by ${height} cells.`,
    )
  if (x >= 0 && x < width && y >= 0 && y < height) return { x, y }
  throw new UpstreamError(
    'bad_value',
    `The raster returned a window of ${width} by ${height} cells, and the point is outside it, at column ${at_x}, row ${at_y}.`,
  )
}

/** A cell by column and row. null outside the window and for "no data". */
export function cellIn({ width, height, cells }: Grid, x: number, y: number, nodata: NoData = []): number | null {
  return cleanCell(x >= 0 && x < width && y >= 0 && y < height ? (cells[y * width + x] ?? null) : null, nodata)
}

/** A cell without the values that mean "no data". Throws `bad_value` for a number that is not finite, and for a
 * placeholder. */
export function cleanCell(cell: number | null, nodata: NoData = []): number | null {
  if (cell === null || nodata.some((value) => (value === 'nan' ? Number.isNaN(cell) : value === cell))) return null
  if (!Number.isFinite(cell) || isPlaceholder(cell))
    throw new UpstreamError(
      'bad_value',
      `The raster returned the invalid value ${cell}, but does not declare it as its "no data" value.`,
    )
  return cell
}
