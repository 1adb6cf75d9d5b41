const clearCode = 256
const endCode = 257
const firstCode = 258
const maxCodeBits = 12

/**
 * Decompresses TIFF LZW data, at most `max_bytes`. Returns fewer bytes if the data ends early, and null for an invalid
 * code.
 */
export function decodeLzw(bytes: Uint8Array, max_bytes: number): Uint8Array<ArrayBuffer> | null {
  const out = new Uint8Array(max_bytes)
  // A code stands for the output of the previous code plus one byte. It starts where that output starts and ends with
  // the first byte of the next.
  const starts = new Int32Array((1 << maxCodeBits) + 1)
  let [nextCode, codeBits, outputOffset] = [firstCode, 9, 0]
  let [bitBuffer, bufferedBits, inputOffset] = [0, 0, 0]

  while (outputOffset < max_bytes) {
    if (bufferedBits < codeBits && inputOffset + 1 < bytes.length) {
      bitBuffer = (bitBuffer << 16) | (bytes[inputOffset]! << 8) | bytes[inputOffset + 1]!
      bufferedBits += 16
      inputOffset += 2
    } else if (bufferedBits < codeBits && inputOffset < bytes.length) {
      bitBuffer = (bitBuffer << 8) | bytes[inputOffset++]!
      bufferedBits += 8
    }
    if (bufferedBits < codeBits) break
    bufferedBits -= codeBits
    const code = (bitBuffer >>> bufferedBits) & ((1 << codeBits) - 1)
    if (code === endCode) break
    if (code === clearCode) {
      nextCode = firstCode
      codeBits = 9
      continue
    }
    if (nextCode <= 1 << maxCodeBits) starts[nextCode++] = outputOffset
    if (code < clearCode) out[outputOffset++] = code
    else {
      if (code >= nextCode - 1) return null
      const begin = starts[code]!
      const stop = Math.min(max_bytes, outputOffset + starts[code + 1]! - begin + 1)
      // Byte by byte, because the newest code ends with the byte that is being written.
      for (let source = begin; outputOffset < stop; source++) out[outputOffset++] = out[source]!
    }
    if (nextCode >= 1 << codeBits && codeBits < maxCodeBits) codeBits++
  }
  return outputOffset >= max_bytes ? out : out.subarray(0, outputOffset)
}
