import type { Field } from '../../catalog/records.ts'
import { displayQuantityOf, type UnitSystem } from './display-units.ts'
import type { Quantity } from './units.ts'

/** The units of an answer: the system that comes first, and a unit that the question asks for. */
export type UnitOptions = { units: UnitSystem; requestedUnit?: string | null }

/**
 * Formats a value with its unit, and with a second unit in parentheses.
 */
export function formatValue(
  value: string | number | boolean,
  { name, unit, type }: Pick<Field, 'name' | 'unit' | 'type'>,
  options: UnitOptions,
): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return type === 'list' ? value.replaceAll(';', ', ') : value
  if (unit === null || unit === 'year' || unit === 'index' || unit === 'count' || unit === 'class' || unit === 'ratio')
    return unit === 'year' ? String(value) : formatNumber(value)
  if (unit === 'USD' || unit.startsWith('USD/'))
    return `$${formatNumber(Math.round(value))}${unit === 'USD' ? '' : ` a ${unit.slice(4)}`}`
  const { first, other } = displayQuantityOf(value, { name, unit }, options)
  return other ? `${formatQuantity(first)} (${formatQuantity(other)})` : formatQuantity(first)
}

function formatQuantity({ value, unit }: Quantity): string {
  return `${formatNumber(value)}${unit === '%' ? '%' : unit === 'degC' ? ' °C' : unit.startsWith('%') ? unit : ` ${unitLabels[unit] ?? unit}`}`
}

const unitLabels: Record<string, string> = {
  km2: 'km²',
  m2: 'm²',
  'degC day': '°C days',
  '°F day': '°F days',
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
