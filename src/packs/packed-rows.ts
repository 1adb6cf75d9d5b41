import type { Properties } from '../model/source.ts'

const initial_bytes = 65_536

/** The attributes of many features as text in one stretch of memory: objects by the ten thousand would keep the collector busy. */
export type PackedRows = { length: number; at(row: number): Properties }

/** Packs rows in the order they come. The names of the columns are held once: with them every row would be twice as long. */
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
    /** Hands them over: nothing can be added after. */
    rows(): PackedRows {
      bytes = resize(bytes, ends.at(-1)!)
      return createRowReader(bytes, Uint32Array.from(ends), columns)
    },
  }

  /** The number of the set of columns that a row has; in a table all rows have the same. */
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

/** The same stretch with another length; what was is given back at once. */
function resize(bytes: Buffer<ArrayBuffer>, length: number): Buffer<ArrayBuffer> {
  return Buffer.from(bytes.buffer.transfer(length))
}
