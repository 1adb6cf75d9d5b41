const alphabet = '23456789CFGHJMPQRVWX'
/** The side of a cell in degrees after each pair of digits. */
const sides = [20, 1, 0.05, 0.0025, 0.000125]
const separatorAfter = 8
const [rows, columns] = [5, 4]

/**
 * The Open Location Code of a point: up to ten digits in pairs of latitude and longitude, then one digit per 5 by 4
 * grid.
 */
export function plusCodeOf({ lat, lng }: { lat: number; lng: number }, digits: number): string {
  if (digits < 2 || (digits < separatorAfter && digits % 2 === 1))
    throw new RangeError(`Invalid plus code length ${digits}. Expected 2, 4, 6, 8 or more digits.`)
  const pairs = Math.min(digits / 2, sides.length)
  // The pole belongs to the last cell. A code above it could not be decoded.
  const north = (lat === 90 ? lat - heightOf(digits) : lat) + 90
  const east = (lng === 180 ? -180 : lng) + 180
  const code = `${pairDigits(north, east, pairs)}${gridDigits(north % sides.at(-1)!, east % sides.at(-1)!, digits - 2 * sides.length)}`
  const padded = code.padEnd(separatorAfter, '0')
  return `${padded.slice(0, separatorAfter)}+${padded.slice(separatorAfter)}`
}

/**
 * Returns the center of the cell of a full, uppercase plus code with at least eight digits (300 m). null for other
 * text.
 */
export function centerOfPlusCode(code: string): { lat: number; lng: number } | null {
  if (!fullCodePattern.test(code)) return null
  const digits = [...code.replace('+', '')].map((digit) => alphabet.indexOf(digit))
  let [south, west, height, width] = [-90, -180, 0, 0]
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i]!
    if (i < 2 * sides.length) {
      if (i % 2 === 0) south += digit * (height = sides[i / 2]!)
      else west += digit * (width = sides[(i - 1) / 2]!)
    } else {
      south += Math.floor(digit / columns) * (height /= rows)
      west += (digit % columns) * (width /= columns)
    }
  }
  const at = { lat: south + height / 2, lng: west + width / 2 }
  return at.lat < 90 && at.lng < 180 ? at : null
}

/** At most fifteen digits: ten in pairs and five of the grid. */
const fullCodePattern = /^[23456789CFGHJMPQRVWX]{8}\+(?:[23456789CFGHJMPQRVWX]{2,7})?$/

function heightOf(digits: number): number {
  return digits <= 2 * sides.length ? 20 ** Math.floor(2 - digits / 2) : 20 ** -3 / rows ** (digits - 2 * sides.length)
}

function pairDigits(north: number, east: number, pairs: number): string {
  let code = ''
  for (const side of sides.slice(0, Math.ceil(pairs))) {
    const [row, column] = [Math.floor(north / side), Math.floor(east / side)]
    north -= row * side
    east -= column * side
    code += alphabet[row]! + alphabet[column]!
  }
  return code
}

function gridDigits(north: number, east: number, digits: number): string {
  let code = ''
  let [height, width] = [sides.at(-1)!, sides.at(-1)!]
  for (let digit = 0; digit < digits; digit++) {
    const [row, column] = [Math.floor(north / (height / rows)), Math.floor(east / (width / columns))]
    height /= rows
    width /= columns
    north -= row * height
    east -= column * width
    code += alphabet[row * columns + column]
  }
  return code
}
