import type { Static } from '@sinclair/typebox'
import { andThen } from '../async/maybe-promise.ts'
import type { Grid, Value } from '../model/source.ts'
import { cellCleaningArgs, cellIn, nearestCell, scaleInRange, type NoData } from './cells.ts'
import { classesSchema, labelOf } from './codes.ts'
import { defineOperator, t } from './operator.ts'
import { compileValueTest, valueTestSchema } from './value-test.ts'
import { transformSchema, transformValue } from './transform-value.ts'

const args = t.Object({
  resampling: t.Union([t.Literal('nearest'), t.Literal('bilinear')]),
  edition: t.Optional(t.Integer({ maximum: 0 })),
  ...cellCleaningArgs,
  transform: t.Optional(transformSchema),
  classes: t.Optional(classesSchema),
  test: t.Optional(valueTestSchema),
})
type Args = Static<typeof args>

/**
 * Returns the value at the point, nearest or bilinear. With `classes` returns its label, with `test` whether it passes.
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
      return valueOfCell(isBilinear ? bilinear(grid, nodata) : nearestCell(grid, nodata), args)
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

/** The value of a cell without "no data": scaled, transformed, and tested or labelled. */
export function valueOfCell(cell: number | null, args: Args): Value {
  const value = scaleInRange(cell, args)
  const transformedValue = args.transform === undefined ? value : transformValue(value, args.transform)
  if (transformedValue === null) return null
  if (args.test !== undefined) return compileValueTest(args.test)(transformedValue)
  if (args.classes !== undefined) return labelOf(transformedValue, args.classes)
  return transformedValue
}
