import { runCoroutine } from '../../async/maybe-promise.ts'
import type { YieldToEventLoop } from '../../async/incremental-task.ts'
import type { Field } from '../../catalog/records.ts'
import { checkedValueOf } from '../../fetch/checked-outcome.ts'
import { originOf } from '../../fetch/evaluation.ts'
import type { DatasetHandle, SourceOption } from '../../fetch/sources/source-registry.ts'
import type { CellSource } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import { Estimate } from '../../model/estimate.ts'
import { Absent, fieldValueOf, type FieldValue } from '../../model/outcome.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import type { FieldQuery } from '../../operators/operator.ts'
import { operators } from '../../operators/operators.ts'
import { queryExtentOf, type QueryArea, type LineArea } from '../shape/area-geometry.ts'
import {
  type AreaEvaluation,
  type AreaOutcome,
  type ValuedPart,
  classesOutcome,
  shareOutcome,
  sizeOf,
} from '../area-values.ts'
import { CellBlocks } from './cell-blocks.ts'
import { testedPolygonOf, type AreaCoverage } from '../coverage.ts'
import { polygonHasPoint, type TestedPolygon } from '../shape/line-cuts.ts'
import { cellValueAt, rasterOutcome, type RasterRead } from './raster-outcome.ts'
import { pointAlong } from '../../geo/representative-point.ts'
import { roundTo } from '../../model/round.ts'
import { WeightedValues } from '../weighted-values.ts'

type Deps = {
  area: QueryArea
  coverage: AreaCoverage
  budget: Budget
  now: Date
  yieldToEventLoop: YieldToEventLoop
  /** Whether the cells are needed for a map. */
  isDrawn: boolean
}

/**
 * Reads the cells of the first option that has them for all of the area, or samples them along lines. An option with
 * cells for a part of it counts only if no other option fails.
 */
export async function evaluateRaster(field: Field, handle: DatasetHandle, deps: Deps): Promise<AreaEvaluation> {
  let failure: UpstreamError | null = null
  let best: AreaEvaluation | null = null
  for (const option of handle.options) {
    if (!option.rasterPieces) continue
    try {
      const read = await readOption(field, handle, option, deps)
      if (!read) continue
      if (!best || read.outcome.covered_share > best.outcome.covered_share)
        best = {
          outcome: read.outcome,
          origin: originOf(handle, option, field.read),
          ...(read.blocks && { blocks: read.blocks }),
        }
      if (read.isComplete) return best
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      failure ??= error
    }
  }
  if (failure || !best) throw failure ?? noOptionError(handle)
  return best
}

/** The outcome of one option, and whether it has cells for all of the area; null if it has none. */
async function readOption(
  field: Field,
  { dataset }: DatasetHandle,
  option: SourceOption,
  { area, coverage, budget, now, yieldToEventLoop, isDrawn }: Deps,
): Promise<{ outcome: AreaOutcome; isComplete: boolean; blocks?: CellBlocks | null } | null> {
  const read = field.read as RasterRead
  const { regions } = dataset.coverage
  const { level } = read as { level?: number }
  const query = { at: area.point, extent: queryExtentOf(area), ...(level !== undefined && { level }) }
  const pieces = await option.rasterPieces!(query, budget)
  if (pieces.length === 0) return null
  if (area.kind === 'polygon') {
    const within = await runCoroutine(coverage.ringsWithin(area, regions, null))
    const blocks = isDrawn ? new CellBlocks(field, area.extent) : null
    const result = await rasterOutcome(field, { read, pieces }, { area, within, blocks }, { budget, yieldToEventLoop })
    return { ...result, blocks }
  }
  const { covers } = await runCoroutine(coverage.lineCoverage(regions, null))
  const tested = pieces.map((piece) => ({ ...piece, polygons: piece.polygons?.map(testedPolygonOf) ?? null }))
  let isComplete = true
  const outcome = await lineOutcome(field, area, async (at) => {
    await yieldToEventLoop()
    if (!covers(at)) return outsideSample
    const piece = tested.find(({ cells, polygons }) => hasPoint(cells, at) && isInSome(polygons, at))
    if (!piece) isComplete = false
    if (!piece) return outsideSample
    if (!piece.cells) return { value: null, reason: 'no_data' }
    const value = option.remote
      ? cellValueAt(read, piece.cells, at, budget)
      : operatorValueAt(read, option, { at, key: null, inputs: {}, now }, budget)
    return sampleOf(field, await value)
  })
  return { outcome, isComplete }
}

const outsideSample = { value: null, reason: 'outside_coverage' as const }

function isInSome(polygons: readonly TestedPolygon[] | null, { lat, lng }: Point): boolean {
  return polygons === null || polygons.some((polygon) => polygonHasPoint(polygon, lng, lat))
}

function hasPoint(cells: CellSource | null, at: Point): boolean {
  if (!cells) return true
  const { x, y } = cells.positionOf(at)
  return x >= 0 && x < cells.width && y >= 0 && y < cells.height
}

/** An operator whose arguments and source the catalog has checked. */
type RasterOperator = {
  run: (
    args: never,
    source: never,
    query: FieldQuery,
    budget: Budget,
  ) => ReturnType<(typeof operators)['sample']['run']>
}

/** The value that a point has. */
async function operatorValueAt(
  read: RasterRead,
  { source }: SourceOption,
  query: FieldQuery,
  budget: Budget,
): Promise<FieldValue> {
  const { run } = operators[read.op] as RasterOperator
  return fieldValueOf(await run(read as never, source as never, query, budget))
}

function sampleOf(field: Field, value: FieldValue): Pick<ValuedPart, 'value' | 'reason'> {
  if (value instanceof Absent) return { value: null, reason: value.reason }
  return { value: checkedValueOf(field, value instanceof Estimate ? value.value : value), reason: null }
}

/** No option can answer about an area: either none is available, or only services that answer points. */
export function noOptionError({ id, dataset, options, unavailableError }: DatasetHandle): UpstreamError {
  if (options.length === 0) return unavailableError()
  return new UpstreamError(
    'unsupported_request',
    `${dataset.title} (${id}) is available on this server only for points.${dataset.serve.some(({ driver }) => driver === 'pack') ? ' To get a value for an area, install its pack. See /guide/packs-and-offline#download-a-pack.' : ''}`,
  )
}

/** A raster is read at no more points of a line, this far apart at least. */
const samplesMax = 500
const spacingMin_m = 10

/** A sample stands for the stretch around it, up to the middle between it and its neighbors. */
type Sample = ValuedPart & { at_m: number }

/** Returns the value at a place, with the reason if there is none. */
type SampleAt = (at: Point) => Promise<Pick<ValuedPart, 'value' | 'reason'>>

/** Summarizes a raster along lines, from samples at equal distances. */
async function lineOutcome(field: Field, area: LineArea, sampleAt: SampleAt): Promise<AreaOutcome> {
  const samples: Sample[] = []
  for (const { at, at_m, from_m, to_m } of placesOn(area)) {
    const stretch = { from_m, to_m, x: at.lng, y: at.lat }
    samples.push({ at_m, size: to_m - from_m, stretch, ...(await sampleAt(at)) })
  }
  const notes = `From ${samples.length} samples at equal distances along the line.`
  if (field.type === 'boolean') return { ...shareOutcome(area, samples, 0), notes }
  if (field.type === 'string') return { ...classesOutcome(area, samples, 0), notes }
  return { ...statisticsOutcome(area, samples), notes }
}

function statisticsOutcome(area: LineArea, samples: Sample[]): AreaOutcome {
  const outcome = classesOutcome(area, samples, 0)
  if (outcome.value === null) return outcome
  const numbers = new WeightedValues(1)
  for (const { value } of samples) if (typeof value === 'number') numbers.add(value, 1)
  const covered = samples.reduce((sum, { value, size }) => sum + (value === null ? 0 : size), 0)
  const profile = samples.map(({ at_m, value }): [number, number | null] => [
    roundTo(at_m, 1),
    typeof value === 'number' ? value : null,
  ])
  return {
    ...outcome,
    covered_share: sizeOf(area, covered).share,
    value: { ...numbers.statistics(), profile },
  }
}

/** The sampled places, with the stretch that each stands for. Distances count over all lines. */
function* placesOn({ lines, lengths_m }: LineArea) {
  const length_m = lengths_m.reduce((sum, it) => sum + it, 0)
  const count = Math.min(samplesMax, Math.max(2, Math.floor(length_m / spacingMin_m) + 1))
  const step_m = length_m / (count - 1)
  for (let i = 0; i < count; i++) {
    const at_m = i * step_m
    yield {
      at: placeAt(lines, lengths_m, at_m),
      at_m,
      from_m: Math.max(0, at_m - step_m / 2),
      to_m: Math.min(length_m, at_m + step_m / 2),
    }
  }
}

function placeAt(lines: LineArea['lines'], lengths_m: readonly number[], at_m: number): Point {
  let rest_m = at_m
  for (const [i, line] of lines.entries()) {
    if (rest_m <= lengths_m[i]! || i === lines.length - 1) return pointAlong(line, rest_m)
    rest_m -= lengths_m[i]!
  }
  throw new Error('An area has at least one line.')
}
