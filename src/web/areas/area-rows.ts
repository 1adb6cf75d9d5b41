import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { AreaAbsentReason, AreaFieldResult, AreaValue } from '../../areas/area-answer.ts'
import type { Value } from '../../model/source.ts'
import { displayValueOf, fieldLabel, numberText, standaloneValueText, valueText } from '../value-text.ts'

/** A part of an area as a bar. `value`: the value of the part; undefined if it has none. */
export type ShareRow = { label: string; value?: Value; share: number; size: string }

/** A number with its name. */
type NamedText = { label: string; text: string }

/** The value of a field: a sentence or a number, its parts as bars, and further numbers. */
type ValueDisplay = { main: string; rows: ShareRow[]; facts: NamedText[] }

/** What a field says about an area. `absent`: the parts without a value, which a list never leaves out. */
export type AreaDisplay = ValueDisplay & { absent: ShareRow[] }

type Options = { name: string; units: UnitSystem; class_labels?: Record<string, string> | undefined }
type OkResult = Extract<AreaFieldResult, { status: 'ok' }>
type Sized = { area_m2?: number | undefined; length_m?: number | undefined }

/** Formats the value of a field for an area. */
export function areaDisplayOf(result: OkResult, options: Options): AreaDisplay {
  return { ...displayOfValue(result, options), absent: absentRows(result, options.units) }
}

/** The parts without a value, by reason. */
export function absentRows({ absent_parts = [] }: AreaFieldResult, units: UnitSystem): ShareRow[] {
  return absent_parts.map(({ reason, share, ...size }) => ({
    label: absentTexts[reason],
    share,
    size: sizeText(size, units),
  }))
}

export const absentTexts: Record<AreaAbsentReason, string> = {
  outside_coverage: 'Not covered by the source',
  not_mapped: 'Not mapped yet',
  no_data: 'No data',
  none_within_radius: 'None within the search radius',
  not_for_areas: 'Not defined for areas',
}

function displayOfValue(
  { value, unit, covered_share }: OkResult,
  { name, units, class_labels }: Options,
): ValueDisplay {
  const textOf = (it: Value) => displayValueOf(name, { value: it, unit }, { units, class_labels }).first
  const labelOf = (it: Value) => {
    const label = class_labels?.[String(it)]
    return label === undefined ? textOf(it) : `${textOf(it)}: ${label}`
  }
  if ('classes' in value) return classesDisplay(value, labelOf, units)
  if ('share_true' in value) return shareDisplay(value, covered_share, units)
  if ('mean' in value) return statisticsDisplay(value, textOf)
  if ('units' in value) return unitsDisplay(value, textOf, units)
  if ('count' in value) return countDisplay(value, units)
  if ('distance_m' in value) return nearestDisplay(value, textOf, units)
  return { main: textOf(value.value), rows: [], facts: [] }
}

function classesDisplay(
  { classes }: Extract<AreaValue, { classes: unknown }>,
  labelOf: (value: Value) => string,
  units: UnitSystem,
): ValueDisplay {
  const rows = classes.map(({ value, share, ...size }) => ({
    label: labelOf(value),
    value,
    share,
    size: sizeText(size, units),
  }))
  const [first] = rows
  return { main: first ? `${first.label} ${percentText(first.share)}` : '', rows, facts: [] }
}

/** Where the source has no value, the field is not false. */
function shareDisplay(
  value: Extract<AreaValue, { share_true: number }>,
  covered_share: number,
  units: UnitSystem,
): ValueDisplay {
  const { share_true, any } = value
  const none = covered_share < 1 ? `No in ${percentText(covered_share)}` : 'No'
  const row = { label: 'Yes', value: true, share: share_true, size: sizeText(value, units) }
  return { main: any ? `Yes in ${percentText(share_true)}` : none, rows: [row], facts: [] }
}

function statisticsDisplay(
  { mean, min, max, sd, p10, p50, p90, cells }: Extract<AreaValue, { mean: number }>,
  textOf: (value: Value) => string,
): ValueDisplay {
  const facts = {
    Mean: mean,
    Lowest: min,
    Highest: max,
    'Standard deviation': sd,
    '10th percentile': p10,
    Median: p50,
    '90th percentile': p90,
  }
  return {
    main: `${textOf(min)} to ${textOf(max)}`,
    rows: [],
    facts: [
      ...Object.entries(facts).map(([label, value]) => ({ label, text: textOf(value) })),
      ...(cells === undefined ? [] : [{ label: 'Raster cells', text: numberText(cells) }]),
    ],
  }
}

function unitsDisplay(
  { units: parts, apportioned_sum }: Extract<AreaValue, { units: unknown }>,
  textOf: (value: Value) => string,
  system: UnitSystem,
): ValueDisplay {
  const rows = parts.map(({ key, value, share, ...size }) => ({
    label: `${key}: ${value === null ? 'no data' : textOf(value)}`,
    ...(value !== null && { value }),
    share,
    size: sizeText(size, system),
  }))
  const main = apportioned_sum === undefined ? (rows[0]?.label ?? '') : `About ${textOf(apportioned_sum)}`
  return { main, rows, facts: [] }
}

function countDisplay({ count, ...size }: Extract<AreaValue, { count: number }>, units: UnitSystem): ValueDisplay {
  const inside = sizeText(size, units)
  return { main: numberText(count), rows: [], facts: inside === '' ? [] : [{ label: 'Inside the area', text: inside }] }
}

function nearestDisplay(
  { distance_m, value, feature = {} }: Extract<AreaValue, { distance_m: number }>,
  textOf: (value: Value) => string,
  units: UnitSystem,
): ValueDisplay {
  const distance = distance_m === 0 ? 'Inside or crossing' : `${lengthText(distance_m, units)} from the edge`
  const facts = Object.entries(feature).map(([name, it]) => ({
    label: fieldLabel(name, null),
    text: displayValueOf(name, { value: it, unit: null }, { units }).first,
  }))
  return value === undefined
    ? { main: distance, rows: [], facts }
    : { main: textOf(value), rows: [], facts: [{ label: 'Distance', text: distance }] }
}

/** A share in percent. A share between 0 and 1 is never rounded to 0% or 100%. */
export function percentText(share: number): string {
  if (share > 0 && share < 0.001) return 'less than 0.1%'
  if (share < 1 && share > 0.999) return 'more than 99.9%'
  return `${Number((100 * share).toFixed(1))}%`
}

const acre_m2 = 4046.8564224
const squareMile_m2 = 2_589_988.110336
const squareFoot_m2 = 0.09290304

/** A size in the preferred units; empty for one without an area or a length. */
export function sizeText({ area_m2, length_m }: Sized, units: UnitSystem): string {
  if (length_m !== undefined) return lengthText(length_m, units)
  if (area_m2 === undefined) return ''
  const steps: [from_m2: number, unit_m2: number, unit: string][] =
    units === 'us'
      ? [
          [10 * squareMile_m2, squareMile_m2, 'sq mi'],
          [acre_m2 / 10, acre_m2, 'acres'],
          [0, squareFoot_m2, 'sq ft'],
        ]
      : [
          [1e7, 1e6, 'km²'],
          [1e4, 1e4, 'ha'],
          [0, 1, 'm²'],
        ]
  const [, unit_m2, unit] = steps.find(([from_m2]) => area_m2 >= from_m2)!
  return valueText({ value: Number((area_m2 / unit_m2).toPrecision(4)), unit })
}

export function lengthText(length_m: number, units: UnitSystem): string {
  return units === 'us'
    ? displayValueOf('distance_m', { value: length_m, unit: 'm' }, { units }).first
    : standaloneValueText({ value: Number(length_m.toPrecision(4)), unit: 'm' })
}
