import { runCoroutine } from '../../async/maybe-promise.ts'
import type { Field, ReadSpec } from '../../catalog/records.ts'
import { checkedValueOf } from '../../fetch/checked-outcome.ts'
import type { GridRings } from '../../geo/overlay/overlay.ts'
import type { RasterPiece, CellSource } from '../../model/area.ts'
import { fieldValueOf, type FieldValue } from '../../model/outcome.ts'
import type { Point } from '../../model/place.ts'
import type { Budget, Grid, Value } from '../../model/source.ts'
import { cleanCell } from '../../operators/raster/cells.ts'
import { compileCellValue } from '../../operators/raster/sample.ts'
import { windowValueOf } from '../../operators/raster/window.ts'
import type { AreaAbsentReason, AreaValue } from '../area-answer.ts'
import { roundedNumber, sizeOf, type AreaOutcome } from '../area-values.ts'
import type { PolygonArea } from '../shape/area-geometry.ts'
import type { CellBlocks } from './cell-blocks.ts'
import { nearPolygons } from '../coverage.ts'
import { ringsWithin } from '../shape/partition.ts'
import { visitCoveredCells, type CoveredCell } from './raster-cells.ts'
import { WeightedValues } from '../weighted-values.ts'

/** The reads that summarize cells. */
export type RasterRead = Extract<ReadSpec, { op: 'sample' | 'window' }>

type Deps = Parameters<typeof visitCoveredCells>[2]

/**
 * Summarizes the cells that the covered part of an area touches. A cell counts by the fraction of it that lies in that
 * part. `within`: the rings of this part. Each piece of the raster counts in its own rings. `blocks` receives the cells
 * for a map.
 */
export async function rasterOutcome(
  field: Field,
  { read, pieces }: { read: RasterRead; pieces: readonly RasterPiece[] },
  { area, within, blocks }: { area: PolygonArea; within: GridRings; blocks: CellBlocks | null },
  deps: Deps,
): Promise<{ outcome: AreaOutcome; isComplete: boolean }> {
  const { overlay, area_m2 } = area
  const valueOf = cellValueOf(read)
  const tally = new CellTally(field)
  let rest = within
  let missing_m2 = 0
  for (const { cells, polygons } of pieces) {
    const rings =
      polygons === null
        ? rest
        : await runCoroutine(
            ringsWithin(overlay, { polygons: nearPolygons(polygons, area) }, rest, deps.yieldToEventLoop),
          )
    rest = polygons === null ? [] : (await overlay.split(rest, rings)).rest
    if (rings.length === 0) continue
    if (cells === null) missing_m2 += overlay.area_m2(rings)
    else {
      const addToBlock = blocks?.addGrid(cells)
      await visitCoveredCells(cells, overlay.toPaths(rings), deps, (cell) => {
        if (!cell.isInside) return tally.addOutside(cell.fraction)
        const value = valueOf(cell)
        tally.add(value, cell.fraction)
        addToBlock?.(cell.left + cell.column, cell.top + cell.row, value, cell.fraction)
      })
    }
  }
  const rest_m2 = overlay.area_m2(rest)
  const outside_m2 = area_m2 - overlay.area_m2(within) + rest_m2
  const cells_m2 = area_m2 - outside_m2 - missing_m2
  const { total } = tally
  const isComplete = tally.outside <= negligibleShare * total && rest_m2 <= negligibleShare * area_m2
  if (total === 0 && missing_m2 === 0)
    return { outcome: { value: null, reason: 'outside_coverage', covered_share: 0 }, isComplete: false }
  const sizeOfCells = (fractions: number) => (total === 0 ? 0 : (fractions / total) * cells_m2)
  const share = (fractions: number) => sizeOf(area, sizeOfCells(fractions))
  const outside = [
    { reason: 'no_data' as AreaAbsentReason, ...sizeOf(area, sizeOfCells(tally.empty) + missing_m2) },
    { reason: 'outside_coverage' as AreaAbsentReason, ...sizeOf(area, sizeOfCells(tally.outside) + outside_m2) },
  ]
  const absent_parts = outside.filter((part) => part.share > 0).toSorted((a, b) => b.share - a.share)
  const absent = absent_parts.length > 0 && { absent_parts }
  const outcome: AreaOutcome =
    tally.covered === 0
      ? { value: null, reason: absent_parts[0]?.reason ?? 'no_data', covered_share: 0, ...absent }
      : { value: tally.summary(share), reason: null, covered_share: share(tally.covered).share, ...absent }
  return { outcome, isComplete }
}

/** Smaller shares are rounding. */
const negligibleShare = 1e-9

/** The value of the cell that contains a point. */
export async function cellValueAt(read: RasterRead, cells: CellSource, at: Point, budget: Budget): Promise<FieldValue> {
  const { x, y } = cells.positionOf(at)
  const rect = { column: Math.floor(x) - 1, row: Math.floor(y) - 1, width: 3, height: 3 }
  const grid = await cells.read(rect, budget)
  return fieldValueOf(cellValueOf(read)({ grid, column: 1, row: 1 }))
}

function cellValueOf(read: RasterRead): CellValue {
  return read.op === 'sample' ? sampleReader(read) : windowReader(read)
}

type CellValue = (cell: Pick<CoveredCell, 'grid' | 'column' | 'row'>) => Value

function sampleReader(read: Extract<RasterRead, { op: 'sample' }>): CellValue {
  const valueOf = compileCellValue(read)
  return ({ grid: { cells, width }, column, row }) =>
    valueOf(cleanCell(cells[row * width + column] ?? null, read.nodata))
}

/** The window of nine cells around a cell is one object, which is filled again for each cell. */
function windowReader(read: Extract<RasterRead, { op: 'window' }>): CellValue {
  const nine: Grid = { width: 3, height: 3, at_x: 1.5, at_y: 1.5, cells: Array.from({ length: 9 }, () => null) }
  return ({ grid, column, row }) => {
    for (let i = 0; i < 9; i++)
      nine.cells[i] = grid.cells[(row - 1 + Math.floor(i / 3)) * grid.width + column - 1 + (i % 3)] ?? null
    nine.cell_x_m = grid.cell_x_m!
    nine.cell_y_m = grid.cell_y_m!
    return windowValueOf(nine, read)
  }
}

/** Adds up cells by value, each with its fraction. */
class CellTally {
  readonly #field: Field
  readonly #numbers: WeightedValues
  readonly #byClass = new Map<string | boolean, number>()
  covered = 0
  empty = 0
  outside = 0

  constructor(field: Field) {
    this.#field = field
    this.#numbers = new WeightedValues(10 ** -(field.decimals ?? defaultDecimals) / 10)
  }

  get total(): number {
    return this.covered + this.empty + this.outside
  }

  addOutside(fraction: number): void {
    this.outside += fraction
  }

  add(value: Value, fraction: number): void {
    if (value === null) {
      this.empty += fraction
      return
    }
    this.covered += fraction
    if (typeof value === 'number') this.#numbers.add(value, fraction)
    else this.#byClass.set(value, (this.#byClass.get(value) ?? 0) + fraction)
  }

  summary(share: (fractions: number) => { area_m2?: number; share: number }): AreaValue {
    const cells = (fractions: number) => roundedNumber(fractions)
    if (!this.#numbers.isEmpty) {
      const checked = (value: number) => Number(checkedValueOf(this.#field, value))
      const { mean, sd, ...values } = this.#numbers.statistics()
      const [min, max, p10, p50, p90] = [values.min, values.max, values.p10, values.p50, values.p90].map(checked)
      return { mean, min: min!, max: max!, sd, p10: p10!, p50: p50!, p90: p90!, cells: cells(this.covered) }
    }
    if (this.#field.type === 'boolean') {
      const holds = this.#byClass.get(true) ?? 0
      const { share: share_true, ...size } = share(holds)
      return { share_true, ...size, any: holds > 0, all: 1 - share_true <= negligibleShare, cells: cells(this.total) }
    }
    return {
      classes: [...this.#byClass]
        .toSorted(([, a], [, b]) => b - a)
        .map(([value, fractions]) => ({
          value: checkedValueOf(this.#field, value),
          ...share(fractions),
          cells: cells(fractions),
        })),
    }
  }
}

const defaultDecimals = 3
