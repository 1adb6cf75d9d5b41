/** Decompresses an LZ4 block to exactly `length` bytes. @throws Error if the block is corrupt or has another length. */
export function decompressLz4(compressed: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length)
  let [from, to] = [0, 0]
  const nextByte = () => {
    if (from >= compressed.length) throw lz4Error('is truncated')
    return compressed[from++]!
  }
  /** 15 means that the number continues in the next bytes, up to the first that is not 255. */
  const readLength = (start: number) => {
    let sum = start
    for (let next = start === 15 ? 255 : 0; next === 255;) sum += next = nextByte()
    return sum
  }
  while (from < compressed.length) {
    const token = nextByte()
    const literals = readLength(token >> 4)
    if (from + literals > compressed.length || to + literals > length) throw lz4Error('has literals beyond its end')
    output.set(compressed.subarray(from, from + literals), to)
    from += literals
    to += literals
    if (from === compressed.length) break
    const matchOffset = nextByte() | (nextByte() << 8)
    const matchLength = minMatchLength + readLength(token & 15)
    if (matchOffset === 0 || matchOffset > to || to + matchLength > length)
      throw lz4Error('refers to bytes out of range')
    // Copy byte by byte, because the match may overlap the bytes being written.
    for (const end = to + matchLength; to < end; to++) output[to] = output[to - matchOffset]!
  }
  if (to !== length) throw lz4Error(`decompresses to ${to} bytes, not ${length}`)
  return output
}

/**
 * Decompresses LZ4 with Hadoop's frames, which give the decompressed and compressed length of each block. Other writers
 * omit the frames.
 */
export function decompressLz4Hadoop(compressed: Uint8Array, length: number): Uint8Array {
  return decompressFrames(compressed, length) ?? decompressLz4(compressed, length)
}

const minMatchLength = 4
const head_bytes = 8

function decompressFrames(compressed: Uint8Array, length: number): Uint8Array | null {
  const view = new DataView(compressed.buffer, compressed.byteOffset, compressed.byteLength)
  const blocks: { begin: number; end: number; length: number }[] = []
  let [from, sum] = [0, 0]
  while (from + head_bytes <= compressed.length) {
    const block = {
      begin: from + head_bytes,
      end: from + head_bytes + view.getUint32(from + 4),
      length: view.getUint32(from),
    }
    blocks.push(block)
    sum += block.length
    from = block.end
  }
  if (from !== compressed.length || sum !== length) return null
  const output = new Uint8Array(length)
  let to = 0
  for (const block of blocks) {
    output.set(decompressLz4(compressed.subarray(block.begin, block.end), block.length), to)
    to += block.length
  }
  return output
}

function lz4Error(how: string): Error {
  return new Error(`An LZ4 block ${how}.`)
}
