import { convertTo, otherUnitsOf, type Quantity } from './units.ts'

/** The units that people read first: US customary or metric. */
export const unitSystems = ['us', 'metric'] as const
export type UnitSystem = (typeof unitSystems)[number]

/** A quantity as shown: first in the preferred units, then in the others, if there are any. */
export type DisplayQuantity = { first: Quantity; other: Quantity | null }

const customaryUnits: Record<string, string> = {
  m: 'ft',
  cm: 'in',
  mm: 'in',
  km2: 'sq mi',
  degC: '°F',
  'degC day': '°F day',
  'm/s': 'mph',
  'people/km2': 'people per sq mi',
}
const metricUnits: Record<string, string> = { ft: 'm', acres: 'ha', 'ft3/s': 'm3/s' }
const mile_m = 1609.344
const wholeFeetFrom = 10

/** Returns a quantity of a field in both systems of units. `requestedUnit` comes first if it applies. */
export function displayQuantityOf(
  value: number,
  { name, unit }: { name: string; unit: string },
  { units, requestedUnit = null }: { units: UnitSystem; requestedUnit?: string | null },
): DisplayQuantity {
  const original = { value, unit }
  // A coordinate of a grid is a code, which nobody converts.
  if (name.startsWith('utm_')) return { first: original, other: null }
  const customary = customaryUnits[unit] === undefined ? original : convert(original, customaryUnitOf(original, name))
  const metric =
    metricUnits[unit] === undefined ? metricQuantityOf(original, name) : convert(original, metricUnits[unit])
  const [first, other] = units === 'us' ? [customary, metric] : [metric, customary]
  const requested = requestedUnit === null ? null : convertTo(original, requestedUnit)
  if (requested !== null)
    return {
      first: { value: requested, unit: requestedUnit! },
      other: [first, other].find((it) => it.unit !== requestedUnit) ?? null,
    }
  return { first, other: other.unit === first.unit ? null : other }
}

function customaryUnitOf({ value, unit }: Quantity, name: string): string {
  return unit === 'm' && name.includes('distance') && value >= mile_m / 2 ? 'mi' : customaryUnits[unit]!
}

function metricQuantityOf(original: Quantity, name: string): Quantity {
  return original.unit === 'm' && name.includes('distance') && original.value >= 1000
    ? convert(original, 'km')
    : original
}

/** Converts a quantity. From ten feet on, feet are whole: 7.564 m are 25 ft. */
function convert(quantity: Quantity, unit: string): Quantity {
  const converted = otherUnitsOf(quantity).find((it) => it.unit === unit) ?? quantity
  const isWhole = unit === 'ft' && converted !== quantity && Math.abs(converted.value) >= wholeFeetFrom
  return isWhole ? { unit, value: Math.round(converted.value) } : converted
}
