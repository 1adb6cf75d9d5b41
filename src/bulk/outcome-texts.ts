import type { OutcomeColumn } from '../fetch/outcome-column.ts'
import type { ByteBuffer } from './byte-buffer.ts'

type OutcomeList = OutcomeColumn['outcomesByKey']

/** The texts of the outcomes of columns by key, each after the bytes before it. */
export class OutcomeTexts {
  /** They are valid while the columns have these lists. */
  #outcomesByKey: readonly OutcomeList[] = []
  #bytes = new Uint8Array(4096)
  #length = 0
  /** Where the text of each key begins and ends; it ends at 0 if it is not known. */
  #begins = new Int32Array(256)
  #ends = new Int32Array(256)

  /** Drops the texts of other lists. */
  begin(outcomesByKey: readonly OutcomeList[]): void {
    if (outcomesByKey.every((list, i) => list === this.#outcomesByKey[i])) return
    this.#outcomesByKey = outcomesByKey
    this.#length = 0
    this.#ends.fill(0)
  }

  /** Writes the text of a key, if it is known. Returns whether it did. */
  addTo(buffer: ByteBuffer, key: number): boolean {
    const end = key < this.#ends.length ? this.#ends[key]! : 0
    if (end > 0) buffer.addBytes(this.#bytes, this.#begins[key]!, end)
    return end > 0
  }

  /** Keeps the bytes of a buffer from an index on as the text of a key. */
  keep(key: number, buffer: ByteBuffer, from: number): void {
    if (key >= this.#ends.length) {
      this.#begins = grown(this.#begins, new Int32Array(2 * (key + 1)))
      this.#ends = grown(this.#ends, new Int32Array(2 * (key + 1)))
    }
    const text = buffer.bytesFrom(from)
    if (this.#length + text.length > this.#bytes.length)
      this.#bytes = grown(this.#bytes, new Uint8Array(2 * (this.#length + text.length)))
    this.#bytes.set(text, this.#length)
    this.#begins[key] = this.#length
    this.#length += text.length
    this.#ends[key] = this.#length
  }
}

/** Copies an array into a larger one. */
function grown<Numbers extends Uint8Array | Int32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}
