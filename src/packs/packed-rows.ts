import type { Properties, Value } from '../model/source.ts'

const initialCodes = 65_536

/**
 * The attributes of many features: each distinct value once, and its number for each attribute of each row. Tens of
 * thousands of objects would slow the garbage collector.
 */
export type PackedRows = { length: number; at(row: number): Properties }

/** Packs rows in order. Stores each set of column names once, because all rows of a table share one. */
export function createRowPacker() {
  const values: Value[] = []
  const codesByValue = new Map<Value, number>()
  const columns: string[][] = []
  const columnSets: number[] = []
  const ends = [0]
  let codes = new Uint32Array(initialCodes)
  return {
    add(row: Properties) {
      let at = ends.at(-1)!
      const names = Object.keys(row)
      if (at + names.length > codes.length) codes = resize(codes, 2 * (at + names.length))
      for (const name of names) codes[at++] = codeOf(row[name]!)
      columnSets.push(columnSetOf(names))
      ends.push(at)
    },
    /** Returns the packed rows. Nothing can be added afterwards. */
    rows(): PackedRows {
      codes = resize(codes, ends.at(-1)!)
      codesByValue.clear()
      return createRowReader({
        values,
        codes,
        ends: Uint32Array.from(ends),
        columns,
        columnSets: Uint16Array.from(columnSets),
      })
    },
  }

  function codeOf(value: Value): number {
    const known = codesByValue.get(value)
    if (known !== undefined) return known
    const code = values.push(value) - 1
    codesByValue.set(value, code)
    return code
  }

  /** The index of the row's set of columns. */
  function columnSetOf(names: string[]): number {
    const existing = columns.findIndex((it) => it.length === names.length && it.every((name, i) => name === names[i]))
    return existing >= 0 ? existing : columns.push(names) - 1
  }
}

/** Row `r` has the columns `columns[columnSets[r]]`, and the codes of their values from `ends[r]`. */
type RowData = {
  values: Value[]
  codes: Uint32Array
  ends: Uint32Array
  columns: string[][]
  columnSets: Uint16Array
}

function createRowReader({ values, codes, ends, columns, columnSets }: RowData): PackedRows {
  let last: { row: number; properties: Properties } | null = null
  return {
    length: columnSets.length,
    at(row) {
      if (last?.row !== row) last = { row, properties: unpackRow(row) }
      return last.properties
    },
  }

  function unpackRow(row: number): Properties {
    const names = columns[columnSets[row]!]!
    const begin = ends[row]!
    const properties: Properties = {}
    for (let i = 0; i < names.length; i++) properties[names[i]!] = values[codes[begin + i]!]!
    return properties
  }
}

/** Resizes the array and frees the old memory at once. */
function resize(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(array.buffer.transfer(length * Uint32Array.BYTES_PER_ELEMENT))
}
