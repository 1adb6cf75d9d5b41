import type { Field } from '../catalog/records.ts'
import { checkedValueOf } from '../fetch/checked-outcome.ts'
import type { Evaluation } from '../fetch/evaluation.ts'
import type { MaybePromise } from '../async/maybe-promise.ts'
import { attributeOf, requireAttribute } from '../geo/attribute.ts'
import { pointInside } from '../geo/representative-point.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate } from '../model/estimate.ts'
import { Absent } from '../model/outcome.ts'
import type { Point } from '../model/place.ts'
import { roundTo } from '../model/round.ts'
import type { QueryArea } from './shape/area-geometry.ts'
import { outcomeOfParts, sizeOf, type AreaEvaluation, type ValuedPart } from './area-values.ts'
import type { AreaPart, JoinedFeature } from './shape/partition.ts'

/** Counts in these units may be divided over the area of a unit and added. Medians, rates and prices may not. */
const additiveUnits = new Set(['people', 'housing units', 'jobs'])

/** More units would take too many requests. */
const unitsMax = 500

/**
 * Evaluates a field for each unit that the area touches, at a point of the unit in the area. Null if it touches none.
 * `outside`: the size of the area outside the coverage of the units. `key`: the attribute with the key of a unit.
 * @throws {UpstreamError} if it fails for one of them: a sum without it would be wrong.
 */
export async function unitsOutcome(
  field: Field,
  area: QueryArea,
  { parts: touched, outside, key: keyAttribute }: { parts: readonly AreaPart[]; outside: number; key: string },
  evaluate: (at: Point) => MaybePromise<Evaluation>,
): Promise<AreaEvaluation | null> {
  const units = unitsOf(touched, keyAttribute)
  if (units.size > unitsMax)
    throw new UpstreamError(
      'too_large',
      `The area touches ${units.size} units that ${field.name} describes. The maximum is ${unitsMax}. Ask about a smaller area.`,
    )
  let last: Evaluation | null = null
  const answers: { key: string; value: string | number | boolean | null; share_of_unit?: number; size: number }[] = []
  const outsideUnits = touched.filter(({ features }) => features.length === 0)
  const parts: ValuedPart[] = outsideUnits.map((part) => ({ ...part, value: null, reason: 'no_data' }))
  for (const [key, unit] of units) {
    last = await evaluate(pointOf(area, unit.parts[0]!))
    const plain = last.value instanceof Estimate ? last.value.value : last.value
    const share_of_unit = unit.unit_m2 === null || area.kind === 'line' ? null : unit.size / unit.unit_m2
    const [value, reason] = plain instanceof Absent ? [null, plain.reason] : [checkedValueOf(field, plain), null]
    parts.push(...unit.parts.map((part) => ({ ...part, value, reason })))
    answers.push({
      key,
      value,
      ...(share_of_unit !== null && { share_of_unit: Math.min(1, roundTo(share_of_unit, 9)) }),
      size: unit.size,
    })
  }
  if (!last) return null
  const value = {
    units: answers.toSorted((a, b) => b.size - a.size).map(({ size, ...unit }) => ({ ...unit, ...sizeOf(area, size) })),
    ...apportionedSum(field, answers),
  }
  const outcome = outcomeOfParts(area, parts, outside, value)
  return {
    outcome: outcome.value !== null && 'apportioned_sum' in value ? { ...outcome, notes: estimateNote } : outcome,
    origin: last.origin,
    parts,
  }
}

const estimateNote =
  'The apportioned_sum is an estimate: it assumes that the value of each unit is spread evenly over the area of the unit.'

type Unit = { size: number; unit_m2: number | null; parts: AreaPart[] }

/** The parts by unit. A part in no unit has no record. */
function unitsOf(parts: readonly AreaPart[], keyAttribute: string): Map<string, Unit> {
  const units = new Map<string, Unit>()
  for (const part of parts) {
    const [feature] = part.features
    if (!feature) continue
    const key = String(requireAttribute(feature.properties, keyAttribute))
    const unit = units.get(key) ?? { size: 0, unit_m2: unitArea_m2(feature), parts: [] }
    unit.size += part.size
    unit.parts.push(part)
    units.set(key, unit)
  }
  return units
}

/** The area of a unit. Soil map units have many polygons, of which only some may be near the area. */
function unitArea_m2({ properties, featureArea_m2 }: JoinedFeature): number | null {
  return attributeOf(properties, 'mukey') === undefined ? (featureArea_m2?.() ?? null) : null
}

function pointOf(area: QueryArea, { rings, stretch }: AreaPart): Point {
  if (area.kind === 'polygon' && rings) return pointInside(area.overlay.toPaths(rings))
  return stretch ? { lat: stretch.y, lng: stretch.x } : area.point
}

/** Counts of the American Community Survey are totals of a tract: of housing units, for example. */
function isAdditive({ type, unit, read }: Field): boolean {
  if (type !== 'integer' || unit === null) return false
  return additiveUnits.has(unit) || (unit === 'count' && read.dataset === 'census_acs5')
}

/** A sum without one of the units would be too small, so there is none then. */
function apportionedSum(
  field: Field,
  answers: readonly { value: string | number | boolean | null; share_of_unit?: number }[],
): { apportioned_sum?: number } {
  if (!isAdditive(field)) return {}
  let sum = 0
  for (const { value, share_of_unit } of answers) {
    if (typeof value !== 'number' || share_of_unit === undefined) return {}
    sum += value * share_of_unit
  }
  return { apportioned_sum: Math.round(10 * sum) / 10 }
}
