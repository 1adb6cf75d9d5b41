const encoder = new TextEncoder()
const zero = 48
const point = 46
/** Numbers below this with this many decimals have at most 15 digits, so no shorter text is the same number. */
const numberMax = 1e9
const maxDecimals = 6
const powersOfTen = Float64Array.from({ length: maxDecimals + 1 }, (_, i) => Number(`1e${i}`))

/** Bytes that grow as they are written. */
export class ByteBuffer {
  #bytes = new Uint8Array(1_048_576)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Writes the bytes from one index up to another. */
  addBytes(source: Uint8Array, from: number, to: number): void {
    const at = this.#reserve(to - from)
    const bytes = this.#bytes
    // Most texts are short, and `set` costs more than copying them.
    for (let i = from; i < to; i++) bytes[at + i - from] = source[i]!
  }

  /** Writes all bytes of an array. */
  addAll(source: Uint8Array): void {
    this.addBytes(source, 0, source.length)
  }

  /** The bytes from an index on, until more are written. */
  bytesFrom(index: number): Uint8Array {
    return this.#bytes.subarray(index, this.#length)
  }

  /** Discards the bytes from an index on. */
  cutAt(index: number): void {
    this.#length = index
  }

  /** Writes a text as UTF-8. */
  addText(text: string): void {
    const at = this.#reserve(3 * text.length)
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 128) {
        this.#length = at + encoder.encodeInto(text, this.#bytes.subarray(at)).written
        return
      }
      this.#bytes[at + i] = code
    }
    this.#length = at + text.length
  }

  /**
   * Writes a text if all of its characters are ASCII and plain, which these tables have 1 for: one is for the first
   * character, the other for all. Returns whether it did.
   */
  addPlainText(text: string, isPlainAtStart: Uint8Array, isPlain: Uint8Array): boolean {
    const at = this.#reserve(text.length)
    const bytes = this.#bytes
    let isAllPlain = text === '' || isPlainAtStart[text.charCodeAt(0)] === 1
    for (let i = 0; i < text.length && isAllPlain; i++) {
      const code = text.charCodeAt(i)
      isAllPlain = code < 128 && isPlain[code] === 1
      bytes[at + i] = code
    }
    if (!isAllPlain) this.#length = at
    return isAllPlain
  }

  /** Writes an integer that is not negative. */
  addInteger(value: number): void {
    let digits = 1
    for (let limit = 10; value >= limit; limit *= 10) digits++
    const at = this.#reserve(digits)
    this.#setDigits(value, at, at + digits)
  }

  /**
   * Writes a number as JSON does, if it has few digits and is 1 or more (or 0), as most numbers are. Returns whether it
   * did.
   */
  addNumber(value: number): boolean {
    if (!(value < numberMax && (value >= 1 || value === 0))) return false
    let decimals = 0
    while (decimals <= maxDecimals && Math.round(value * powersOfTen[decimals]!) / powersOfTen[decimals]! !== value)
      decimals++
    if (decimals > maxDecimals) return false
    const whole = Math.floor(value)
    this.addInteger(whole)
    if (decimals === 0) return true
    const scale = powersOfTen[decimals]!
    const at = this.#reserve(1 + decimals)
    this.#bytes[at] = point
    this.#setDigits(Math.round(value * scale) - whole * scale, at + 1, at + 1 + decimals)
    return true
  }

  /** Writes the last digits of an integer from one index up to another. */
  #setDigits(value: number, from: number, to: number): void {
    let rest = value
    for (let i = to - 1; i >= from; i--) {
      const next = Math.floor(rest / 10)
      this.#bytes[i] = zero + rest - 10 * next
      rest = next
    }
  }

  /** Returns a copy of the bytes, and begins anew. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length)
    this.#length = 0
    return taken
  }

  #reserve(bytes: number): number {
    const at = this.#length
    if (at + bytes > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, at + bytes))
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#length = at + bytes
    return at
  }
}
