/** Reads the packed numbers of a file geodatabase, from start to end. Reading past the end throws a RangeError. */
export type PackedNumbers = {
  uint8(): number
  uint16(): number
  uint32(): number
  float64(): number
  /** A whole number without a sign, seven bits in each byte. */
  varuint(): number
  /** A whole number with a sign. */
  varint(): number
  bytes(length: number): Buffer
  utf16(length: number): string
  skip(length: number): void
  remaining(): number
}

/** Longer numbers are not exact. */
const maxShift = 49

/** Returns a reader of the packed numbers in these bytes. */
export function createPackedNumberReader(source: Buffer): PackedNumbers {
  let at = 0
  const take = (length: number): number => {
    if (length > source.length - at) throw new RangeError(`expected ${length} bytes at byte ${at}`)
    at += length
    return at - length
  }
  // Sums instead of shifts, because the numbers can have more than 32 bits.
  const readRest = (first: number, firstBits: number): number => {
    let value = first
    for (let bits = firstBits; ; bits += 7) {
      const byte = source[take(1)]!
      value += (byte & 0x7f) * 2 ** bits
      if (byte < 0x80) return value
      if (bits >= maxShift) throw new RangeError(`a number at byte ${at} is too long`)
    }
  }
  return {
    uint8: () => source[take(1)]!,
    uint16: () => source.readUInt16LE(take(2)),
    uint32: () => source.readUInt32LE(take(4)),
    float64: () => source.readDoubleLE(take(8)),
    varuint() {
      const byte = source[take(1)]!
      return byte < 0x80 ? byte : readRest(byte & 0x7f, 7)
    },
    varint() {
      const byte = source[take(1)]!
      const value = byte < 0x80 ? byte & 0x3f : readRest(byte & 0x3f, 6)
      return (byte & 0x40) === 0 ? value : -value
    },
    bytes: (length) => source.subarray(take(length), at),
    utf16: (length) => source.toString('utf16le', take(length), at),
    skip: (length) => void take(length),
    remaining: () => source.length - at,
  }
}
