const clear = 256
const end = 257
const first = 258
const widest = 12

/** Undoes the LZW of TIFF, up to so many bytes. Gives fewer when the data ends before; null when a code means nothing. */
export function unLzw(bytes: Uint8Array, most: number): Uint8Array<ArrayBuffer> | null {
  const out = new Uint8Array(most)
  // A code stands for what the one before it gave and one byte more: it begins where that one was written, and ends with the byte at which the next begins.
  const starts = new Int32Array((1 << widest) + 1)
  let [next, width, at] = [first, 9, 0]
  let [held, heldBits, from] = [0, 0, 0]

  while (at < most) {
    if (heldBits < width) {
      if (from + 1 < bytes.length) {
        held = (held << 16) | (bytes[from]! << 8) | bytes[from + 1]!
        heldBits += 16
        from += 2
      } else {
        if (from < bytes.length) {
          held = (held << 8) | bytes[from++]!
          heldBits += 8
        }
        if (heldBits < width) break
      }
    }
    heldBits -= width
    const code = (held >>> heldBits) & ((1 << width) - 1)
    if (code === end) break
    if (code === clear) {
      next = first
      width = 9
      continue
    }
    if (next <= 1 << widest) starts[next++] = at
    if (code < clear) out[at++] = code
    else {
      if (code >= next - 1) return null
      const begin = starts[code]!
      const stop = Math.min(most, at + starts[code + 1]! - begin + 1)
      // Byte by byte: the newest code ends with the byte that is being written.
      for (let source = begin; at < stop; source++) out[at++] = out[source]!
    }
    if (next >= 1 << width && width < widest) width++
  }
  return at >= most ? out : out.subarray(0, at)
}
