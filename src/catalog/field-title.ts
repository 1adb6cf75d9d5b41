/**
 * Returns the title of a field: the one of the catalog, else its name as words without the unit.
 * `nearest_airport_distance_m` is "Nearest airport distance".
 */
export function fieldTitleOf({ name, label, unit }: TitledField): string {
  return label ?? humanizeName(unit === null ? name : name.replace(unitSuffix, ''))
}

type TitledField = { name: string; unit: string | null; label?: string | undefined }

/** Returns a snake_case name as words: `flood_risk` is "Flood risk". */
export function humanizeName(name: string): string {
  const words = name
    .split('_')
    .map((word) => (acronyms.has(word) ? word.toUpperCase() : (specialCases[word] ?? word)))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Codes are for programs, so they come after the names of the same layer. */
export function namesFirst(fields: readonly string[]): string[] {
  const isCode = (name: string) => /_(?:fips|code|geoid)$|^geoid_/.test(name)
  return fields.toSorted((a, b) => Number(isCode(a)) - Number(isCode(b)))
}

/** Whether a preset may have more fields than one request, by its name. Batches and runs take it. */
export function isFullPreset(name: string): boolean {
  return name.endsWith('_full')
}

/** The end of a field name that repeats the unit. */
const unitSuffix =
  /_(m|km|km2|ft|cm|mm|in|pct|degrees|c|m_s|usd|hours|days|years|acres|kv|mw|g|nt|ppb|ug_m3|w_m2|kwh_m2_day|kwh_kw_year|kg_m3)$/
/** Words that are written in capitals. */
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
/** Words with an irregular spelling. */
const specialCases: Record<string, string> = { ph: 'pH', nhdplus: 'NHDPlus', yoy: 'year over year' }
