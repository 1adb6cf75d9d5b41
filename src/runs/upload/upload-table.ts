import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { ApiError, ValidationError, type Violation } from '../../model/error.ts'
import { toDegreesOf, type ToDegrees } from '../../files/crs.ts'
import { FileError } from '../../files/file-error.ts'
import { shownColumns } from '../../files/table/column-names.ts'
import { createCellsReader } from '../../files/table/csv-cells.ts'
import { recordMax_characters, type CsvRecord } from '../../files/table/csv-records.ts'
import {
  unknownMappedColumns,
  uploadColumnsOf,
  uploadColumnsMax,
  type UploadColumns,
} from '../../files/table/upload-columns.ts'
import type { UploadFormat } from './upload-format.ts'
import { parseUploadRow, tooManyCells, type UploadInput } from './upload-row.ts'
import { decodeUpload, isKnownEncoding, type DecodedUpload } from '../../files/table/upload-text.ts'
import { workbookCsv, type ConvertWorkbook } from './workbook.ts'
import { invalidWorkbook, workbookMax_bytes } from './workbook-rows.ts'

/**
 * Opens an upload as text: CSV with commas, semicolons, tabs or vertical bars, or a sheet of a workbook (.xlsx), which
 * `convert` reads.
 * @throws {ValidationError} if the encoding is unknown, or the workbook cannot be read.
 */
export async function openUploadText(
  bytes: AsyncIterable<Uint8Array>,
  { encoding, delimiter, header_row, sheet, isLive }: UploadFormat & { isLive?: boolean },
  convert: ConvertWorkbook = workbookCsv,
): Promise<DecodedUpload & { isSpreadsheet: boolean }> {
  if (encoding !== undefined && !isKnownEncoding(encoding))
    throw uploadError('value_error', `Unknown encoding ${JSON.stringify(encoding)}. Use utf-8, utf-16 or windows-1252`)
  const { chunks, isSpreadsheet } = await spreadsheetAsCsv(bytes, sheet, convert)
  const text = isSpreadsheet ? { encoding: 'utf-8', delimiter: ',' } : { encoding, delimiter }
  return { ...(await decodeUpload(chunks, { ...text, header_row, isLive })), isSpreadsheet }
}

/**
 * Reads the header, which is the first record, and recognizes its columns. `sample` has the records of the first rows.
 * @throws {ValidationError} with all violations: no location column, too many columns, or unknown names in the mapping.
 */
export async function readUploadHeader(
  record: CsvRecord | undefined,
  sample: readonly CsvRecord[],
  { delimiter, kind, format }: { delimiter: string; kind: string; format: UploadFormat },
): Promise<UploadColumns> {
  const readCells = createCellsReader(delimiter)
  const header = record === undefined ? [] : record.text === null ? null : await readCells(record.text)
  if (!header)
    throw uploadError(
      'value_error',
      `The CSV header is invalid: it has more than ${recordMax_characters} characters, or an unclosed quote`,
    )
  const rows: string[][] = []
  for (const { text } of sample) {
    const isReadable = text !== null && cellCountAbove(uploadColumnsMax, text, delimiter) === 0
    const cells = isReadable ? await readCells(text) : null
    if (cells) rows.push(cells)
  }
  return usableColumns(header, kind, format, rows)
}

/** The error of an upload that has a header only. */
export function noUploadRowsError(): ValidationError {
  return uploadError('too_short', 'No rows under the header')
}

/** The error of an upload as a whole. */
export function uploadError(type: string, msg: string): ValidationError {
  return new ValidationError([violation(type, msg)])
}

/** What the rows of an upload have in common. `firstLine` is null if its lines are not those of the file. */
export type UploadTable = { kind: string; columns: UploadColumns; delimiter: string; firstLine: number | null }

/** A row: its location, or why it cannot be read, and the cells of all columns. */
export type UploadRow = { input: UploadInput; cells: string[] } | { error: ApiError; cells: string[] }

/**
 * Creates a function that reads one record at a time. It returns a promise only for a record with unusual quotes, and
 * the next record must wait for it.
 */
export function createUploadRowReader({
  kind,
  columns,
  delimiter,
  firstLine,
}: UploadTable): (record: CsvRecord) => MaybePromise<UploadRow> {
  const readCells = createCellsReader(delimiter)
  const width = columns.header.length
  const toDegrees = degreesOf(columns.crs)
  return (record) => {
    const text = record.text === null ? null : withoutEmptyCells(record.text, delimiter)
    const tooMany = text === null ? 0 : cellCountAbove(uploadColumnsMax, text, delimiter)
    if (text === null || tooMany > 0) return rowOf(record, null, tooMany)
    return andThen(readCells(text), (cells) => rowOf(record, cells, tooMany))
  }

  function rowOf({ line, text, raw }: CsvRecord, read: string[] | null, tooMany: number): UploadRow {
    const input =
      read !== null
        ? parseUploadRow(read, columns, kind, toDegrees)
        : tooMany > 0
          ? tooManyCells(tooMany, width)
          : 'it has an unclosed quote, or text after a closing quote'
    // A record that cannot be parsed is split at each delimiter.
    const cells = cellsOfWidth(width, read ?? (text ?? raw ?? '').split(delimiter), delimiter)
    if (typeof input !== 'string') return { input, cells }
    const fileLine = firstLine === null ? null : line + firstLine - 1
    const place = fileLine === null ? 'The row' : `Line ${fileLine}`
    const message = `${place} is invalid: ${input}${input.endsWith('?') ? '' : '.'}`
    return { error: new ApiError('row_invalid', message, fileLine === null ? {} : { line: fileLine }), cells }
  }
}

/** Joins the cells beyond the width with the last column, so that no text of the row is lost, and adds missing ones. */
function cellsOfWidth(width: number, cells: string[], delimiter: string): string[] {
  if (cells.length === width) return cells
  if (cells.length > width) return [...cells.slice(0, width - 1), cells.slice(width - 1).join(delimiter)]
  return [...cells, ...Array.from({ length: width - cells.length }, () => '')]
}

/** Removes the empty cells at the end. A spreadsheet can write thousands of them, and parsing each would take long. */
function withoutEmptyCells(record: string, delimiter: string): string {
  let end = record.length
  while (end > 0 && record[end - 1] === delimiter) end--
  return record.slice(0, end)
}

/** Returns the number of cells of a well-formed record if it is above the maximum, else 0. */
function cellCountAbove(max: number, record: string, delimiter: string): number {
  if (record.length < max) return 0
  let count = 1
  let isQuoted = false
  for (const character of record) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === delimiter && !isQuoted) count++
  }
  return count > max ? count : 0
}

/** The conversion from a coordinate system. @throws {ValidationError} if the system is not known. */
function degreesOf(crs: string | null | undefined): ToDegrees {
  try {
    return crs ? toDegreesOf(crs, 'The file', '') : null
  } catch (error) {
    throw error instanceof FileError ? uploadError('value_error', error.message.replace(/\.$/, '')) : error
  }
}

/** Of more columns, none is examined. */
const examinedColumnsMax = 10 * uploadColumnsMax

/** Recognizes the columns. @throws {ValidationError} with all violations. */
function usableColumns(header: string[], kind: string, format: UploadFormat, sample: string[][]): UploadColumns {
  const tooMany = violation(
    'too_long',
    `The CSV has ${header.length} columns, but at most ${uploadColumnsMax} are allowed. Remove columns`,
  )
  if (header.length > examinedColumnsMax) throw new ValidationError([tooMany])
  const unknownNames = unknownMappedColumns(header, format.mapping ?? {})
  const options = { ...format, toDegrees: degreesOf(format.crs) }
  const columns = unknownNames.length > 0 ? '' : uploadColumnsOf(header, kind, options, sample)
  const violations = [
    ...unknownNames.map((name) =>
      violation(
        'value_error',
        `The file has no column ${JSON.stringify(name)}. Its columns are ${shownColumns(header)}`,
        name,
      ),
    ),
    ...(header.length > uploadColumnsMax ? [tooMany] : []),
    ...(typeof columns === 'string' && columns !== ''
      ? [
          violation(
            'value_error',
            header.join('') === '' ? 'The file is empty' : columns,
            header.slice(0, uploadColumnsMax),
          ),
        ]
      : []),
  ]
  if (typeof columns === 'string' || violations.length > 0) throw new ValidationError(violations)
  return columns
}

function violation(type: string, msg: string, input: unknown = null): Violation {
  return { type, loc: ['body'], msg, input }
}

const piece_bytes = 65_536
/** How long a workbook is copied before others have their turn. */
const slice_ms = 5
/** The signature of a ZIP archive, which a workbook is. */
const zipSignature = [0x50, 0x4b, 0x03, 0x04]

/**
 * Returns the chunks of an upload; if it is a workbook (.xlsx), as CSV of its sheet. A workbook with several sheets
 * needs the name of one.
 * @throws {ValidationError} if the workbook or its sheet cannot be read.
 */
async function spreadsheetAsCsv(
  bytes: AsyncIterable<Uint8Array>,
  sheet: string | undefined,
  convert: ConvertWorkbook,
): Promise<{ chunks: AsyncIterable<Uint8Array>; isSpreadsheet: boolean }> {
  const iterator = bytes[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (head.length < zipSignature.length) {
    const { value, done } = await iterator.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  if (!zipSignature.every((byte, i) => head[i] === byte))
    return { chunks: withHead(head, iterator), isSpreadsheet: false }
  const csv = await convert(await copyPieces(withHead(head, iterator)), sheet)
  return { chunks: piecesOf(csv), isSpreadsheet: true }
}

async function* withHead(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function copyPieces(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>[]> {
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size_bytes = 0
  for await (const chunk of chunks) {
    size_bytes += chunk.length
    if (size_bytes > workbookMax_bytes)
      throw invalidWorkbook(`The workbook has more than ${workbookMax_bytes / 2 ** 20} MB. Save its sheet as CSV`)
    // The caller frees the chunk.
    pieces.push(Uint8Array.from(chunk))
    await yieldToEventLoop()
  }
  return pieces
}

// oxlint-disable-next-line typescript/require-await -- The CSV reader takes chunks as they arrive.
async function* piecesOf(csv: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < csv.length; at += piece_bytes) yield csv.subarray(at, at + piece_bytes)
}
