/** A quantity in a unit; the same quantity in other units that people use. */
export type Quantity = { value: number; unit: string }

const scale = (unit: string, factor: number) => ({ unit, of: (value: number) => value * factor })

const conversions: Record<string, { unit: string; of: (value: number) => number }[]> = {
  m: [scale('km', 0.001), scale('mi', 1 / 1609.344), scale('ft', 1 / 0.3048), scale('yd', 1 / 0.9144)],
  ft: [scale('m', 0.3048), scale('in', 12), scale('mi', 1 / 5280)],
  cm: [scale('in', 1 / 2.54), scale('ft', 1 / 30.48), scale('m', 0.01)],
  mm: [scale('in', 1 / 25.4), scale('cm', 0.1)],
  km2: [scale('sq mi', 1 / 2.589988110336), scale('acres', 247.105381467), scale('ha', 100)],
  acres: [scale('ha', 0.40468564224), scale('km2', 0.0040468564224), scale('sq ft', 43_560), scale('m2', 4046.8564224)],
  'm/s': [scale('mph', 2.2369362921), scale('km/h', 3.6), scale('kn', 1.9438444924)],
  degC: [{ unit: '°F', of: (value) => value * 1.8 + 32 }],
  'degC day': [scale('°F day', 1.8)],
  'ft3/s': [scale('m3/s', 0.028316846592)],
  'people/km2': [scale('people per sq mi', 2.589988110336)],
  'probability/year': [scale('% a year', 100), { unit: 'years between', of: (value) => 1 / value }],
  'kWh/m2/day': [scale('kWh/m2/year', 365.25)],
  index: [],
  ratio: [scale('%', 100)],
  '%': [scale('ratio', 0.01)],
  kV: [scale('V', 1000)],
  MW: [scale('kW', 1000), scale('GW', 0.001)],
  hours: [{ unit: 'min', of: (value) => value * 60 }],
  g: [scale('%g', 100)],
}

/** The same quantity in every other unit that is known for it. */
export function otherUnitsOf({ value, unit }: Quantity): Quantity[] {
  return (conversions[unit] ?? []).map(({ unit, of }) => ({ unit, value: of(value) }))
}

/** A quantity in one unit; null where the units are not of one kind. */
export function inUnit(quantity: Quantity, unit: string): number | null {
  return [quantity, ...otherUnitsOf(quantity)].find((it) => it.unit === unit)?.value ?? null
}

const names: Record<string, string> = {
  mile: 'mi', mi: 'mi', kilometer: 'km', kilometre: 'km', km: 'km', meter: 'm', metre: 'm', m: 'm', foot: 'ft', feet: 'ft', ft: 'ft', inch: 'in', inches: 'in', yard: 'yd', acre: 'acres', hectare: 'ha', ha: 'ha', mph: 'mph', knot: 'kn', fahrenheit: '°F', celsius: 'degC',
  cm: 'cm', mm: 'mm', percent: '%',
}

/** The unit that a word names. */
export function unitNamed(word: string): string | null {
  return names[word] ?? names[word.replace(/s$/, '')] ?? null
}
