/** An address point in a publisher's file. Missing values are empty strings. */
export type PointRecord = {
  kind: 'point'
  number: string
  street: string
  unit: string
  city: string
  state: string
  zip: string
  lat: number
  lng: number
}

/**
 * One side of a street. `from` and `to` are the house numbers at the ends, in the direction of `line` (longitude,
 * latitude, …). `parity` is O, E, B or empty.
 */
export type StreetSideRecord = {
  kind: 'side'
  street: string
  from: string
  to: string
  side: 'L' | 'R'
  parity: string
  zip: string
  state: string
  line: number[]
}

/** The record in a row, or the reason why the row is excluded. */
export type AddressRecord = PointRecord | StreetSideRecord | { kind: 'excluded'; reason: string }

/** Reads a cell of a row by its column name in upper case; an empty string if there is no value. */
export type CellReader = (column: string) => string
