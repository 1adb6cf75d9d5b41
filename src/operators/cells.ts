import type { Static, TObject } from '@sinclair/typebox'
import { UpstreamError } from '../model/error.ts'
import type { Grid } from '../model/source.ts'
import { t } from './operator.ts'

/** The arguments by which cells are cleaned, for the schemas of the operators that read them. */
export const cellCleaningArgs = {
  /** Cell values that mean "no data"; `nan` is the number that is none. */
  nodata: t.Optional(t.Array(t.Union([t.Number(), t.Literal('nan')]))),
  /** What a cell is multiplied by. */
  scale: t.Optional(t.Number()),
  /** Scaled values outside are no data. */
  valid_range: t.Optional(t.Tuple([t.Number(), t.Number()])),
}
type CellCleaningArgs = Static<TObject<typeof cellCleaningArgs>>
export type NoData = NonNullable<CellCleaningArgs['nodata']>

/** What a cell says: scaled, and null outside the valid range. */
export function scaleInRange(
  cell: number | null,
  { scale = 1, valid_range: [min, max] = [-Infinity, Infinity] }: CellCleaningArgs,
): number | null {
  if (cell === null) return null
  const value = cell * scale
  return value >= min && value <= max ? value : null
}

/** The cell that holds the point. */
export function nearestCell(grid: Grid, nodata?: NoData): number | null {
  const { x, y } = cellOfPoint(grid)
  return cellIn(grid, x, y, nodata)
}

/** The cells whose centre lies within the radius of the point; null where there is no data. */
export function cellsWithinRadius(grid: Grid, radius_m: number, nodata?: NoData): (number | null)[] {
  const { width, height, at_x, at_y } = grid
  const { x_m, y_m } = cellSizeOf(grid)
  const reach_m = Math.min((Math.min(at_x, width - at_x) + 0.5) * x_m, (Math.min(at_y, height - at_y) + 0.5) * y_m)
  if (reach_m <= radius_m)
    throw new UpstreamError(
      'unsupported_request',
      `The raster gave ${width} by ${height} cells, too few for a radius of ${radius_m} m.`,
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

/** How far it is from one cell to the next, eastward and southward. */
export function cellSizeOf({ cell_x_m, cell_y_m }: Grid): { x_m: number; y_m: number } {
  if (cell_x_m !== undefined && cell_y_m !== undefined) return { x_m: cell_x_m, y_m: cell_y_m }
  throw new UpstreamError('unsupported_request', 'The raster does not say how large its cells are.')
}

/** The column and row of the cell that holds the point. */
export function cellOfPoint({ width, height, at_x, at_y, cells }: Grid): { x: number; y: number } {
  const [x, y] = [Math.floor(at_x), Math.floor(at_y)]
  if (cells.length === width * height && x >= 0 && x < width && y >= 0 && y < height) return { x, y }
  throw new UpstreamError(
    'bad_value',
    `The raster gave ${cells.length} cells as ${width} by ${height}, with the point at ${at_x}, ${at_y}.`,
  )
}

/** A cell by column and row; null outside the window and where its value means "no data". */
export function cellIn({ width, height, cells }: Grid, x: number, y: number, nodata: NoData = []): number | null {
  const cell = x >= 0 && x < width && y >= 0 && y < height ? (cells[y * width + x] ?? null) : null
  if (cell === null || nodata.some((it) => (it === 'nan' ? Number.isNaN(cell) : it === cell))) return null
  if (!Number.isFinite(cell))
    throw new UpstreamError('bad_value', `The raster gave ${cell}, which it does not declare as "no data".`)
  return cell
}
