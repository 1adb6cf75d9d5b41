import type { Static } from '@sinclair/typebox'
import { andThen } from '../../async/maybe-promise.ts'
import type { Grid, Value } from '../../model/source.ts'
import { cellCleaningArgs, cellIn, nearestCell, scaleCell, type NoData } from './cells.ts'
import { classesSchema, labelOf } from '../value/codes.ts'
import { compileFlag, flagArgs } from '../value/flag.ts'
import { defineOperator, t } from '../operator.ts'
import { transformSchema, transformValue } from '../value/transform-value.ts'

const args = t.Object({
  resampling: t.Union([t.Literal('nearest'), t.Literal('bilinear')]),
  edition: t.Optional(t.Integer({ maximum: 0 })),
  ...cellCleaningArgs,
  transform: t.Optional(transformSchema),
  classes: t.Optional(classesSchema),
  ...flagArgs,
})
type Args = Static<typeof args>

/**
 * Returns the value at the point, nearest or bilinear. With `classes` returns its label, with `true_values` whether it is one.
 */
export const sampleOperator = defineOperator({
  shape: 'raster',
  args,
  run(args, raster, { at, onRecordsUsed }, budget) {
    const { resampling, edition, nodata } = args
    const isBilinear = resampling === 'bilinear'
    const query = { at, radius_cells: isBilinear ? 1 : 0, ...(edition !== undefined && { edition }) }
    return andThen(raster(query, budget), (grid) => {
      onRecordsUsed?.([grid])
      return compileCellValue(args)(isBilinear ? bilinear(grid, nodata) : nearestCell(grid, nodata))
    })
  },
})

/**
 * Interpolates between the four nearest cell centers and ignores cells without data. Returns null if the cell that
 * contains the point has no data. /
 */
function bilinear(grid: Grid, nodata?: NoData): number | null {
  if (nearestCell(grid, nodata) === null) return null
  const [west, north] = [Math.floor(grid.at_x - 0.5), Math.floor(grid.at_y - 0.5)]
  const [right, down] = [grid.at_x - 0.5 - west, grid.at_y - 0.5 - north]
  const corners = [
    { cell: cellIn(grid, west, north, nodata), weight: (1 - right) * (1 - down) },
    { cell: cellIn(grid, west + 1, north, nodata), weight: right * (1 - down) },
    { cell: cellIn(grid, west, north + 1, nodata), weight: (1 - right) * down },
    { cell: cellIn(grid, west + 1, north + 1, nodata), weight: right * down },
  ].filter((corner): corner is { cell: number; weight: number } => corner.cell !== null)
  return (
    corners.reduce((sum, { cell, weight }) => sum + cell * weight, 0) /
    corners.reduce((sum, { weight }) => sum + weight, 0)
  )
}

/** Compiles how a cell without "no data" becomes a value: scaled, transformed, and read as a flag or labelled. */
export function compileCellValue(args: Args): (cell: number | null) => Value {
  const { transform, classes } = args
  const flagOf = args.true_values === undefined ? null : compileFlag(args)
  return (cell) => {
    const value = scaleCell(cell, args)
    const transformedValue = transform === undefined ? value : transformValue(value, transform)
    if (transformedValue === null) return null
    if (flagOf) return flagOf([transformedValue])
    return classes === undefined ? transformedValue : labelOf(transformedValue, classes)
  }
}
