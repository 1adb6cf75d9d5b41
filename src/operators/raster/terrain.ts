import type { Grid } from '../../model/source.ts'
import { cellIn, cellOfPoint, cellSizeOf } from './cells.ts'

const degreesPerRadian = 180 / Math.PI

/** The slope at the point by Horn's method. null if one of the nine cells has no data. */
export function hornSlope_degrees(grid: Grid): number | null {
  const gradient = hornGradient(grid)
  return gradient && Math.atan(Math.hypot(gradient.east, gradient.north)) * degreesPerRadian
}

/**
 * The downslope direction, clockwise from true north. null if the slope is below `flatBelow_degrees`. With 0, level
 * ground faces 0.
 */
export function hornAspect_degrees(grid: Grid, flatBelow_degrees: number): number | null {
  const gradient = hornGradient(grid)
  if (!gradient || hornSlope_degrees(grid)! < flatBelow_degrees) return null
  const { east, north } = gradient
  return east === 0 && north === 0
    ? 0
    : (Math.atan2(-east, -north) * degreesPerRadian + (grid.up_degrees ?? 0) + 360) % 360
}

/**
 * Riley's terrain ruggedness index: the root of the summed squared differences between a cell and its eight neighbors.
 */
export function rileyRuggedness(grid: Grid): number | null {
  const nine = nineCellsAround(grid)
  return nine && Math.sqrt(nine.reduce((sum, cell) => sum + (cell - nine[4]!) ** 2, 0))
}

/** The rise per meter, eastward and northward. */
function hornGradient(grid: Grid): { east: number; north: number } | null {
  const { x_m, y_m } = cellSizeOf(grid)
  const nine = nineCellsAround(grid)
  if (!nine) return null
  const [nw, n, ne, w, , e, sw, s, se] = nine as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return {
    east: (ne + 2 * e + se - nw - 2 * w - sw) / (8 * x_m),
    north: (nw + 2 * n + ne - sw - 2 * s - se) / (8 * y_m),
  }
}

function nineCellsAround(grid: Grid): number[] | null {
  const { x, y } = cellOfPoint(grid)
  const nine: number[] = []
  for (let row = y - 1; row <= y + 1; row++) {
    for (let column = x - 1; column <= x + 1; column++) {
      const cell = cellIn(grid, column, row)
      if (cell === null) return null
      nine.push(cell)
    }
  }
  return nine
}
