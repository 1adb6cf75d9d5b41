/** Unpacks a block of LZ4 of so many bytes. Throws where it says otherwise. */
export function unLz4(packed: Uint8Array, length: number): Uint8Array {
  const plain = new Uint8Array(length)
  let [from, to] = [0, 0]
  const byte = () => {
    if (from >= packed.length) throw broken('ends too soon')
    return packed[from++]!
  }
  /** Fifteen means that more of the number follows, until a byte that is not 255. */
  const numberFrom = (start: number) => {
    let sum = start
    for (let more = start === 15 ? 255 : 0; more === 255;) sum += more = byte()
    return sum
  }
  while (from < packed.length) {
    const token = byte()
    const literals = numberFrom(token >> 4)
    if (from + literals > packed.length || to + literals > length) throw broken('has more literals than there is room for')
    plain.set(packed.subarray(from, from + literals), to)
    from += literals
    to += literals
    if (from === packed.length) break
    const back = byte() | (byte() << 8)
    const again = leastMatch + numberFrom(token & 15)
    if (back === 0 || back > to || to + again > length) throw broken('points beyond what it holds')
    // One by one: what is copied may be what was copied just now.
    for (const end = to + again; to < end; to++) plain[to] = plain[to - back]!
  }
  if (to !== length) throw broken(`has ${to} bytes, not ${length}`)
  return plain
}

/** The same with the frames that Hadoop puts around blocks: the length of each, plain and packed; without any in files of other writers. */
export function unLz4Hadoop(packed: Uint8Array, length: number): Uint8Array {
  return framed(packed, length) ?? unLz4(packed, length)
}

const leastMatch = 4
const head_bytes = 8

function framed(packed: Uint8Array, length: number): Uint8Array | null {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const blocks: { begin: number; end: number; length: number }[] = []
  let [from, sum] = [0, 0]
  while (from + head_bytes <= packed.length) {
    const block = { begin: from + head_bytes, end: from + head_bytes + view.getUint32(from + 4), length: view.getUint32(from) }
    blocks.push(block)
    sum += block.length
    from = block.end
  }
  if (from !== packed.length || sum !== length) return null
  const plain = new Uint8Array(length)
  let to = 0
  for (const block of blocks) {
    plain.set(unLz4(packed.subarray(block.begin, block.end), block.length), to)
    to += block.length
  }
  return plain
}

function broken(how: string): Error {
  return new Error(`A block of LZ4 ${how}.`)
}
