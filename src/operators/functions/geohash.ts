const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz'
const bitsOfLetter = 5

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
    for (const end = bit + bitsOfLetter; bit < end; bit++) {
      const half = halves[bit % 2]!
      const middle = (half.low + half.high) / 2
      const isUpper = half.value > middle
      if (isUpper) half.low = middle
      else half.high = middle
      number = 2 * number + Number(isUpper)
    }
    code += alphabet[number]
  }
  return code
}
