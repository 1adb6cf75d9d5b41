import type { Static } from '@sinclair/typebox'
import { UpstreamError } from '../../model/error.ts'
import type { Value } from '../../model/source.ts'
import { cellCleaningArgs, nearestCell, scaleCell } from './cells.ts'
import { classesSchema, codesSchema, codesOf, labelOf } from '../value/codes.ts'
import { defineOperator, t } from '../operator.ts'
import { reduceValues } from '../value/reduce-values.ts'

const args = t.Object({
  /** Editions relative to the newest: 0 is the newest, -1 the one before. */
  editions: t.Array(t.Integer({ maximum: 0 }), { minItems: 2, maxItems: 20 }),
  reducer: t.Union([t.Literal('mode'), t.Literal('mode_count'), t.Literal('join'), t.Literal('difference')]),
  /** Cells with other codes are ignored. */
  keep_codes: t.Optional(codesSchema),
  /** In a tie of modes, prefers the newer edition. Default: the edition that is listed first. */
  tie: t.Optional(t.Literal('most_recent')),
  separator: t.Optional(t.String()),
  classes: t.Optional(classesSchema),
  ...cellCleaningArgs,
})
type Args = Static<typeof args>
type EditionCell = { edition: number; cell: number | null; year: number | undefined }

/**
 * Reduces the cell at the point in several editions: the mode, the count of the mode, all values joined, or the first
 * minus the last.
 */
export const seriesOperator = defineOperator({
  shape: 'raster',
  args,
  async run(args, raster, { at, onRecordsUsed }, budget) {
    const editionCells = args.editions.map(async (edition) => {
      const grid = await raster({ at, radius_cells: 0, edition }, budget)
      return {
        edition,
        cell: keepListedCode(scaleCell(nearestCell(grid, args.nodata), args), args),
        year: grid.year,
      }
    })
    const cells = requireOneNewestYear(await Promise.all(editionCells))
    onRecordsUsed?.(cells)
    return reduceEditions(cells, args)
  },
})

/**
 * Throws if a new edition appeared while responses were cached: then cached and new responses count from different
 * years.
 */
function requireOneNewestYear(editionCells: EditionCell[]): EditionCell[] {
  const newestYears = new Set(editionCells.flatMap(({ edition, year }) => (year === undefined ? [] : [year - edition])))
  if (newestYears.size < 2) return editionCells
  throw new UpstreamError(
    'bad_response',
    `The source published a new edition during the request. The years ${editionCells.map(({ year }) => year).join(', ')} do not match. Retry later.`,
  )
}

function keepListedCode(cell: number | null, { keep_codes }: Args): number | null {
  return cell === null || keep_codes === undefined || codesOf(keep_codes).includes(cell) ? cell : null
}

function reduceEditions(editionCells: EditionCell[], { reducer, tie, separator, classes }: Args): Value {
  const label = (cell: number | null) => (classes === undefined ? cell : labelOf(cell, classes))
  const cells = editionCells.map(({ cell }) => cell)
  if (reducer === 'join') return reduceValues(cells.map(label), 'join', separator)
  if (reducer === 'difference') return difference(cells.at(0) ?? null, cells.at(-1) ?? null)
  const ordered =
    tie === 'most_recent' ? editionCells.toSorted((a, b) => b.edition - a.edition).map(({ cell }) => cell) : cells
  const mostFrequent = mostFrequentCell(ordered.filter((cell) => cell !== null))
  if (mostFrequent === null) return null
  return reducer === 'mode' ? label(mostFrequent.cell) : mostFrequent.count
}

function difference(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b
}

/** The most frequent cell and its count. The first one in a tie. */
function mostFrequentCell(cells: number[]): { cell: number; count: number } | null {
  const counts = new Map<number, number>()
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  return [...counts]
    .map(([cell, count]) => ({ cell, count }))
    .reduce<{ cell: number; count: number } | null>(
      (best, entry) => (best && best.count >= entry.count ? best : entry),
      null,
    )
}
