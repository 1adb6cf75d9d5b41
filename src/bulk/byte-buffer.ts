const encoder = new TextEncoder()
const zero = 48

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

  /** Writes an integer that is not negative. */
  addInteger(value: number): void {
    let digits = 1
    for (let limit = 10; value >= limit; limit *= 10) digits++
    const at = this.#reserve(digits)
    let rest = value
    for (let i = at + digits - 1; i >= at; i--) {
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
