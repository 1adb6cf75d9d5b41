/** A point with its address, as a publisher's file has it; empty texts where it says nothing. */
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

/** One side of a street with the numbers of its ends, in the direction of the line (longitude, latitude, …). `parity`: O, E, B, or empty. */
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

/** What a row gives, or the reason why it gives nothing. */
export type AddressRecord = PointRecord | StreetSideRecord | { kind: 'excluded'; reason: string }

/** A row of a file by the names of its columns in capitals; an empty text where there is nothing. */
export type CellReader = (column: string) => string
