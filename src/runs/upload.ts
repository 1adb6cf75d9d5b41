import { edenGC } from 'bun:jsc'
import { parse } from '@fast-csv/parse'
import { ApiError, ValidationError, type Violation } from '../model/error.ts'
import { createYieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { LocationPacker, type NewLocation, type PackedLocations } from '../store/packed-locations.ts'
import { readCsvRecords, recordMax_characters, type CsvRecord } from './csv-records.ts'
import { errorEntryOf } from './run-entry.ts'
import {
  mappedParts,
  unknownMappedColumns,
  uploadColumnsOf,
  uploadColumnsMax,
  type ColumnMapping,
  type UploadColumns,
} from './upload-columns.ts'
import { parseUploadRow, tooManyCells } from './upload-row.ts'
import { spreadsheetAsCsv } from './upload-spreadsheet.ts'
import { decodeUpload, isKnownEncoding } from './upload-text.ts'
import { workbookCsv, type ConvertWorkbook } from './workbook.ts'

/** The maximum number of locations in a run. */
export const runLocationsMax = 10_000
const row_ms = 2000
const shownColumnsMax = 30
/** Parsing a row creates garbage of ten times its size, which would grow to a hundred megabytes between collections. */
const charactersBetweenCollections = 524_288
/** Malformed rows are found without awaiting, so yield to the event loop after this time. */
const slice_ms = 10

/** The locations of an upload, and the names of its columns. */
export type Upload = { columns: string[]; locations: PackedLocations }

/** How to read a file. What is not given is detected. */
export type UploadFormat = {
  mapping?: ColumnMapping
  encoding?: string
  /** The sheet of a workbook that has several. */
  sheet?: string
}

/** Returns the format that named options describe: lat, lng, address, encoding and sheet. */
export function uploadFormatOf(option: (name: string) => string | null | undefined): UploadFormat {
  const given = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (option(name) ? [[name, option(name)!]] : [])))
  const mapping: ColumnMapping = given(mappedParts)
  return { ...(Object.keys(mapping).length > 0 && { mapping }), ...given(['encoding', 'sheet']) }
}

/** What to make of an upload. `rowsMax` is the maximum number of rows, `convert` reads workbooks. */
export type UploadOptions = {
  kind: string
  now: Date
  rowsMax: number
  format?: UploadFormat
  convert?: ConvertWorkbook
}

/**
 * Reads an upload as it arrives: CSV with commas, semicolons or tabs, or a sheet of a workbook (.xlsx). A malformed row
 * becomes an error entry with its line number.
 * @throws {ValidationError} if there is no location column, no row, or there are too many columns or rows.
 */
export async function readUpload(
  bytes: AsyncIterable<Uint8Array>,
  { kind, now, rowsMax, format = {}, convert = convertInThisThread }: UploadOptions,
): Promise<Upload> {
  requireKnownEncoding(format)
  const { chunks, isSpreadsheet } = await spreadsheetAsCsv(bytes, format.sheet, convert)
  const { texts, delimiter, firstLine } = await decodeUpload(chunks, isSpreadsheet ? 'utf-8' : format.encoding)
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const records = readCsvRecords(texts, delimiter, yieldToEventLoop)
  const read = createCellsReader(delimiter)
  const header = await headerIn(records, read)
  const columns = usableColumns(header, kind, format.mapping)
  const locations = new LocationPacker()
  let uncollected_characters = 0
  let excess = 0
  for await (const record of records) {
    await yieldToEventLoop()
    // The rows above the limit are only counted.
    if (locations.length >= rowsMax) {
      excess++
      continue
    }
    locations.add(await locationOf(record, locations.length))
    uncollected_characters += record.text?.length ?? 0
    if (uncollected_characters < charactersBetweenCollections) continue
    uncollected_characters = 0
    edenGC()
  }
  if (excess > 0) throw new ValidationError([tooManyRows(locations.length + excess, rowsMax)])
  if (locations.length === 0) throw new ValidationError([violation('too_short', 'No rows under the header')])
  return { columns: header, locations: locations.finish() }

  async function locationOf({ line, text, raw }: CsvRecord, idx: number): Promise<NewLocation> {
    const record = text === null ? null : withoutEmptyCells(text, delimiter)
    const tooMany = record === null ? 0 : cellCountAbove(uploadColumnsMax, record, delimiter)
    const cells = record === null || tooMany > 0 ? null : await read(record)
    const input =
      cells !== null
        ? parseUploadRow(cells, columns, kind)
        : tooMany > 0
          ? tooManyCells(tooMany, header.length)
          : 'it has an unclosed quote, or text after a closing quote'
    // A record that cannot be parsed is split at each delimiter.
    const inputCells = cellsOfWidth(header.length, cells ?? (text ?? raw ?? '').split(delimiter), delimiter)
    const passthrough = JSON.stringify(header.map((_, i) => inputCells[i] ?? ''))
    if (typeof input !== 'string') return { input: JSON.stringify(input), passthrough }
    const fileLine = line + firstLine - 1
    const message = `Line ${fileLine} is invalid: ${input}${input.endsWith('?') ? '' : '.'}`
    const error = new ApiError('row_invalid', message, { line: fileLine })
    return { input: '{}', passthrough, errorEntry: errorEntryOf({ idx, original_index: null }, error, now).entry }
  }
}

// oxlint-disable-next-line typescript/require-await -- A conversion in a worker is asynchronous.
const convertInThisThread: ConvertWorkbook = async (workbook, sheet) => workbookCsv(workbook, sheet)

/** Joins the cells beyond the width of the header with the last column, so that no text of the row is lost. */
function cellsOfWidth(width: number, cells: string[], delimiter: string): string[] {
  return cells.length <= width ? cells : [...cells.slice(0, width - 1), cells.slice(width - 1).join(delimiter)]
}

function requireKnownEncoding({ encoding }: UploadFormat): void {
  if (encoding === undefined || isKnownEncoding(encoding)) return
  throw new ValidationError([
    violation('value_error', `Unknown encoding ${JSON.stringify(encoding)}. Use utf-8, utf-16 or windows-1252`),
  ])
}

function tooManyRows(rows: number, rowsMax: number): Violation {
  return violation('too_long', `${rows.toLocaleString('en-US')} rows; the limit is ${rowsMax.toLocaleString('en-US')}`)
}

/** Removes the empty cells at the end. A spreadsheet can write thousands of them, and parsing each would take long. */
function withoutEmptyCells(record: string, delimiter: string): string {
  let end = record.length
  while (end > 0 && record[end - 1] === delimiter) end--
  return record.slice(0, end)
}

/** Returns the number of cells of a well-formed record if it is above the maximum, else 0. */
function cellCountAbove(max: number, record: string, delimiter: string): number {
  let count = 1
  let isQuoted = false
  for (const character of record) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === delimiter && !isQuoted) count++
  }
  return count > max ? count : 0
}

type ReadCells = (record: string) => Promise<string[] | null>

/** The cells of the header; none if the file is empty. */
async function headerIn(records: AsyncIterator<CsvRecord>, read: ReadCells): Promise<string[]> {
  const { value, done } = await records.next()
  if (done) return []
  const header = value.text === null ? null : await read(value.text)
  if (header) return header
  throw new ValidationError([
    violation(
      'value_error',
      `The CSV header is invalid: it has more than ${recordMax_characters} characters, or an unclosed quote`,
    ),
  ])
}

/** Recognizes the columns. @throws {ValidationError} with all violations. */
function usableColumns(header: string[], kind: string, mapping: ColumnMapping = {}): UploadColumns {
  const columns = uploadColumnsOf(header, kind, mapping)
  const unknownNames = unknownMappedColumns(header, mapping)
  const violations = [
    ...unknownNames.map((name) =>
      violation(
        'value_error',
        `The file has no column ${JSON.stringify(name)}. Its columns are ${header.slice(0, shownColumnsMax).join(', ')}`,
        name,
      ),
    ),
    ...(header.length > uploadColumnsMax
      ? [
          violation(
            'too_long',
            `The CSV has ${header.length} columns, but at most ${uploadColumnsMax} are allowed. Remove columns`,
          ),
        ]
      : []),
    ...(columns || unknownNames.length > 0
      ? []
      : [
          violation(
            'value_error',
            header.join('') === '' ? 'The file is empty' : noLocationColumnText(header, kind),
            header.slice(0, uploadColumnsMax),
          ),
        ]),
  ]
  if (!columns || violations.length > 0) throw new ValidationError(violations)
  return columns
}

function noLocationColumnText(header: string[], kind: string): string {
  const sets = `lat and lng; address; street, city, state and zip${kind === 'fetch_batch' ? '' : '; input'}`
  return `The file has no location column. Its columns are ${header.slice(0, shownColumnsMax).join(', ')}. Use one of these sets of columns: ${sets}. Or name the columns with lat, lng and address`
}

/**
 * Creates a function that parses one record at a time with a shared parser. It resolves with null for a malformed
 * record.
 */
function createCellsReader(delimiter: string): ReadCells {
  const openParser = () => {
    const parser = parse<string[], string[]>({ headers: false, delimiter, ignoreEmpty: false })
    return { parser, rows: parser[Symbol.asyncIterator]() }
  }
  let { parser, rows } = openParser()
  return async (record) => {
    try {
      parser.write(`${record}\n`)
      const { value, done } = await withRowTimeout(rows.next())
      return done ? [] : (value as string[])
    } catch {
      ;({ parser, rows } = openParser())
      return null // the parser disagrees with readCsvRecords about a quote: the row is malformed
    }
  }
}

/** Limits the wait for a row: the parser emits a row immediately, or never. */
async function withRowTimeout<T>(row: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The CSV parser returned no row.')), row_ms)
  return Promise.race([row, promise]).finally(() => clearTimeout(timer))
}

function violation(type: string, msg: string, input: unknown = null): Violation {
  return { type, loc: ['body'], msg, input }
}
