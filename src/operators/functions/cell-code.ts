import { latLngToCell } from 'h3-js'
import { forward } from 'mgrs'
import { pointFunction, integerOption } from './function.ts'
import { plusCodeOf } from '../../geo/text/plus-code.ts'

/** The geohash of the point with `precision` characters. */
export const geohash = pointFunction((at, options) => geohashOf(at, integerOption(options, 'precision')))

/** The H3 cell that contains the point, at `resolution`. */
export const h3 = pointFunction(({ lat, lng }, options) => latLngToCell(lat, lng, integerOption(options, 'resolution')))

/** The Open Location Code (plus code) of the point with `length` digits. */
export const openLocationCode = pointFunction((at, options) => plusCodeOf(at, integerOption(options, 'length')))

/** The Military Grid Reference. `precision` 5 is 1 m, 4 is 10 m. Truncated, not rounded. */
export const mgrs = pointFunction(({ lat, lng }, options) => forward([lng, lat], integerOption(options, 'precision')))

/**
 * The United States National Grid with 1 m precision: zone, square, easting and northing, separated by spaces (`13S ED
 * 00856 98900`).
 */
export const usng = pointFunction(({ lat, lng }) =>
  forward([lng, lat], 5).replace(/^(\d+[A-Z])([A-Z]{2})(\d{5})(\d{5})$/, '$1 $2 $3 $4'),
)

/** The Maidenhead locator (amateur radio): field, square and subsquare (`DM79mr`), about 5 by 7 km. */
export const maidenhead = pointFunction(({ lat, lng }) => {
  const east = Math.min(lng + 180, 360 - 1e-9) / 20
  const north = Math.min(lat + 90, 180 - 1e-9) / 10
  const field = `${maidenheadLetter(east)}${maidenheadLetter(north)}`
  const square = `${Math.floor((east * 10) % 10)}${Math.floor((north * 10) % 10)}`
  const subsquare = `${maidenheadLetter((east * 240) % 24)}${maidenheadLetter((north * 240) % 24)}`.toLowerCase()
  return `${field}${square}${subsquare}`
})

function maidenheadLetter(count: number): string {
  return 'ABCDEFGHIJKLMNOPQRSTUVWX'[Math.floor(count)]!
}

const geohashAlphabet = '0123456789bcdefghjkmnpqrstuvwxyz'
const geohashMax_letters = 12
/** The pairs of letters, by five bits of the longitude and five of the latitude. */
const geohashPairs = Array.from({ length: 1024 }, (_, bits) => {
  const [lng, lat] = [bits >> 5, bits & 31]
  return letterOf(lng >> 2, lat >> 3) + letterOf(lat & 7, lng & 3)
})

/**
 * The geohash of a point: alternately bisects longitude and latitude, five bits per letter. A value on the boundary
 * belongs to the lower half.
 */
export function geohashOf({ lat, lng }: { lat: number; lng: number }, letters: number): string {
  if (!(letters >= 1 && letters <= geohashMax_letters))
    throw new RangeError(`Invalid geohash length ${letters}. Expected 1 to ${geohashMax_letters} letters.`)
  const pairs = letters >> 1
  const isOdd = letters % 2
  const lngBits = 5 * pairs + 3 * isOdd
  const latBits = 5 * pairs + 2 * isOdd
  const column = halvesBelow(lng, 180, lngBits)
  const row = halvesBelow(lat, 90, latBits)
  let code = ''
  for (let pair = 1; pair <= pairs; pair++)
    code += geohashPairs[(((column >> (lngBits - 5 * pair)) & 31) << 5) | ((row >> (latBits - 5 * pair)) & 31)]!
  return isOdd === 1 ? code + letterOf(column & 7, row & 3) : code
}

/** The number of cells below a value, when the range from -most to most is bisected this many times. */
function halvesBelow(value: number, most: number, bits: number): number {
  const count = 2 ** bits
  const side = (2 * most) / count
  let cell = Math.min(count - 1, Math.max(0, Math.ceil((value + most) / side) - 1))
  // The borders of cells are exact, but not the division.
  while (cell > 0 && value <= cell * side - most) cell--
  while (cell < count - 1 && value > (cell + 1) * side - most) cell++
  return cell
}

/** The letter of five bits in turn: three of one coordinate, and two of the other. */
function letterOf(three: number, two: number): string {
  const even = ((three & 4) << 2) | ((three & 2) << 1) | (three & 1)
  return geohashAlphabet[even | ((two & 2) << 2) | ((two & 1) << 1)]!
}
