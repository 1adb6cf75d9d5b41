import type { ReadSpec, Field } from '../catalog/records.ts'
import { checkedValueOf, requirePastDate } from '../fetch/checked-outcome.ts'
import type { Evaluation } from '../fetch/evaluation.ts'
import { Absent, noData, type AbsentReason } from '../model/outcome.ts'
import { roundTo, roundToDigits } from '../model/round.ts'
import type { Feature, Properties } from '../model/source.ts'
import type { FieldQuery, LocalRead } from '../operators/operator.ts'
import { operators } from '../operators/operators.ts'
import type { QueryArea } from './shape/area-geometry.ts'
import type { AreaAbsentReason, AreaValue } from './area-answer.ts'
import type { CellBlocks } from './raster/cell-blocks.ts'
import type { AreaPart, JoinedFeature } from './shape/partition.ts'

/** A part of an area with the value of the field in it, or the reason why there is none. */
export type ValuedPart = { size: number; value: string | number | boolean | null; reason: AbsentReason | null } & Pick<
  AreaPart,
  'stretch' | 'rings'
>

/** The value of a field for an area; null with the reason why there is none. */
export type AreaOutcome = {
  value: AreaValue | null
  reason: AreaAbsentReason | null
  covered_share: number
  absent_parts?: AbsentPart[]
  notes?: string
}
/** The outcome of a field for an area, with the option that answered. */
export type AreaEvaluation = Pick<Evaluation, 'origin' | 'date' | 'freshness'> & {
  outcome: AreaOutcome
  /** The parts that the outcome sums up. Undefined for a raster. */
  parts?: readonly ValuedPart[]
  /** The cells of a raster in a polygon, if they are drawn. */
  blocks?: CellBlocks
}
type AbsentPart = { reason: AreaAbsentReason; area_m2?: number; length_m?: number; share: number }

/** A read of the features that contain a point. */
export type ContainingRead = Extract<ReadSpec, { op: 'attribute' | 'within' }>

/**
 * Returns the value of a field in each part. The operator of the field gets the features of the part as if they were
 * those that contain a point, so that a part has the same value as every point in it. `onRecordsUsed` as in
 * `FieldQuery`.
 */
export function valuesOfParts(
  field: Field,
  read: ContainingRead,
  parts: readonly AreaPart[],
  { now, onRecordsUsed }: Pick<FieldQuery, 'now' | 'onRecordsUsed'>,
): ValuedPart[] {
  const valueOf = valueOfRead(read)
  if (parts.length === 1) return [valuedPart(parts[0]!, valueAt(parts[0]!.features))]
  const known = new Map<JoinedFeature | string, PartValue>()
  return parts.map((part) => {
    const { features } = part
    const members = features.length === 1 ? features[0]! : JSON.stringify(features.map(({ key }) => key))
    const value = known.get(members) ?? valueAt(features)
    known.set(members, value)
    return valuedPart(part, value)
  })

  function valueAt(features: JoinedFeature[]): PartValue {
    const value = valueOf(featuresAtPoint(features), onRecordsUsed ? { onRecordsUsed } : {}) ?? noData
    requirePastDate(field, value, now)
    return value instanceof Absent
      ? { value: null, reason: value.reason }
      : { value: checkedValueOf(field, value), reason: null }
  }
}

type PartValue = Pick<ValuedPart, 'value' | 'reason'>

function valuedPart({ size, rings, stretch }: AreaPart, { value, reason }: PartValue): ValuedPart {
  return { size, rings, stretch, value, reason }
}

/** The compiled reads of the catalog. */
const compiledReads = new WeakMap<ContainingRead, LocalRead['valueOf']>()

function valueOfRead(read: ContainingRead): LocalRead['valueOf'] {
  const known = compiledReads.get(read)
  if (known) return known
  const { valueOf } = operators[read.op].localRead!(read as never)
  compiledReads.set(read, valueOf)
  return valueOf
}

/** Of several features, each has its area, because a field may read the smallest. */
function featuresAtPoint(features: readonly JoinedFeature[]): Feature[] {
  return features.map(({ properties, featureArea_m2 }) => ({
    properties: features.length > 1 && featureArea_m2 ? withArea(properties, featureArea_m2) : properties,
    distance_m: 0,
  }))
}

function withArea(properties: Properties, area_m2: () => number): Properties {
  return 'area' in properties ? properties : { ...properties, area: area_m2() }
}

/** Sums up the parts of a field with classes. `outside`: the size of the area outside the coverage of the source. */
export function classesOutcome(area: QueryArea, parts: readonly ValuedPart[], outside: number): AreaOutcome {
  const classes = sizesBy(parts, ({ value }) => value)
  const value = { classes: largestFirst(classes).map(([it, size]) => ({ value: it, ...sizeOf(area, size) })) }
  return outcomeOfParts(area, parts, outside, withCrossings(value, area, parts))
}

/** Sums up the parts of a field that is true or false. */
export function shareOutcome(area: QueryArea, parts: readonly ValuedPart[], outside: number): AreaOutcome {
  const true_size = parts.reduce((sum, { value, size }) => sum + (value === true ? size : 0), 0)
  const { share, ...size } = sizeOf(area, true_size)
  const value = {
    share_true: share,
    ...size,
    any: true_size > 0,
    all: totalSizeOf(area) - true_size <= negligibleShare * totalSizeOf(area),
  }
  return outcomeOfParts(area, parts, outside, withCrossings(value, area, parts))
}

/** Differences up to this share are rounding. */
const negligibleShare = 1e-9

/** The size of an area in square meters, or of lines in meters. */
export function totalSizeOf(area: QueryArea): number {
  return area.kind === 'polygon' ? area.area_m2 : area.lengths_m.reduce((sum, length_m) => sum + length_m, 0)
}

/** A size as members of an answer: rounded to three decimals, as the whole area, and as a share. */
export function sizeOf(area: QueryArea, size: number): { area_m2?: number; length_m?: number; share: number } {
  const total = totalSizeOf(area)
  const share = size === total ? 1 : Math.min(1, Math.max(0, roundTo(size / total, shareDecimals)))
  return area.kind === 'polygon' ? { area_m2: roundTo(size, 3), share } : { length_m: roundTo(size, 3), share }
}

const shareDecimals = 12

/** A number with nine digits, as answers have them. */
export function roundedNumber(value: number): number {
  return roundToDigits(value, 9)
}

/** The outcome of a value with parts. `outside`: the size of the area outside the coverage of the source. */
export function outcomeOfParts(
  area: QueryArea,
  parts: readonly ValuedPart[],
  outside: number,
  value: AreaValue,
): AreaOutcome {
  const total = totalSizeOf(area)
  const reasons = sizesBy(parts, ({ reason }) => reason)
  const outsideSize = outside > negligibleShare * total ? outside : 0
  if (outsideSize > 0) reasons.set('outside_coverage', (reasons.get('outside_coverage') ?? 0) + outsideSize)
  const covered = parts.reduce((sum, part) => sum + (part.value === null ? 0 : part.size), 0)
  const outcome: AreaOutcome =
    covered === 0
      ? { value: null, reason: 'no_data', covered_share: 0 }
      : { value, reason: null, covered_share: sizeOf(area, covered).share }
  if (reasons.size === 0) return outcome
  const absent_parts = largestFirst(reasons).map(([reason, size]) => ({ reason, ...sizeOf(area, size) }))
  return { ...outcome, ...(covered === 0 && { reason: absent_parts[0]!.reason }), absent_parts }
}

function largestFirst<K>(sizes: ReadonlyMap<K, number>): [key: K, size: number][] {
  const entries: [K, number][] = []
  for (const entry of sizes) entries.push(entry)
  return entries.length < 2 ? entries : entries.sort(([, a], [, b]) => b - a)
}

function sizesBy<K extends string | number | boolean>(
  parts: readonly ValuedPart[],
  keyOf: (part: ValuedPart) => K | null,
): Map<K, number> {
  const sizes = new Map<K, number>()
  for (const part of parts) {
    const key = keyOf(part)
    if (key !== null) sizes.set(key, (sizes.get(key) ?? 0) + part.size)
  }
  return sizes
}

/** Adds the stretches of a line in order. Neighbors with the same value are joined. */
function withCrossings<V extends object>(value: V, area: QueryArea, parts: readonly ValuedPart[]): V {
  if (area.kind === 'polygon') return value
  const crossings: { from_m: number; to_m: number; value: string | number | boolean }[] = []
  for (const part of parts) {
    if (part.value === null || !part.stretch) continue
    const last = crossings.at(-1)
    const [from_m, to_m] = [roundTo(part.stretch.from_m, 3), roundTo(part.stretch.to_m, 3)]
    if (last?.value === part.value && last.to_m === from_m) last.to_m = to_m
    else crossings.push({ from_m, to_m, value: part.value })
  }
  return { ...value, crossings }
}
