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
  passed: number[]
}

const names = {
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
export function columnsOf(header: string[], kind: string): UploadColumns | null {
  const there = header.map((name) => name.trim().toLowerCase())
  const at = (part: keyof typeof names) => there.findIndex((name) => names[part].includes(name))
  const [lat, lng] = [at('lat'), at('lng')]
  const hasCoordinate = lat >= 0 && lng >= 0 && kind !== 'geocode_batch'
  const whole = at('address')
  const parts = whole >= 0 ? [whole] : at('street') >= 0 ? [at('street'), at('city'), at('state'), at('zip')].filter((it) => it >= 0) : []
  const input = kind === 'fetch_batch' ? -1 : at('input')
  if (!hasCoordinate && parts.length === 0 && input < 0) return null
  const used = new Set(input >= 0 ? [input] : hasCoordinate ? [lat, lng] : parts)
  const passed = header.map((_, i) => i).filter((i) => !used.has(i))
  return { lat: hasCoordinate ? lat : -1, lng: hasCoordinate ? lng : -1, address: parts, input, passed }
}

/** The separator of a header line: what it has most of. */
export function delimiterOf(line: string): string {
  const plain = line.replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => plain.split(delimiter).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]!
}
