/** A quantity in a unit. */
export type Quantity = { value: number; unit: string }

const linear = (unit: string, factor: number) => ({ unit, convert: (value: number) => value * factor })

const conversions: Record<string, { unit: string; convert: (value: number) => number }[]> = {
  m: [linear('km', 0.001), linear('mi', 1 / 1609.344), linear('ft', 1 / 0.3048), linear('yd', 1 / 0.9144)],
  ft: [linear('m', 0.3048), linear('in', 12), linear('mi', 1 / 5280)],
  cm: [linear('in', 1 / 2.54), linear('ft', 1 / 30.48), linear('m', 0.01)],
  mm: [linear('in', 1 / 25.4), linear('cm', 0.1)],
  km2: [linear('sq mi', 1 / 2.589988110336), linear('acres', 247.105381467), linear('ha', 100)],
  acres: [
    linear('ha', 0.40468564224),
    linear('km2', 0.0040468564224),
    linear('sq ft', 43_560),
    linear('m2', 4046.8564224),
  ],
  'm/s': [linear('mph', 2.2369362921), linear('km/h', 3.6), linear('kn', 1.9438444924)],
  degC: [{ unit: '°F', convert: (value) => value * 1.8 + 32 }],
  'degC day': [linear('°F day', 1.8)],
  'ft3/s': [linear('m3/s', 0.028316846592)],
  'people/km2': [linear('people per sq mi', 2.589988110336)],
  'probability/year': [linear('% a year', 100), { unit: 'years between', convert: (value) => 1 / value }],
  'kWh/m2/day': [linear('kWh/m2/year', 365.25)],
  index: [],
  ratio: [linear('%', 100)],
  '%': [linear('ratio', 0.01)],
  kV: [linear('V', 1000)],
  MW: [linear('kW', 1000), linear('GW', 0.001)],
  hours: [{ unit: 'min', convert: (value) => value * 60 }],
  g: [linear('%g', 100)],
}

/** Returns a quantity in every other known unit. */
export function otherUnitsOf({ value, unit }: Quantity): Quantity[] {
  return (conversions[unit] ?? []).map(({ unit, convert }) => ({ unit, value: convert(value) }))
}

/** Converts a quantity to a unit; null when the units are incompatible. */
export function convertTo(quantity: Quantity, unit: string): number | null {
  return [quantity, ...otherUnitsOf(quantity)].find((it) => it.unit === unit)?.value ?? null
}

const unitNames: Record<string, string> = {
  mile: 'mi',
  mi: 'mi',
  kilometer: 'km',
  kilometre: 'km',
  km: 'km',
  meter: 'm',
  metre: 'm',
  m: 'm',
  foot: 'ft',
  feet: 'ft',
  ft: 'ft',
  inch: 'in',
  inches: 'in',
  yard: 'yd',
  acre: 'acres',
  hectare: 'ha',
  ha: 'ha',
  mph: 'mph',
  knot: 'kn',
  fahrenheit: '°F',
  celsius: 'degC',
  cm: 'cm',
  mm: 'mm',
  percent: '%',
  mw: 'MW',
  kw: 'kW',
  kv: 'kV',
}

/** Parses the name of a unit; null when it is unknown. */
export function parseUnit(word: string): string | null {
  return unitNames[word] ?? unitNames[word.replace(/s$/, '')] ?? null
}
