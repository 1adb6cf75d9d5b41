const powersOfTen = Float64Array.from({ length: 16 }, (_, i) => Number(`1e${i}`))
/** All integers with this many digits are exact, and so is the text of their decimals. */
const maxDigits = 15
/** Smaller numbers are written with an exponent. */
const leastWithoutExponent = 1e-6

const minus = 45
const point = 46
const zero = 48
const nine = 57

/** Parses decimal numbers in bytes, such as `-104.99`, without creating objects. */
export class DegreeParser {
  value = 0
  /** Whether the bytes are the JSON of the value. */
  isCanonical = false

  /** Returns whether the bytes are a number that this class can read. */
  parse(bytes: Uint8Array, from: number, to: number): boolean {
    const isNegative = bytes[from] === minus
    const begin = isNegative ? from + 1 : from
    let digits = 0
    let decimals = -1
    for (let i = begin; i < to; i++) {
      const byte = bytes[i]!
      if (byte === point && decimals < 0 && i > begin) decimals = 0
      else if (byte >= zero && byte <= nine) {
        digits = 10 * digits + byte - zero
        if (decimals >= 0) decimals++
      } else return false
    }
    const length = to - begin - (decimals >= 0 ? 1 : 0)
    if (length === 0 || length > maxDigits) return false
    const value = decimals > 0 ? digits / powersOfTen[decimals]! : digits
    this.value = isNegative && value !== 0 ? -value : value
    const hasLeadingZero = bytes[begin] === zero && length > 1 && bytes[begin + 1] !== point
    const hasTrailingZero = decimals >= 0 && (decimals === 0 || bytes[to - 1] === zero)
    this.isCanonical =
      !hasLeadingZero && !hasTrailingZero && (value >= leastWithoutExponent || (value === 0 && !isNegative))
    return true
  }
}
