import type { Field } from '../catalog/records.ts'
import { convertTo, otherUnitsOf, type Quantity } from './units.ts'

/**
 * Formats a value with its unit, and with a second unit in parentheses: `requestedUnit` if it applies, else the US
 * customary unit.
 */
export function formatValue(
  value: string | number | boolean,
  { name, unit, type }: Pick<Field, 'name' | 'unit' | 'type'>,
  requestedUnit: string | null,
): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return type === 'list' ? value.replaceAll(';', ', ') : value
  if (unit === null || unit === 'year' || unit === 'index' || unit === 'count' || unit === 'class' || unit === 'ratio')
    return unit === 'year' ? String(value) : formatNumber(value)
  if (unit === 'USD' || unit.startsWith('USD/'))
    return `$${formatNumber(Math.round(value))}${unit === 'USD' ? '' : ` a ${unit.slice(4)}`}`
  const original = { value, unit }
  const first =
    unit === 'm' && name.includes('distance') && value >= 1000 ? { value: value / 1000, unit: 'km' } : original
  const other = name.startsWith('utm_')
    ? null
    : secondaryQuantityOf(original, requestedUnit === first.unit ? null : requestedUnit, name)
  return other ? `${formatQuantity(first)} (${formatQuantity(other)})` : formatQuantity(first)
}

const customaryUnits: Record<string, string> = {
  m: 'ft',
  cm: 'in',
  mm: 'in',
  km2: 'sq mi',
  degC: '°F',
  'm/s': 'mph',
  ft: 'm',
  acres: 'ha',
  'probability/year': '% a year',
  'ft3/s': 'm3/s',
  'people/km2': 'people per sq mi',
}
const mile_m = 1609.344

/** Returns the value in the requested unit if it applies, else in the US customary unit. */
function secondaryQuantityOf(original: Quantity, requestedUnit: string | null, name: string): Quantity | null {
  const converted = requestedUnit === null ? null : convertTo(original, requestedUnit)
  if (converted !== null && requestedUnit !== original.unit) return { value: converted, unit: requestedUnit! }
  const unit =
    original.unit === 'm' && name.includes('distance') && original.value >= mile_m / 2
      ? 'mi'
      : customaryUnits[original.unit]
  return otherUnitsOf(original).find((it) => it.unit === unit) ?? null
}

function formatQuantity({ value, unit }: Quantity): string {
  return `${formatNumber(value)}${unit === '%' ? '%' : unit === 'degC' ? ' °C' : unit.startsWith('%') ? unit : ` ${unitLabels[unit] ?? unit}`}`
}

const unitLabels: Record<string, string> = {
  km2: 'km²',
  m2: 'm²',
  'degC day': '°C days',
  'ug/m3': 'µg/m³',
  'ft3/s': 'cubic feet per second',
  'm3/s': 'm³/s',
  'kWh/m2/day': 'kWh/m² a day',
  'kWh/kW/year': 'kWh per kW a year',
  'W/m2': 'W/m²',
  'days/year': 'days a year',
  'vehicles/day': 'vehicles a day',
  'people/km2': 'people per km²',
  'probability/year': 'a year',
}

/** Rounds to about three significant digits; large numbers to whole numbers. */
function formatNumber(value: number): string {
  const size = Math.abs(value)
  if (Number.isInteger(value) || size >= 100) return Math.round(value).toLocaleString('en-US')
  if (size >= 1) return value.toLocaleString('en-US', { maximumFractionDigits: size >= 10 ? 1 : 2 })
  return String(Number(value.toPrecision(3)))
}
