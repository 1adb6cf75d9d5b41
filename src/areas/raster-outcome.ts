import type { Field, ReadSpec } from '../catalog/records.ts'
import { checkedValueOf } from '../fetch/checked-outcome.ts'
import type { CellSource, FlatPath } from '../model/area.ts'
import { UpstreamError } from '../model/error.ts'
import type { Grid, Value } from '../model/source.ts'
import { cleanCell } from '../operators/cells.ts'
import { valueOfCell } from '../operators/sample.ts'
import { windowValueOf } from '../operators/window.ts'
import type { AreaAbsentReason, AreaValue } from './area-answer.ts'
import { roundedNumber, sizeOf, type AreaOutcome } from './area-values.ts'
import type { PolygonArea } from './area-geometry.ts'
import { visitCoveredCells, type CoveredCell } from './raster-cells.ts'

/** The reads that summarize cells. */
export type RasterRead = Extract<ReadSpec, { op: 'sample' | 'window' }>

type Deps = Parameters<typeof visitCoveredCells>[2]

/** The most cells of which statistics are made: percentiles need all of them at once. */
const statisticsMax = 4_000_000

/**
 * Summarizes the cells that the covered part of an area touches. A cell counts by the fraction of it that lies in that
 * part. `within`: the rings of this part.
 */
export async function rasterOutcome(
  field: Field,
  { read, cells }: { read: RasterRead; cells: CellSource },
  { area, within, within_m2 }: { area: PolygonArea; within: readonly FlatPath[]; within_m2: number },
  deps: Deps,
): Promise<AreaOutcome> {
  const valueOf = read.op === 'sample' ? sampleReader(read) : windowReader(read)
  const tally = new CellTally(field)
  await visitCoveredCells(cells, within, deps, (cell) => {
    if (cell.isInside) tally.add(valueOf(cell), cell.fraction)
    else tally.addOutside(cell.fraction)
  })
  const total = tally.total
  if (total === 0) return { value: null, reason: 'outside_coverage', covered_share: 0 }
  const share = (fractions: number) => sizeOf(area, (fractions / total) * within_m2)
  const outside = [
    { reason: 'no_data' as AreaAbsentReason, ...share(tally.empty) },
    {
      reason: 'outside_coverage' as AreaAbsentReason,
      ...sizeOf(area, (tally.outside / total) * within_m2 + area.area_m2 - within_m2),
    },
  ]
  const absent_parts = outside.filter((part) => part.share > 0).toSorted((a, b) => b.share - a.share)
  const absent = absent_parts.length > 0 && { absent_parts }
  if (tally.covered === 0)
    return { value: null, reason: absent_parts[0]?.reason ?? 'no_data', covered_share: 0, ...absent }
  return { value: tally.summary(share), reason: null, covered_share: share(tally.covered).share, ...absent }
}

type CellValue = (cell: CoveredCell) => Value

function sampleReader(read: Extract<RasterRead, { op: 'sample' }>): CellValue {
  return ({ grid: { cells, width }, column, row }) =>
    valueOfCell(cleanCell(cells[row * width + column] ?? null, read.nodata), read)
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
  readonly #values: number[] = []
  readonly #fractions: number[] = []
  readonly #byClass = new Map<string | boolean, number>()
  covered = 0
  empty = 0
  outside = 0

  constructor(field: Field) {
    this.#field = field
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
    if (typeof value !== 'number') this.#byClass.set(value, (this.#byClass.get(value) ?? 0) + fraction)
    else if (this.#values.push(value) <= statisticsMax) this.#fractions.push(fraction)
    else
      throw new UpstreamError(
        'too_large',
        `The area has more than ${statisticsMax.toLocaleString('en-US')} cells of the raster. Ask about a smaller area.`,
      )
  }

  summary(share: (fractions: number) => { area_m2?: number; share: number }): AreaValue {
    if (this.#values.length > 0) return this.#statistics()
    const cells = (fractions: number) => roundedNumber(fractions)
    if (this.#field.type === 'boolean') {
      const holds = this.#byClass.get(true) ?? 0
      const { share: share_true, ...size } = share(holds)
      return { share_true, ...size, any: holds > 0, all: holds === this.total, cells: cells(this.total) }
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

  #statistics(): AreaValue {
    const [values, fractions] = [this.#values, this.#fractions]
    const order = Uint32Array.from(values, (_, i) => i).sort((a, b) => values[a]! - values[b]!)
    const checked = (value: number) => Number(checkedValueOf(this.#field, value))
    const mean = values.reduce((sum, value, i) => sum + value * fractions[i]!, 0) / this.covered
    const variance = values.reduce((sum, value, i) => sum + fractions[i]! * (value - mean) ** 2, 0) / this.covered
    const [p10, p50, p90] = percentilesOf(order, this.covered, this)
    return {
      mean: roundedNumber(mean),
      min: checked(values[order[0]!]!),
      max: checked(values[order.at(-1)!]!),
      sd: roundedNumber(Math.sqrt(variance)),
      p10: checked(p10),
      p50: checked(p50),
      p90: checked(p90),
      cells: roundedNumber(this.covered),
    }
  }

  valueAt(i: number): number {
    return this.#values[i]!
  }

  fractionAt(i: number): number {
    return this.#fractions[i]!
  }
}

/** The least values that at least 10, 50 and 90 % of the covered cells do not exceed. */
function percentilesOf(order: Uint32Array, covered: number, tally: CellTally): [number, number, number] {
  const found: number[] = []
  let sum = 0
  for (const i of order) {
    sum += tally.fractionAt(i)
    while (found.length < percentiles.length && sum >= percentiles[found.length]! * covered * (1 - 1e-12))
      found.push(tally.valueAt(i))
  }
  return found as [number, number, number]
}

const percentiles = [0.1, 0.5, 0.9]
