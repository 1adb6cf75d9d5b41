import type { Grid } from '../../model/source.ts'
import { cellIn, cellOfPoint, cellsWithinRadius, nearestCell } from './cells.ts'
import { nameSchemaOf, defineOperator, t } from '../operator.ts'
import { hornAspect_degrees, hornSlope_degrees, rileyRuggedness } from './terrain.ts'

type WindowArgs = { radius_m?: number; flat_below_degrees?: number }

const methods = {
  horn_slope_degrees: hornSlope_degrees,
  horn_aspect_degrees: (grid: Grid, { flat_below_degrees = 0 }: WindowArgs) =>
    hornAspect_degrees(grid, flat_below_degrees),
  riley_tri: rileyRuggedness,
  mean_of_nine: meanOfNine,
  range: circleMethod((cells) => highest(cells) - lowest(cells)),
  centre_minus_mean: circleMethod((cells, center) => center - mean(cells)),
  standard_deviation: circleMethod((cells) => {
    const average = mean(cells)
    return Math.sqrt(mean(cells.map((cell) => (cell - average) ** 2)))
  }),
}

/**
 * Computes a statistic of the nine cells around the point, or of the cells within a radius. null without data at the
 * point.
 */
export const windowOperator = defineOperator({
  shape: 'raster',
  args: t.Object({
    cells: t.Optional(t.Literal(3)),
    radius_m: t.Optional(t.Number({ exclusiveMinimum: 0 })),
    method: nameSchemaOf(methods),
    /** Ground with a lower slope has no aspect. */
    flat_below_degrees: t.Optional(t.Number({ minimum: 0 })),
  }),
  async run({ method, ...window }, raster, { at, onRecordsUsed }, budget) {
    const { radius_m } = window
    const grid = await raster({ at, radius_cells: 1, ...(radius_m !== undefined && { radius_m }) }, budget)
    onRecordsUsed?.([grid])
    return windowValueOf(grid, { method, ...window })
  },
})

/** The statistic of a window. */
export function windowValueOf(grid: Grid, { method, ...window }: WindowArgs & { method: keyof typeof methods }) {
  return methods[method](grid, window)
}

/** The mean of the nine cells around the point that have data. null without data at the point. */
function meanOfNine(grid: Grid): number | null {
  if (nearestCell(grid) === null) return null
  const { x, y } = cellOfPoint(grid)
  const steps = [-1, 0, 1]
  return mean(steps.flatMap((dy) => steps.flatMap((dx) => cellIn(grid, x + dx, y + dy) ?? [])))
}

function circleMethod(
  statistic: (cells: number[], center: number) => number,
): (grid: Grid, window: WindowArgs) => number | null {
  return (grid, { radius_m }) => {
    if (radius_m === undefined) throw new Error('This method requires `radius_m`.')
    const center = nearestCell(grid)
    if (center === null) return null
    const cells = cellsWithinRadius(grid, radius_m).filter((cell) => cell !== null)
    return statistic(cells, center)
  }
}

function mean(cells: number[]): number {
  return cells.reduce((sum, cell) => sum + cell, 0) / cells.length
}

function lowest(cells: number[]): number {
  return cells.reduce((min, cell) => Math.min(min, cell))
}

function highest(cells: number[]): number {
  return cells.reduce((max, cell) => Math.max(max, cell))
}
