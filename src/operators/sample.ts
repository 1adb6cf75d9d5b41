import type { Static } from '@sinclair/typebox'
import type { Grid, Value } from '../model/source.ts'
import { cellCleaning, cellIn, nearestCell, ranged, type NoData } from './cells.ts'
import { classes, labelled } from './codes.ts'
import { operator, t } from './operator.ts'
import { passes, test } from './tested.ts'
import { transform, transformed } from './transformed.ts'

const args = t.Object({
  resampling: t.Union([t.Literal('nearest'), t.Literal('bilinear')]),
  edition: t.Optional(t.Integer({ maximum: 0 })),
  ...cellCleaning,
  transform: t.Optional(transform),
  classes: t.Optional(classes),
  test: t.Optional(test),
})
type Args = Static<typeof args>

/** The value of the cell that holds the point, or of the cells round it; with classes its label, with a test whether it passes. */
export const sample = operator({
  over: 'raster',
  args,
  async run(args, raster, { at }, budget) {
    const { resampling, edition, nodata } = args
    const isBetween = resampling === 'bilinear'
    const grid = await raster({ at, radius_cells: isBetween ? 1 : 0, ...(edition !== undefined && { edition }) }, budget)
    return said(isBetween ? bilinear(grid, nodata) : nearestCell(grid, nodata), args)
  },
})

/**
 * The value between the four cell centres round the point, by its distance from each. Cells without data count for nothing;
 * null where the cell that holds the point has none.
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
  return corners.reduce((sum, { cell, weight }) => sum + cell * weight, 0) / corners.reduce((sum, { weight }) => sum + weight, 0)
}

function said(cell: number | null, args: Args): Value {
  const value = ranged(cell, args)
  const formed = args.transform === undefined ? value : transformed(value, args.transform)
  if (formed === null) return null
  if (args.test !== undefined) return passes(args.test)(formed)
  if (args.classes !== undefined) return labelled(formed, args.classes)
  return formed
}
