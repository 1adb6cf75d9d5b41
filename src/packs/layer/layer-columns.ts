import type { Properties, Value } from '../../model/source.ts'

/**
 * A column of a layer. A number column has NaN for null. A text column has each distinct text once: the code of a row
 * is 0 for null, or 1 + the index of its text, which ends before byte `ends[index]` of `bytes`.
 */
export type ColumnArrays =
  | { name: string; values: Float64Array }
  | {
      name: string
      codes: Uint16Array | Uint32Array
      ends: Uint32Array
      bytes: Uint8Array
      /** `latin1` if all texts are ASCII, because it is decoded in half the time of UTF-8. */
      encoding: 'latin1' | 'utf8'
    }

/** Rows whose attributes stay decoded. More would take more memory than the arrays. */
const maxCachedRows = 4096
/** A column with at most this many distinct texts keeps them decoded. */
const maxCachedTexts = 4096

/** The attributes of the features of a layer, read in place from its columns. */
export class LayerColumns {
  readonly #columns: { name: string; reader: ColumnReader }[]
  readonly #readers: Map<string, ColumnReader>
  /** Decoded rows: row `r` is at `r` modulo the length, if `cachedRows` has `r` there. */
  readonly #cache: (Properties | undefined)[]
  readonly #cachedRows: Int32Array

  constructor(columns: ColumnArrays[], length: number) {
    this.#columns = columns.map((column) => ({
      name: column.name,
      reader: 'values' in column ? new NumberReader(column.values) : new TextReader(column),
    }))
    this.#readers = new Map(this.#columns.map(({ name, reader }) => [name, reader]))
    const cacheSize = Math.min(length, maxCachedRows)
    this.#cache = Array.from({ length: cacheSize })
    this.#cachedRows = new Int32Array(cacheSize).fill(-1)
  }

  /** The attributes of a row. The object is shared, so do not change it. */
  at(row: number): Properties {
    const slot = row % this.#cachedRows.length
    if (this.#cachedRows[slot] !== row) {
      this.#cache[slot] = this.#read(row)
      this.#cachedRows[slot] = row
    }
    return this.#cache[slot]!
  }

  /** One attribute of a row; undefined if the layer has no such column. */
  valueAt(row: number, name: string): Value | undefined {
    return this.#readers.get(name)?.at(row)
  }

  /** Returns a function that reads the included columns of a row into an object, always the same one. */
  createReader(includes: (name: string) => boolean): (row: number) => Properties {
    const columns = this.#columns.filter(({ name }) => includes(name))
    const properties: Properties = {}
    return (row) => {
      for (const { name, reader } of columns) properties[name] = reader.at(row)
      return properties
    }
  }

  /** The rows whose text in this column is one of the texts, in any ASCII case. */
  rowsWithText(name: string, texts: readonly string[]): number[] {
    const reader = this.#readers.get(name)
    return reader instanceof TextReader ? reader.rowsWith(texts) : []
  }

  #read(row: number): Properties {
    const properties: Properties = {}
    for (const { name, reader } of this.#columns) properties[name] = reader.at(row)
    return properties
  }
}

type ColumnReader = NumberReader | TextReader

class NumberReader {
  readonly #values: Float64Array

  constructor(values: Float64Array) {
    this.#values = values
  }

  at(row: number): number | null {
    const value = this.#values[row]!
    return Number.isNaN(value) ? null : value
  }
}

class TextReader {
  readonly #codes: Uint16Array | Uint32Array
  readonly #ends: Uint32Array
  readonly #bytes: Buffer
  readonly #encoding: 'latin1' | 'utf8'
  readonly #texts: (string | undefined)[] | null

  constructor({ codes, ends, bytes, encoding }: Exclude<ColumnArrays, { values: Float64Array }>) {
    this.#codes = codes
    this.#ends = ends
    this.#encoding = encoding
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#texts = ends.length <= maxCachedTexts ? Array.from({ length: ends.length }) : null
  }

  at(row: number): string | null {
    const code = this.#codes[row]!
    if (code === 0) return null
    return this.#texts ? (this.#texts[code - 1] ??= this.#decode(code - 1)) : this.#decode(code - 1)
  }

  rowsWith(texts: readonly string[]): number[] {
    const foldedTexts = new Set(texts.map(foldAscii))
    const outlines = new Set(texts.map((text) => Buffer.from(text)).map((bytes) => outlineOf(bytes, 0, bytes.length)))
    const found = new Set<number>()
    for (let index = 0, begin = 0; index < this.#ends.length; index++) {
      const end = this.#ends[index]!
      // Few texts are decoded: those as long as a requested one that begin like it.
      if (outlines.has(outlineOf(this.#bytes, begin, end)) && foldedTexts.has(foldAscii(this.#decode(index))))
        found.add(index + 1)
      begin = end
    }
    return found.size === 0 ? [] : this.#rowsWithCodes(found)
  }

  #rowsWithCodes(codes: ReadonlySet<number>): number[] {
    const rows: number[] = []
    for (let row = 0; row < this.#codes.length; row++) if (codes.has(this.#codes[row]!)) rows.push(row)
    return rows
  }

  #begin(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]!
  }

  #decode(index: number): string {
    return this.#bytes.toString(this.#encoding, this.#begin(index), this.#ends[index])
  }
}

/** The length and the first two bytes of a text as one number, the same for capital and small letters. */
function outlineOf(bytes: Uint8Array, begin: number, end: number): number {
  const length = end - begin
  return (length << 16) | (((length > 1 ? bytes[begin + 1]! : 0) | 32) << 8) | ((length > 0 ? bytes[begin]! : 0) | 32)
}

function foldAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
