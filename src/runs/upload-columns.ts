/** The maximum number of columns of an upload. */
export const uploadColumnsMax = 512

/** The column indexes of an upload by purpose; -1 if there is no such column. */
export type UploadColumns = {
  lat: number
  lng: number
  /** The columns of an address, in order. */
  address: number[]
  input: number
  /** All columns: the result files contain the whole input row. */
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

/**
 * Recognizes the columns by name; null if there is no location column.
 */
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
        ? [indexOf('street'), indexOf('city'), indexOf('state'), indexOf('zip')].filter((index) => index >= 0)
        : []
  const input = kind === 'fetch_batch' ? -1 : indexOf('input')
  if (!hasCoordinate && parts.length === 0 && input < 0) return null
  const passthrough = header.map((_, i) => i)
  return { lat: hasCoordinate ? lat : -1, lng: hasCoordinate ? lng : -1, address: parts, input, passthrough }
}

/** The delimiter of a header line: the most frequent of comma, semicolon and tab. */
export function detectDelimiter(line: string): string {
  const unquoted = line.replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => unquoted.split(delimiter).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]!
}
