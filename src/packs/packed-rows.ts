import type { Properties } from '../model/source.ts'

const initial_bytes = 65_536

/**
 * The attributes of many features as text in one buffer. Tens of thousands of objects would slow the garbage
 * collector.
 */
export type PackedRows = { length: number; at(row: number): Properties }

/** Packs rows in order. Stores each set of column names once, because they would double the size of every row. */
export function createRowPacker() {
  let bytes = Buffer.allocUnsafeSlow(initial_bytes)
  const ends = [0]
  const columns: string[][] = []
  return {
    add(row: Properties) {
      const text = JSON.stringify([columnSetOf(row), ...Object.values(row)])
      const begin = ends.at(-1)!
      const end = begin + Buffer.byteLength(text)
      if (end > bytes.length) bytes = resize(bytes, 2 * end)
      bytes.write(text, begin)
      ends.push(end)
    },
    /** Returns the packed rows. Nothing can be added afterwards. */
    rows(): PackedRows {
      bytes = resize(bytes, ends.at(-1)!)
      return createRowReader(bytes, Uint32Array.from(ends), columns)
    },
  }

  /** The index of the row's set of columns. All rows of a table share one set. */
  function columnSetOf(row: Properties): number {
    const names = Object.keys(row)
    const existing = columns.findIndex((it) => it.length === names.length && it.every((name, i) => name === names[i]))
    return existing >= 0 ? existing : columns.push(names) - 1
  }
}

function createRowReader(bytes: Buffer, ends: Uint32Array, columns: string[][]): PackedRows {
  let last: { row: number; properties: Properties } | null = null
  return {
    length: ends.length - 1,
    at(row) {
      if (last?.row !== row)
        last = { row, properties: unpackRow(bytes.toString('utf8', ends[row], ends[row + 1]), columns) }
      return last.properties
    },
  }
}

function unpackRow(text: string, columns: string[][]): Properties {
  const values = JSON.parse(text) as [number, ...Properties[string][]]
  const names = columns[values[0]]!
  const properties: Properties = {}
  for (let i = 0; i < names.length; i++) properties[names[i]!] = values[i + 1]!
  return properties
}

/** Resizes the buffer and frees the old memory at once. */
function resize(bytes: Buffer<ArrayBuffer>, length: number): Buffer<ArrayBuffer> {
  return Buffer.from(bytes.buffer.transfer(length))
}
