/** How many columns the first line of an upload may name. */
export const uploadColumnsMax = 512

/** What the columns of an upload are for. `of` gives the text of a location's part in a row. */
export type UploadColumns = {
  lat: number
  lng: number
  /** The parts of an address in order, one column each. */
  address: number[]
  input: number
  /** The other columns, which pass through. */
  passthrough: number[]
}

const columnNames = {
  lat: ['lat', 'latitude'],
  lng: ['lng', 'lon', 'long', 'longitude'],
  address: ['address', 'full_address'],
  street: ['street', 'street_address', 'address_line_1'],
  city: ['city', 'town'],
  state: ['state'],
  zip: ['zip', 'zipcode', 'zip_code', 'postal_code'],
  input: ['input'],
}

/** Recognises the columns by their names; null when no location can be among them. A file that has coordinates keeps its address columns as they are. */
export function uploadColumnsOf(header: string[], kind: string): UploadColumns | null {
  const headerNames = header.map((name) => name.trim().toLowerCase())
  const indexOf = (part: keyof typeof columnNames) => headerNames.findIndex((name) => columnNames[part].includes(name))
  const [lat, lng] = [indexOf('lat'), indexOf('lng')]
  const hasCoordinate = lat >= 0 && lng >= 0 && kind !== 'geocode_batch'
  const fullAddress = indexOf('address')
  const parts =
    fullAddress >= 0
      ? [fullAddress]
      : indexOf('street') >= 0
        ? [indexOf('street'), indexOf('city'), indexOf('state'), indexOf('zip')].filter((it) => it >= 0)
        : []
  const input = kind === 'fetch_batch' ? -1 : indexOf('input')
  if (!hasCoordinate && parts.length === 0 && input < 0) return null
  const used = new Set(input >= 0 ? [input] : hasCoordinate ? [lat, lng] : parts)
  const passthrough = header.map((_, i) => i).filter((i) => !used.has(i))
  return { lat: hasCoordinate ? lat : -1, lng: hasCoordinate ? lng : -1, address: parts, input, passthrough }
}

/** The separator of a header line: what it has most of. */
export function detectDelimiter(line: string): string {
  const unquoted = line.replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => unquoted.split(delimiter).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]!
}
