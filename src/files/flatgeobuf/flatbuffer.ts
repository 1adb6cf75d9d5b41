/** A table of a FlatBuffer. Fields have numbers; an absent field has its default. */
export type FlatbufferTable = {
  has(field: number): boolean
  uint8(field: number, fallback?: number): number
  uint16(field: number, fallback?: number): number
  int32(field: number, fallback?: number): number
  uint64(field: number): number
  text(field: number): string | null
  table(field: number): FlatbufferTable | null
  tables(field: number): FlatbufferTable[]
  /** The offset of a vector of numbers, and its number of items. */
  vector(field: number, size: number): { at: number; length: number }
  bytes: Buffer
}

/** The root table of a buffer (https://flatbuffers.dev/internals/). @throws RangeError on a read beyond the buffer. */
export function readRootTable(bytes: Buffer): FlatbufferTable {
  return readTable(bytes, bytes.readUInt32LE(0))
}

function readTable(bytes: Buffer, at: number): FlatbufferTable {
  const vtable = at - bytes.readInt32LE(at)
  const size = bytes.readUInt16LE(vtable)
  const fieldOffset = (field: number): number => {
    const entry = 4 + 2 * field
    const offset = entry + 2 <= size ? bytes.readUInt16LE(vtable + entry) : 0
    return offset === 0 ? 0 : at + offset
  }
  const targetOffset = (field: number): number => {
    const from = fieldOffset(field)
    return from === 0 ? 0 : from + bytes.readUInt32LE(from)
  }
  const vector = (field: number, itemSize: number) => {
    const from = targetOffset(field)
    if (from === 0) return { at: 0, length: 0 }
    const length = bytes.readUInt32LE(from)
    if (from + 4 + length * itemSize > bytes.length) throw new RangeError('A vector extends beyond the buffer.')
    return { at: from + 4, length }
  }
  return {
    has: (field) => fieldOffset(field) !== 0,
    uint8: (field, fallback = 0) => (fieldOffset(field) === 0 ? fallback : bytes.readUInt8(fieldOffset(field))),
    uint16: (field, fallback = 0) => (fieldOffset(field) === 0 ? fallback : bytes.readUInt16LE(fieldOffset(field))),
    int32: (field, fallback = 0) => (fieldOffset(field) === 0 ? fallback : bytes.readInt32LE(fieldOffset(field))),
    uint64: (field) => (fieldOffset(field) === 0 ? 0 : Number(bytes.readBigUInt64LE(fieldOffset(field)))),
    text(field) {
      const { at: from, length } = vector(field, 1)
      return from === 0 ? null : bytes.toString('utf8', from, from + length)
    },
    table(field) {
      const from = targetOffset(field)
      return from === 0 ? null : readTable(bytes, from)
    },
    tables(field) {
      const { at: from, length } = vector(field, 4)
      return Array.from({ length }, (_, i) => readTable(bytes, from + 4 * i + bytes.readUInt32LE(from + 4 * i)))
    },
    vector,
    bytes,
  }
}
