const clearCode = 256
const firstCode = 258
const lastCode = 4093

/** LZW data of at least this many zeros. Each code stands for one zero more than the code before it. */
export function lzwZeros(size_bytes: number): Uint8Array {
  const bytes: number[] = []
  let [buffer, bits] = [0, 0]
  const write = (code: number, width: number) => {
    buffer = (buffer << width) | code
    for (bits += width; bits >= 8; bits -= 8) bytes.push((buffer >>> (bits - 8)) & 255)
    buffer &= 255
  }
  for (let zeros = 0, codeBits = 9; zeros < size_bytes; codeBits = 9) {
    // A clear code is written as wide as the codes before it.
    write(clearCode, zeros === 0 ? 9 : 12)
    for (let length = 1, code = 0; code <= lastCode && zeros < size_bytes; length++, code = firstCode + length - 2) {
      write(code, codeBits)
      zeros += length
      if (firstCode + length >= 1 << codeBits && codeBits < 12) codeBits++
    }
  }
  write(0, 16)
  return Uint8Array.from(bytes)
}
