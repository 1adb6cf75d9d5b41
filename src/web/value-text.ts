import { fieldLabels } from '../../catalog/labels.ts'
import { displayQuantityOf, type UnitSystem } from '../ask/answer/display-units.ts'
import type { Quantity } from '../ask/answer/units.ts'
import { fieldTitleOf } from '../catalog/field-title.ts'
import type { FieldResult } from '../fetch/fetch-answer.ts'

const threeDecimals = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 })
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const wholeNumber = new Intl.NumberFormat(undefined)
/** Units as people write them. Units that only name the kind of number have no sign. */
const unitSigns: Record<string, string> = {
  degrees: '°',
  degC: '°C',
  'degC day': '°C day',
  km2: 'km²',
  'people/km2': 'people/km²',
  'kWh/m2/day': 'kWh/m²/day',
  'W/m2': 'W/m²',
  'ft3/s': 'ft³/s',
  'kg/m3': 'kg/m³',
  'ug/m3': 'µg/m³',
  count: '',
  index: '',
  class: '',
  ratio: '',
  date: '',
  year: '',
  pH: '',
}
/** Signs that follow the number without a space. */
const unitsWithoutSpace = new Set(['°', '%'])
/** Distances from here on are shown in kilometers when they stand alone. */
const kilometersFrom_m = 10_000
/** Units whose numbers are names and are not formatted as quantities, such as the year 1996. */
const unitsOfNames = new Set(['year', 'class'])

/** Formats a number for the locale of the browser, with a sensible number of digits. */
export function numberText(value: number): string {
  if (Number.isInteger(value)) return wholeNumber.format(value)
  const size = Math.abs(value)
  if (size >= 1000) return wholeNumber.format(Math.round(value))
  if (size >= 100) return oneDecimal.format(value)
  return size < 0.01 ? value.toPrecision(3) : threeDecimals.format(value)
}

/** Returns a unit as people write it; empty when it only names the kind of number. */
export function unitText(unit: string | null): string {
  return unit === null ? '' : (unitSigns[unit] ?? unit)
}

/** Formats a value with its unit. Codes are strings and stay unchanged. */
export function valueText({ value, unit }: Pick<FieldResult, 'value' | 'unit'>): string {
  if (value === null) return '—'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  const sign = unitText(unit)
  return `${unit !== null && unitsOfNames.has(unit) ? value : numberText(value)}${sign === '' ? '' : unitsWithoutSpace.has(sign) ? sign : `\u00a0${sign}`}`
}

/** Formats a value that stands alone: long distances in kilometers. Columns of a table keep one unit instead. */
export function standaloneValueText({ value, unit }: Pick<FieldResult, 'value' | 'unit'>): string {
  return unit === 'm' && typeof value === 'number' && Math.abs(value) >= kilometersFrom_m
    ? valueText({ value: value / 1000, unit: 'km' })
    : valueText({ value, unit })
}

/** A value as a row shows it: in the preferred units, and beside it in the other units or with what its class means. */
export type DisplayValue = { first: string; other: string | null }

/** Formats the value of a field for a row of its own. */
export function displayValueOf(
  name: string,
  { value, unit }: Pick<FieldResult, 'value' | 'unit'>,
  { units, class_labels }: { units: UnitSystem; class_labels?: Record<string, string> | undefined },
): DisplayValue {
  const label = value === null ? undefined : class_labels?.[String(value)]
  if (label !== undefined) return { first: valueText({ value, unit }), other: label }
  if (typeof value !== 'number' || unit === null || unitText(unit) === '')
    return { first: standaloneValueText({ value, unit }), other: null }
  const { first, other } = displayQuantityOf(value, { name, unit }, { units })
  const text = (quantity: Quantity) => valueText(quantity.unit === unit ? quantity : roundQuantity(quantity))
  return { first: text(first), other: other && text(other) }
}

/** Formats the margin of error of an estimate, in the unit of its value: `± 312`. Null if it has none. */
export function marginTextOf(name: string, result: FieldResult, units: UnitSystem): string | null {
  if (result.status !== 'ok' || typeof result.moe_90 !== 'number') return null
  const { moe_90, unit } = result
  const { first } = displayQuantityOf(moe_90, { name, unit: unit ?? '' }, { units })
  return `±\u00a0${numberText((first.unit === unit ? first : roundQuantity(first)).value)}`
}

/** Rounds a converted value to three digits: more would pretend a precision that the source does not have. */
function roundQuantity({ value, unit }: Quantity): Quantity {
  return { value: Math.abs(value) < 100 ? Number(value.toPrecision(3)) : Math.round(value), unit }
}

/** Returns the title of a field by its name and unit. */
export function fieldLabel(name: string, unit: string | null): string {
  return fieldTitleOf({ name, unit, label: Object.hasOwn(fieldLabels, name) ? fieldLabels[name] : undefined })
}
