/** A table of a FlatBuffer: its fields by their number. What is not written has its default. */
export type Table = {
  has(field: number): boolean
  uint8(field: number, otherwise?: number): number
  uint16(field: number, otherwise?: number): number
  int32(field: number, otherwise?: number): number
  uint64(field: number): number
  text(field: number): string | null
  table(field: number): Table | null
  tables(field: number): Table[]
  /** The bytes of a vector of numbers, and how many it has. */
  vector(field: number, size: number): { at: number; length: number }
  bytes: Buffer
}

/** The root table of a buffer (https://flatbuffers.dev/internals/). Reading beyond the buffer throws a RangeError. */
export function rootOf(bytes: Buffer): Table {
  return tableAt(bytes, bytes.readUInt32LE(0))
}

function tableAt(bytes: Buffer, at: number): Table {
  const vtable = at - bytes.readInt32LE(at)
  const size = bytes.readUInt16LE(vtable)
  const place = (field: number): number => {
    const entry = 4 + 2 * field
    const offset = entry + 2 <= size ? bytes.readUInt16LE(vtable + entry) : 0
    return offset === 0 ? 0 : at + offset
  }
  const target = (field: number): number => {
    const from = place(field)
    return from === 0 ? 0 : from + bytes.readUInt32LE(from)
  }
  const vector = (field: number, each: number) => {
    const from = target(field)
    if (from === 0) return { at: 0, length: 0 }
    const length = bytes.readUInt32LE(from)
    if (from + 4 + length * each > bytes.length) throw new RangeError('A vector reaches beyond the buffer.')
    return { at: from + 4, length }
  }
  return {
    has: (field) => place(field) !== 0,
    uint8: (field, otherwise = 0) => (place(field) === 0 ? otherwise : bytes.readUInt8(place(field))),
    uint16: (field, otherwise = 0) => (place(field) === 0 ? otherwise : bytes.readUInt16LE(place(field))),
    int32: (field, otherwise = 0) => (place(field) === 0 ? otherwise : bytes.readInt32LE(place(field))),
    uint64: (field) => (place(field) === 0 ? 0 : Number(bytes.readBigUInt64LE(place(field)))),
    text(field) {
      const { at: from, length } = vector(field, 1)
      return from === 0 ? null : bytes.toString('utf8', from, from + length)
    },
    table(field) {
      const from = target(field)
      return from === 0 ? null : tableAt(bytes, from)
    },
    tables(field) {
      const { at: from, length } = vector(field, 4)
      return Array.from({ length }, (_, i) => tableAt(bytes, from + 4 * i + bytes.readUInt32LE(from + 4 * i)))
    },
    vector,
    bytes,
  }
}
