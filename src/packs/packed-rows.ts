import type { Properties } from '../model/source.ts'

const firstBytes = 65_536

/** The attributes of many features as text in one stretch of memory: objects by the ten thousand would keep the collector busy. */
export type PackedRows = { length: number; at(row: number): Properties }

/** Packs rows in the order they come. */
export function packRows(rows: Iterable<Properties>): PackedRows {
  let bytes = Buffer.allocUnsafeSlow(firstBytes)
  const ends = [0]
  for (const row of rows) {
    const text = JSON.stringify(row)
    const begin = ends.at(-1)!
    const end = begin + Buffer.byteLength(text)
    if (end > bytes.length) bytes = grown(bytes, begin, end)
    bytes.write(text, begin)
    ends.push(end)
  }
  const packed = grown(bytes, ends.at(-1)!, ends.at(-1)!)
  const bounds = Uint32Array.from(ends)
  let last: { row: number; properties: Properties } | null = null
  return {
    length: bounds.length - 1,
    at(row) {
      if (last?.row !== row) last = { row, properties: JSON.parse(packed.toString('utf8', bounds[row], bounds[row + 1])) as Properties }
      return last.properties
    },
  }
}

/** The first `used` bytes in a buffer twice as large as is needed; exactly as large when nothing more is to come. */
function grown(bytes: Buffer<ArrayBuffer>, used: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(needed > used ? 2 * needed : used)
  bytes.copy(larger, 0, 0, used)
  return larger
}
