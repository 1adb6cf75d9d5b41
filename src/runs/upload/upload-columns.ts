/** The maximum number of columns of an upload. */
export const uploadColumnsMax = 512

/** The columns of an upload, as indexes; -1 if there is no such column. */
export type UploadColumns = {
  /** The names of all columns, in order. */
  header: string[]
  lat: number
  lng: number
  /** The columns of an address, in order. */
  address: number[]
  zip: number
  input: number
  /** For areas: the shape as text or GeoJSON, and the code of a county. */
  shape: number
  county: number
}

/** The columns that the user chose, by name. The others are recognized by their names. */
export type ColumnMapping = { lat?: string; lng?: string; address?: string }

export const mappedParts = ['lat', 'lng', 'address'] as const

type Part = 'lat' | 'lng' | 'address' | 'street' | 'city' | 'state' | 'zip' | 'input' | 'shape' | 'county'

/** The usual names of each column, in order of preference. Other characters than letters and digits count as `_`. */
const columnNames: Record<Part, RegExp[]> = {
  lat: [/^lat(itude)?$/, /^y$/, /(^|_)lat(itude)?(_|$)/, /^(y_?coord(inate)?|coord_?y|point_?y)$/],
  lng: [
    /^(lng|lon|long|longitude)$/,
    /^x$/,
    /(^|_)(lng|lon|long|longitude)(_|$)/,
    /^(x_?coord(inate)?|coord_?x|point_?x)$/,
  ],
  address: [/^(full_)?address$/, /^(site|property|location|situs|mailing|complete)_address$/],
  street: [/^street(_address)?$/, /^address_(line_)?1$/, /^address1$/],
  city: [/^(city|town|municipality)$/, /^(site|property|situs|mailing)_city$/],
  state: [/^(state|st|state_code)$/, /^(site|property|situs|mailing)_state$/],
  zip: [/^(zip|postal|post)_?code$/, /^zip5?$/, /^(site|property|situs|mailing)_zip(_?code)?$/],
  input: [/^input$/],
  shape: [/^shape$/, /^(geometry|geojson)$/],
  county: [/^county_fips$/, /^fips$/],
}

/**
 * Recognizes the columns by name; null if there is no location column. `mapping` must name existing columns, as
 * `unknownMappedColumns` checks.
 */
export function uploadColumnsOf(header: string[], kind: string, mapping: ColumnMapping = {}): UploadColumns | null {
  const names = header.map(normalizeName)
  if (kind === 'area_batch') return areaColumnsOf(header, names)
  const indexOf = (part: Part) => {
    const chosen = part === 'lat' || part === 'lng' || part === 'address' ? mapping[part] : undefined
    return chosen === undefined ? findColumn(names, part) : mappedIndexOf(header, chosen)
  }
  const isAddressChosen = mapping.address !== undefined && mapping.lat === undefined && mapping.lng === undefined
  const [lat, lng] = [indexOf('lat'), indexOf('lng')]
  const hasCoordinate = lat >= 0 && lng >= 0 && lat !== lng && kind !== 'geocode_batch' && !isAddressChosen
  const first = indexOf('address') >= 0 ? indexOf('address') : indexOf('street')
  const address = first < 0 ? [] : [first, indexOf('city'), indexOf('state'), indexOf('zip')].filter((it) => it >= 0)
  const input = kind === 'fetch_batch' || Object.keys(mapping).length > 0 ? -1 : indexOf('input')
  if (!hasCoordinate && address.length === 0 && input < 0) return null
  return {
    ...noColumns,
    header,
    lat: hasCoordinate ? lat : -1,
    lng: hasCoordinate ? lng : -1,
    address,
    zip: first < 0 ? -1 : indexOf('zip'),
    input,
  }
}

const noColumns = { lat: -1, lng: -1, address: [], zip: -1, input: -1, shape: -1, county: -1 }

/** A shape comes before the code of a county, which may be an attribute of the shape. */
function areaColumnsOf(header: string[], names: string[]): UploadColumns | null {
  const shape = findColumn(names, 'shape')
  const county = shape >= 0 ? -1 : findColumn(names, 'county')
  return shape < 0 && county < 0 ? null : { ...noColumns, header, shape, county }
}

/** Returns the names in a mapping that are no column of the file. */
export function unknownMappedColumns(header: string[], mapping: ColumnMapping): string[] {
  return mappedParts.flatMap((part) => {
    const name = mapping[part]
    return name === undefined || mappedIndexOf(header, name) >= 0 ? [] : [name]
  })
}

function mappedIndexOf(header: string[], name: string): number {
  const exact = header.findIndex((it) => it.trim() === name.trim())
  return exact >= 0 ? exact : header.map(normalizeName).indexOf(normalizeName(name))
}

function findColumn(names: string[], part: Part): number {
  for (const pattern of columnNames[part]) {
    const index = names.findIndex((name) => pattern.test(name) && !isPair(name))
    if (index >= 0) return index
  }
  return -1
}

/** Whether a column holds both coordinates, such as `lat_lng`. */
function isPair(name: string): boolean {
  return /(^|_)lat(itude)?(_|$)/.test(name) && /(^|_)(lng|lon|long|longitude)(_|$)/.test(name)
}

function normalizeName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}

/** The delimiter of a header line: the most frequent of comma, semicolon and tab. */
export function detectDelimiter(line: string): string {
  const unquoted = line.replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => unquoted.split(delimiter).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]!
}
