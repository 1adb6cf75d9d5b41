import { edenGC } from 'bun:jsc'
import { parse } from '@fast-csv/parse'
import { ApiError, ValidationError, type Violation } from '../model/error.ts'
import { createYieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { LocationPacker, type NewLocation, type PackedLocations } from '../store/packed-locations.ts'
import { readCsvRecords, recordMax_characters, type CsvRecord } from './csv-records.ts'
import { errorEntryOf } from './run-entry.ts'
import { uploadColumnsOf, uploadColumnsMax, type UploadColumns } from './upload-columns.ts'
import { parseUploadRow, tooManyCells } from './upload-row.ts'
import { decodeUpload } from './upload-text.ts'

/** The maximum number of locations in a run. */
export const runLocationsMax = 10_000
const row_ms = 2000
/** Parsing a row creates garbage of ten times its size, which would grow to a hundred megabytes between collections. */
const charactersBetweenCollections = 524_288
/** Malformed rows are found without awaiting, so yield to the event loop after this time. */
const slice_ms = 10

/** The locations of an upload, and the names of its passthrough columns. */
export type Upload = { columns: string[]; locations: PackedLocations }

/**
 * Reads a CSV upload as it arrives: UTF-8 or UTF-16, with commas, semicolons or tabs. A malformed row becomes an error
 * entry with its line number.
 * @throws {ValidationError} if there is no location column, no row, or there are too many columns or rows.
 */
export async function readUpload(bytes: AsyncIterable<Uint8Array>, kind: string, now: Date): Promise<Upload> {
  const { texts, delimiter } = await decodeUpload(bytes)
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const records = readCsvRecords(texts, delimiter, yieldToEventLoop)
  const read = createCellsReader(delimiter)
  const header = await headerIn(records, read)
  const columns = usableColumns(header, kind)
  const locations = new LocationPacker()
  let uncollected_characters = 0
  for await (const record of records) {
    await yieldToEventLoop()
    if (locations.length >= runLocationsMax)
      throw new ValidationError([violation('too_long', `List should have at most ${runLocationsMax} items, not more`)])
    locations.add(await locationOf(record, locations.length))
    uncollected_characters += record.text?.length ?? 0
    if (uncollected_characters < charactersBetweenCollections) continue
    uncollected_characters = 0
    edenGC()
  }
  if (locations.length === 0) throw new ValidationError([violation('too_short', 'List should have at least 1 item')])
  return { columns: columns.passthrough.map((i) => header[i]!), locations: locations.finish() }

  async function locationOf({ line, text }: CsvRecord, idx: number): Promise<NewLocation> {
    const record = text === null ? null : withoutEmptyCells(text, delimiter)
    const tooMany = record === null ? 0 : cellCountAbove(uploadColumnsMax, record, delimiter)
    const cells = record === null || tooMany > 0 ? null : await read(record)
    const input =
      cells !== null
        ? parseUploadRow(cells, header.length, columns, kind)
        : tooMany > 0
          ? tooManyCells(tooMany, header.length)
          : 'it has an unclosed quote, or text after a closing quote'
    const passthrough =
      columns.passthrough.length > 0 && cells !== null
        ? { passthrough: JSON.stringify(columns.passthrough.map((i) => cells[i] ?? '')) }
        : {}
    if (typeof input !== 'string') return { input: JSON.stringify(input), ...passthrough }
    const error = new ApiError('row_invalid', `Line ${line} is invalid: ${input}.`, { line })
    return { input: '{}', ...passthrough, errorEntry: errorEntryOf({ idx, original_index: null }, error, now).entry }
  }
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
function usableColumns(header: string[], kind: string): UploadColumns {
  const columns = uploadColumnsOf(header, kind)
  const violations = [
    ...(header.length > uploadColumnsMax
      ? [
          violation(
            'too_long',
            `The CSV has ${header.length} columns, but at most ${uploadColumnsMax} are allowed. Remove columns`,
          ),
        ]
      : []),
    ...(columns
      ? []
      : [
          violation(
            'value_error',
            `The CSV header has no location column. Use one of these sets of columns: lat and lng; address; street, city, state and zip${kind === 'fetch_batch' ? '' : '; input'}`,
            header.slice(0, uploadColumnsMax),
          ),
        ]),
  ]
  if (!columns || violations.length > 0) throw new ValidationError(violations)
  return columns
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
