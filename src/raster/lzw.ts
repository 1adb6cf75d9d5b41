const clear = 256
const end = 257
const first = 258
const widest = 12

/** Undoes the LZW of TIFF, up to so many bytes. Gives fewer when the data ends before; null when a code means nothing. */
export function unLzw(bytes: Uint8Array, most: number): Uint8Array<ArrayBuffer> | null {
  const out = new Uint8Array(most)
  // A code stands for what the one before it gave and one byte more: it lies in what was written.
  const starts = new Uint32Array(1 << widest)
  const lengths = new Uint32Array(1 << widest)
  let [next, width, at] = [first, 9, 0]
  let [previousAt, previousLength] = [0, 0]
  let [held, heldBits, from] = [0, 0, 0]

  while (at < most) {
    while (heldBits < width && from < bytes.length) {
      held = ((held << 8) | bytes[from++]!) & 0xffffff
      heldBits += 8
    }
    if (heldBits < width) break
    heldBits -= width
    const code = (held >> heldBits) & ((1 << width) - 1)
    if (code === end) break
    if (code === clear) {
      ;[next, width, previousLength] = [first, 9, 0]
      continue
    }
    if (previousLength > 0 && next < 1 << widest) {
      starts[next] = previousAt
      lengths[next] = previousLength + 1
      next++
    }
    if (code >= next) return null
    const length = code < clear ? 1 : lengths[code]!
    const stop = Math.min(most, at + length)
    previousAt = at
    previousLength = length
    // Byte by byte: the newest code ends with the byte that is being written.
    if (code < clear) out[at++] = code
    else for (let source = starts[code]!; at < stop; at++, source++) out[at] = out[source]!
    if (next + 1 >= 1 << width && width < widest) width++
  }
  return at >= most ? out : out.subarray(0, at)
}
