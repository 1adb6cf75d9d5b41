import { createGarbageCollector } from '../../async/collect-garbage.ts'
import type { ValidationError } from '../../model/error.ts'
import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import { LocationPacker, type NewLocation, type PackedLocations } from '../../store/runs/packed-locations.ts'
import { readCsvRecords } from '../../files/table/csv-records.ts'
import { takeRecords, withSample } from '../../files/table/csv-sample.ts'
import { errorEntryOf } from '../report/run-entry.ts'
import type { UploadReading } from '../report/run-summary.ts'
import { uploadReadingOf } from './upload-reading.ts'
import { sampleRows } from '../../files/table/upload-columns.ts'
import {
  createUploadRowReader,
  noUploadRowsError,
  openUploadText,
  readUploadHeader,
  uploadError,
  type UploadRow,
} from './upload-table.ts'
import { type UploadFormat } from './upload-format.ts'
import type { ConvertWorkbook } from './workbook.ts'

/** The maximum number of locations in a JSON body of a run. */
export const runLocationsMax = 10_000
/** The maximum number of rows in a file of a run. They are packed as they are read. */
export const runFileRowsMax = 250_000
/** Parsing a row creates garbage of ten times its size, which would grow to a hundred megabytes between collections. */
const charactersBetweenCollections = 131_072
/** What a record costs beyond its text. */
const recordCost_characters = 50
/** Malformed rows are found without awaiting, so yield to the event loop after this time. */
const slice_ms = 10

/** The locations of an upload, the names of its columns, and how it was read. */
export type Upload = { columns: string[]; locations: PackedLocations; reading: UploadReading }

/** What to make of an upload. `rowsMax` is the maximum number of rows, `convert` reads workbooks. */
export type UploadOptions = {
  kind: string
  now: Date
  rowsMax: number
  format?: UploadFormat
  convert?: ConvertWorkbook
}

/**
 * Reads an upload as it arrives: CSV with commas, semicolons, tabs or vertical bars, or a sheet of a workbook (.xlsx). A malformed row
 * becomes an error entry with its line number.
 * @throws {ValidationError} if there is no location column, no row, or there are too many columns or rows.
 */
export async function readUpload(
  bytes: AsyncIterable<Uint8Array>,
  { kind, now, rowsMax, format = {}, convert }: UploadOptions,
): Promise<Upload> {
  const { texts, delimiter, firstLine, ...opened } = await openUploadText(bytes, format, convert)
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const records = readCsvRecords(texts, delimiter, yieldToEventLoop)
  const first = await records.next()
  const sample = await takeRecords(records, sampleRows)
  const columns = await readUploadHeader(first.done ? undefined : first.value, sample, { delimiter, kind, format })
  const table = { kind, columns, delimiter, firstLine }
  const readRow = createUploadRowReader(table)
  const locations = new LocationPacker()
  const collectGarbage = createGarbageCollector(1)
  let uncollected_characters = 0
  let excess = 0
  for await (const record of withSample(sample, records)) {
    await yieldToEventLoop()
    // The rows above the limit are only counted. A record that is not read is garbage, too.
    if (locations.length >= rowsMax) excess++
    else locations.add(locationOf(await readRow(record), locations.length, now))
    uncollected_characters += recordCost_characters + (record.text?.length ?? 0)
    if (uncollected_characters < charactersBetweenCollections) continue
    uncollected_characters = 0
    collectGarbage()
  }
  if (excess > 0) throw tooManyRowsError(locations.length + excess, rowsMax)
  if (locations.length === 0) throw noUploadRowsError()
  const encoding = opened.isSpreadsheet ? null : opened.encoding()
  const reading = uploadReadingOf(table, { encoding, header_row: firstLine, converted: null })
  return { columns: columns.header, locations: locations.finish(), reading }
}

function locationOf(row: UploadRow, idx: number, now: Date): NewLocation {
  const passthrough = JSON.stringify(row.cells)
  if ('input' in row) return { input: JSON.stringify(row.input), passthrough }
  return { input: '{}', passthrough, errorEntry: errorEntryOf({ idx, original_index: null }, row.error, now).entry }
}

function tooManyRowsError(rows: number, rowsMax: number): ValidationError {
  return uploadError(
    'too_long',
    `${rows.toLocaleString('en-US')} rows; the limit is ${rowsMax.toLocaleString('en-US')}`,
  )
}
