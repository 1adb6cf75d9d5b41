/** Texts by key, in buffers that move between threads without a copy. The keys are sorted. */
export type PackedTexts = { keys: Uint8Array; keyEnds: Uint32Array; texts: Uint8Array; textEnds: Uint32Array }

/** The texts of a table by key. */
export type TextsByKey = { has(key: string): boolean; get(key: string): string | undefined; keys(): Iterable<string> }

/** Packs texts. */
export function packTexts(textsByKey: ReadonlyMap<string, string>): PackedTexts {
  const entries = [...textsByKey].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const [keys, keyEnds] = concatenate(entries.map(([key]) => key))
  const [texts, textEnds] = concatenate(entries.map(([, text]) => text))
  return { keys, keyEnds, texts, textEnds }
}

/** Reads packed texts by key. */
export function openPackedTexts({ keys, keyEnds, texts, textEnds }: PackedTexts): TextsByKey {
  const decoder = new TextDecoder()
  const piece = (bytes: Uint8Array, ends: Uint32Array, i: number) =>
    decoder.decode(bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]))
  const indexOf = (key: string): number => {
    let [low, high] = [0, keyEnds.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (piece(keys, keyEnds, middle) < key) low = middle + 1
      else high = middle
    }
    return low < keyEnds.length && piece(keys, keyEnds, low) === key ? low : -1
  }
  return {
    has: (key) => indexOf(key) >= 0,
    get(key) {
      const i = indexOf(key)
      return i < 0 ? undefined : piece(texts, textEnds, i)
    },
    *keys() {
      for (let i = 0; i < keyEnds.length; i++) yield piece(keys, keyEnds, i)
    },
  }
}

function concatenate(texts: readonly string[]): [bytes: Uint8Array, ends: Uint32Array] {
  const pieces = texts.map((text) => Buffer.from(text))
  const ends = new Uint32Array(pieces.length)
  let end = 0
  for (const [i, piece] of pieces.entries()) ends[i] = end += piece.length
  // A Buffer from the pool of Bun could not be transferred.
  const bytes = new Uint8Array(end)
  for (const [i, piece] of pieces.entries()) bytes.set(piece, ends[i]! - piece.length)
  return [bytes, ends]
}
