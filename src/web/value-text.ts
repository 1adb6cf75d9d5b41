import type { FieldResult } from '../fetch/fetch-answer.ts'

const threeDecimals = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 })
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const wholeNumber = new Intl.NumberFormat(undefined)
/** Units as people write them; what only says what kind of number it is has no sign. */
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
/** What stands at the number without a space between. */
const unitsWithoutSpace = new Set(['°', '%'])
/** From here on metres say no more than kilometres. */
const kilometersFrom_m = 10_000
/** Numbers that are names: 1996 is no quantity. */
const unitsOfNames = new Set(['year', 'class'])

/** A number as the reader's country writes it: as many digits as say something. */
export function numberText(value: number): string {
  if (Number.isInteger(value)) return wholeNumber.format(value)
  const size = Math.abs(value)
  if (size >= 1000) return wholeNumber.format(Math.round(value))
  if (size >= 100) return oneDecimal.format(value)
  return size < 0.01 ? value.toPrecision(3) : threeDecimals.format(value)
}

/** A unit as people write it; empty where it only says what kind of number it is. */
export function unitText(unit: string | null): string {
  return unit === null ? '' : (unitSigns[unit] ?? unit)
}

/** A value with its unit, as text. Codes are strings and stay as they are. */
export function valueText({ value, unit }: Pick<FieldResult, 'value' | 'unit'>): string {
  if (value === null) return '—'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  const sign = unitText(unit)
  return `${unit !== null && unitsOfNames.has(unit) ? value : numberText(value)}${sign === '' ? '' : unitsWithoutSpace.has(sign) ? sign : `\u00a0${sign}`}`
}

/** A value that is read by itself: far away is told in kilometres. In a column all have one unit. */
export function standaloneValueText({ value, unit }: Pick<FieldResult, 'value' | 'unit'>): string {
  return unit === 'm' && typeof value === 'number' && Math.abs(value) >= kilometersFrom_m
    ? valueText({ value: value / 1000, unit: 'km' })
    : valueText({ value, unit })
}

/** The end of a name that only says the unit, which stands at the value. */
const unitSuffix =
  /_(m|km|km2|ft|cm|mm|in|pct|degrees|c|m_s|usd|hours|days|years|acres|kv|mw|g|nt|ppb|ug_m3|w_m2|kwh_m2_day|kwh_kw_year|kg_m3)$/
/** What is read letter by letter. */
const acronyms = new Set([
  'fips',
  'cbsa',
  'csa',
  'nhd',
  'fema',
  'mgrs',
  'utm',
  'utc',
  'nri',
  'ndvi',
  'ndwi',
  'lcms',
  'nlcd',
  'cdl',
  'zip',
  'pm25',
  'aqi',
  'slr',
  'cbrs',
  'asce',
  'pv',
  'ghi',
  'dni',
  'huc8',
  'huc12',
  'h3',
  'noaa',
  'epa',
  'usda',
  'hpsa',
  'msa',
  'sfha',
  'nfip',
  'mw',
  'ef',
  'id',
  'zcta5',
  'geoid',
  'firm',
  'crs',
  'comid',
  'epsg',
  'ev',
  'icao',
  'lep',
  'lihtc',
  'mtbs',
  'nwi',
  'us',
  'fbfm40',
  'l3',
  'l4',
])
/** What is written in a way of its own. */
const specialCases: Record<string, string> = { ph: 'pH', nhdplus: 'NHDPlus', yoy: 'year over year' }

/** The name of a field as words: `nearest_airport_distance_m` is "Nearest airport distance". The unit stands at the value. */
export function fieldLabel(name: string, unit: string | null): string {
  const short = unit === null ? name : name.replace(unitSuffix, '')
  return humanizeName(short)
}

/** The name of a layer or a preset as words: `flood_risk` is "Flood risk". */
export function humanizeName(name: string): string {
  const words = name
    .split('_')
    .map((word) => (acronyms.has(word) ? word.toUpperCase() : (specialCases[word] ?? word)))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
