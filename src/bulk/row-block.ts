import { type CsvRecord, recordMax_characters, recordsOfText } from '../files/table/csv-records.ts'
import { createUploadRowReader, type UploadRow, type UploadTable } from '../runs/upload/upload-table.ts'
import type { InputBlock } from './bulk-job.ts'

/**
 * The rows of a block. Most rows are plain: all cells are there, none is quoted, and the coordinates are decimal
 * numbers. Their cells stay bytes.
 */
export class RowBlock {
  readonly size: number
  /** The coordinates of the rows; NaN for rows without. */
  readonly lats: Float64Array
  readonly lngs: Float64Array
  /** 1 for the coordinates that plain rows have in the form of JSON. */
  readonly isCanonical: { lat: Uint8Array; lng: Uint8Array }
  /** The rows that are not plain, by their position in the block. */
  readonly otherRows = new Map<number, UploadRow>()
  /** The text of the block as UTF-8. */
  readonly bytes: Uint8Array
  /** Where the cells of plain rows begin: those of row `i` at `i * (width + 1)`. A cell ends a byte before the next. */
  readonly starts: Int32Array
  readonly width: number

  constructor(size: number, width: number, bytes: Uint8Array) {
    this.size = size
    this.width = width
    this.bytes = bytes
    this.lats = new Float64Array(size).fill(NaN)
    this.lngs = new Float64Array(size).fill(NaN)
    this.isCanonical = { lat: new Uint8Array(size), lng: new Uint8Array(size) }
    this.starts = new Int32Array(size * (width + 1))
  }

  /** Returns the cells of a row. */
  cellsOf(row: number): string[] {
    const other = this.otherRows.get(row)
    return other ? other.cells : Array.from({ length: this.width }, (_, column) => this.cellOf(row, column))
  }

  /** Returns a cell of a plain row. */
  cellOf(row: number, column: number): string {
    const { from, to } = this.cellAt(row, column)
    return decoder.decode(this.bytes.subarray(from, to))
  }

  /** Returns where the bytes of a cell of a plain row are. */
  cellAt(row: number, column: number): { from: number; to: number } {
    const at = row * (this.width + 1) + column
    return { from: this.starts[at]!, to: this.starts[at + 1]! - 1 }
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

const lineFeed = 10
const carriageReturn = 13
const quote = 34

/** Reads the rows of a block. Returns a promise only if a record has unusual quotes. */
export function createBlockReader(table: UploadTable): (block: InputBlock) => Promise<RowBlock> {
  const readRow = createUploadRowReader(table)
  const { lat, crs, west } = table.columns
  const hasPlainRows = table.kind === 'fetch_batch' && lat >= 0 && crs === null && !west && table.delimiter.length === 1
  return async (block) => {
    const bytes = encoder.encode(block.text)
    const rows = new RowBlock(block.rows, table.columns.header.length, bytes)
    const scanner = new RowScanner(rows, table, block.line)
    // A character that could not be decoded is an error of its row.
    if (hasPlainRows && !/[\uFEFF\uFFFD]/.test(block.text)) scanner.scan()
    for (const { row, record } of scanner.otherRecords()) {
      const read = await readRow(record)
      rows.otherRows.set(row, read)
      if (!('input' in read && 'lat' in read.input)) continue
      rows.lats[row] = read.input.lat
      rows.lngs[row] = read.input.lng
    }
    if (scanner.found !== block.rows)
      throw new Error(`A block of ${block.rows} rows was read as ${scanner.found} rows.`)
    return rows
  }
}

/** Finds the plain rows of a block, and the records of the other rows. */
class RowScanner {
  readonly #rows: RowBlock
  readonly #table: UploadTable
  readonly #others: { row: number; record: CsvRecord }[] = []
  readonly #parser = new DegreeParser()
  #at = 0
  #line: number
  /** The number of rows that were found. */
  found = 0

  constructor(rows: RowBlock, table: UploadTable, line: number) {
    this.#rows = rows
    this.#table = table
    this.#line = line
  }

  /** Scans up to the first quote. What comes after it may need the complete rules of CSV. */
  scan(): void {
    const { bytes } = this.#rows
    while (this.#at < bytes.length) {
      const next = this.#scanLine()
      if (next < 0) return
      this.#at = next
      this.#line++
    }
  }

  /** Yields the rows that are not plain: those that were found, then all after the end of the scan. */
  *otherRecords(): Generator<{ row: number; record: CsvRecord }> {
    yield* this.#others
    const rest = decoder.decode(this.#rows.bytes.subarray(this.#at))
    for (const record of recordsOfText(rest, this.#table.delimiter, this.#line)) yield { row: this.found++, record }
  }

  /** Returns the index of the next line, or -1 if this one is not simple. */
  #scanLine(): number {
    const { bytes, starts, width } = this.#rows
    const delimiter = this.#table.delimiter.charCodeAt(0)
    const begin = this.#at
    const first = this.found * (width + 1)
    let cells = 1
    let i = begin
    starts[first] = begin
    for (; i < bytes.length; i++) {
      const byte = bytes[i]!
      if (byte === delimiter) {
        if (cells <= width) starts[first + cells] = i + 1
        cells++
      } else if (byte === lineFeed) break
      else if (byte === quote || (byte === carriageReturn && bytes[i + 1] !== lineFeed)) return -1
    }
    if (i - begin >= recordMax_characters) return -1
    const end = i > begin && bytes[i - 1] === carriageReturn ? i - 1 : i
    if (end > begin) this.#addRow(begin, end, cells)
    return i + 1
  }

  #addRow(begin: number, end: number, cells: number): void {
    const rows = this.#rows
    const row = this.found++
    const first = row * (rows.width + 1)
    if (cells === rows.width) rows.starts[first + cells] = end + 1
    if (cells !== rows.width || !this.#parseDegrees(row, first))
      this.#others.push({ row, record: { line: this.#line, text: decoder.decode(rows.bytes.subarray(begin, end)) } })
  }

  #parseDegrees(row: number, first: number): boolean {
    const { bytes, starts, lats, lngs, isCanonical } = this.#rows
    const { lat, lng } = this.#table.columns
    const parser = this.#parser
    if (!parser.parse(bytes, starts[first + lat]!, starts[first + lat + 1]! - 1)) return false
    const latitude = parser.value
    isCanonical.lat[row] = parser.isCanonical ? 1 : 0
    if (!parser.parse(bytes, starts[first + lng]!, starts[first + lng + 1]! - 1)) return false
    isCanonical.lng[row] = parser.isCanonical ? 1 : 0
    lats[row] = latitude
    lngs[row] = parser.value
    return true
  }
}

const powersOfTen = Float64Array.from({ length: 16 }, (_, i) => Number(`1e${i}`))
/** All integers with this many digits are exact, and so is the text of their decimals. */
const maxDigits = 15
/** Smaller numbers are written with an exponent. */
const leastWithoutExponent = 1e-6

const minus = 45
const point = 46
const zero = 48
const nine = 57

/** Parses decimal numbers in bytes, such as `-104.99`, without creating objects. */
export class DegreeParser {
  value = 0
  /** Whether the bytes are the JSON of the value. */
  isCanonical = false

  /** Returns whether the bytes are a number that this class can read. */
  parse(bytes: Uint8Array, from: number, to: number): boolean {
    const isNegative = bytes[from] === minus
    const begin = isNegative ? from + 1 : from
    let digits = 0
    let decimals = -1
    for (let i = begin; i < to; i++) {
      const byte = bytes[i]!
      if (byte === point && decimals < 0 && i > begin) decimals = 0
      else if (byte >= zero && byte <= nine) {
        digits = 10 * digits + byte - zero
        if (decimals >= 0) decimals++
      } else return false
    }
    const length = to - begin - (decimals >= 0 ? 1 : 0)
    if (length === 0 || length > maxDigits) return false
    const value = decimals > 0 ? digits / powersOfTen[decimals]! : digits
    this.value = isNegative && value !== 0 ? -value : value
    const hasLeadingZero = bytes[begin] === zero && length > 1 && bytes[begin + 1] !== point
    const hasTrailingZero = decimals >= 0 && (decimals === 0 || bytes[to - 1] === zero)
    this.isCanonical =
      !hasLeadingZero && !hasTrailingZero && (value >= leastWithoutExponent || (value === 0 && !isNegative))
    return true
  }
}
