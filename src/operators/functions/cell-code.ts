import { latLngToCell } from 'h3-js'
import { forward } from 'mgrs'
import { pointFunction, integerOption } from './function.ts'
import { plusCodeOf } from './plus-code.ts'

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
const bitsPerLetter = 5

/**
 * The geohash of a point: alternately bisects longitude and latitude, five bits per letter. A value on the boundary
 * belongs to the lower half.
 */
export function geohashOf({ lat, lng }: { lat: number; lng: number }, letters: number): string {
  const halves = [
    { value: lng, low: -180, high: 180 },
    { value: lat, low: -90, high: 90 },
  ]
  let code = ''
  for (let letter = 0, bit = 0; letter < letters; letter++) {
    let number = 0
    for (const end = bit + bitsPerLetter; bit < end; bit++) {
      const half = halves[bit % 2]!
      const middle = (half.low + half.high) / 2
      const isUpper = half.value > middle
      if (isUpper) half.low = middle
      else half.high = middle
      number = 2 * number + Number(isUpper)
    }
    code += geohashAlphabet[number]
  }
  return code
}
