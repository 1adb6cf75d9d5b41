import { circle } from './cells.ts'
import { codes, codesOf } from './codes.ts'
import { operator, t } from './operator.ts'

/** The share of some classes among the cells of a circle, in percent. Cells without data and excluded codes do not count; null when none is left. */
export const zonal = operator({
  over: 'raster',
  args: t.Object({
    radius_m: t.Number({ exclusiveMinimum: 0 }),
    reducer: t.Literal('class_share'),
    /** The codes whose share is asked. */
    numerator: codes,
    exclude: t.Optional(t.Array(t.Number())),
    edition: t.Optional(t.Integer({ maximum: 0 })),
  }),
  async run({ radius_m, numerator, exclude, edition }, raster, { at }, budget) {
    const grid = await raster({ at, radius_cells: 0, radius_m, ...(edition !== undefined && { edition }) }, budget)
    const wanted = new Set(codesOf(numerator))
    const cells = circle(grid, radius_m, exclude).filter((cell) => cell !== null)
    return cells.length === 0 ? null : (100 * cells.filter((cell) => wanted.has(cell)).length) / cells.length
  },
})
