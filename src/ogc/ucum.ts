/** The UCUM code of each unit of the catalog. Annotations in braces name what is counted; they have no dimension. */
const ucumCodes: Readonly<Record<string, string>> = {
  '%': '%',
  acres: '[acr_us]',
  cm: 'cm',
  count: '{count}',
  'days/year': 'd/a',
  degC: 'Cel',
  'degC day': 'Cel.d',
  degrees: 'deg',
  ft: '[ft_i]',
  'ft3/s': '[cft_i]/s',
  g: '[g]',
  hours: 'h',
  'housing units': '{housing_units}',
  index: '{index}',
  jobs: '{jobs}',
  'kWh/kW/year': 'kW.h/kW/a',
  'kWh/m2/day': 'kW.h/m2/d',
  'kg/m3': 'kg/m3',
  km2: 'km2',
  kV: 'kV',
  m: 'm',
  'm/s': 'm/s',
  mm: 'mm',
  MW: 'MW',
  nT: 'nT',
  people: '{people}',
  'people/km2': '{people}/km2',
  pH: '[pH]',
  'probability/year': '{probability}/a',
  ratio: '1',
  'ug/m3': 'ug/m3',
  USD: '{USD}',
  'USD/month': '{USD}/mo',
  'USD/year': '{USD}/a',
  'vehicles/day': '{vehicles}/d',
  'W/m2': 'W/m2',
  years: 'a',
}

/** The units of values that are no quantities: a class, a date, and a year of the calendar. */
export const unitsWithoutQuantity: readonly string[] = ['class', 'date', 'year']

/** Returns the UCUM code of a unit of the catalog; undefined if it is not known, or if its values are no quantities. */
export function ucumCodeOf(unit: string): string | undefined {
  return ucumCodes[unit]
}
