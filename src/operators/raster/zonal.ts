import { cellsWithinRadius } from './cells.ts'
import { codesSchema, codesOf } from '../value/codes.ts'
import { defineOperator, t } from '../operator.ts'

/**
 * Returns the percentage of cells in a circle with the given classes. Ignores cells without data and excluded codes.
 * null if none are left.
 */
export const zonalOperator = defineOperator({
  shape: 'raster',
  args: t.Object({
    radius_m: t.Number({ exclusiveMinimum: 0 }),
    reducer: t.Literal('class_share'),
    /** The codes to count. */
    numerator: codesSchema,
    exclude: t.Optional(t.Array(t.Number())),
    edition: t.Optional(t.Integer({ maximum: 0 })),
  }),
  async run({ radius_m, numerator, exclude = [], edition }, raster, { at, onRecordsUsed }, budget) {
    const grid = await raster({ at, radius_cells: 0, radius_m, ...(edition !== undefined && { edition }) }, budget)
    onRecordsUsed?.([grid])
    const counts = new Map(Object.entries(grid.counts ?? countCodes(cellsWithinRadius(grid, radius_m, exclude))))
    for (const code of exclude) counts.delete(String(code))
    const numeratorCells = codesOf(numerator).reduce<number>((sum, code) => sum + (counts.get(String(code)) ?? 0), 0)
    const allCells = counts.values().reduce((sum, count) => sum + count, 0)
    return allCells === 0 ? null : (100 * numeratorCells) / allCells
  },
})

function countCodes(cells: (number | null)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const cell of cells) {
    if (cell !== null) counts[cell] = (counts[cell] ?? 0) + 1
  }
  return counts
}
