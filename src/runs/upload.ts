import { edenGC } from 'bun:jsc'
import { parse } from '@fast-csv/parse'
import { ApiError, ValidationError, type Violation } from '../model/error.ts'
import { createYieldToEventLoop } from '../async/yield-to-event-loop.ts'
import type { NewLocation } from '../store/submissions.ts'
import { readCsvRecords, recordMax_characters, type CsvRecord } from './csv-records.ts'
import { errorEntryOf } from './run-entry.ts'
import { uploadColumnsOf, uploadColumnsMax, type UploadColumns } from './upload-columns.ts'
import { parseUploadRow } from './upload-row.ts'
import { decodeUpload } from './upload-text.ts'

export const runLocationsMax = 10_000
const row_ms = 2000
/** A row leaves ten times its size as garbage, which the engine would let grow to a hundred megabytes. */
const rowsBetweenCollections = 500
/** Rows that cannot be read are found without a wait between them: others have their turn after so long. */
const slice_ms = 10

/** The locations of an upload, and the names of the columns that pass through. */
export type Upload = { columns: string[]; locations: NewLocation[] }

/**
 * Reads a CSV as it comes in: UTF-8 (or UTF-16 with its mark), with commas, semicolons or tabs. A row that cannot be read is an entry with its
 * line; only a file without a column for locations, with too many columns, without a row, or with too many is refused.
 */
export async function readUpload(bytes: AsyncIterable<Uint8Array>, kind: string, now: Date): Promise<Upload> {
  const { texts, delimiter } = await decodeUpload(bytes)
  const records = readCsvRecords(texts, delimiter)
  const read = createCellsReader(delimiter)
  const header = await headerIn(records, read)
  const columns = usableColumns(header, kind)
  const locations: NewLocation[] = []
  const loopTurn = createYieldToEventLoop(slice_ms)
  for await (const record of records) {
    await loopTurn()
    if (locations.length >= runLocationsMax)
      throw new ValidationError([violation('too_long', `List should have at most ${runLocationsMax} items, not more`)])
    locations.push(await locationOf(record, locations.length))
    if (locations.length % rowsBetweenCollections === 0) edenGC()
  }
  if (locations.length === 0) throw new ValidationError([violation('too_short', 'List should have at least 1 item')])
  return { columns: columns.passthrough.map((i) => header[i]!), locations }

  async function locationOf({ line, text }: CsvRecord, idx: number): Promise<NewLocation> {
    const cells = text === null ? null : await read(text)
    const input =
      cells === null
        ? 'The row has a quote that is not closed, or text after one that is'
        : parseUploadRow(cells, header.length, columns, kind)
    const passthrough =
      columns.passthrough.length > 0 && cells !== null
        ? { passthrough: JSON.stringify(columns.passthrough.map((i) => cells[i] ?? '')) }
        : {}
    if (typeof input !== 'string') return { input: JSON.stringify(input), ...passthrough }
    const error = new ApiError('row_invalid', `Line ${line} could not be read: ${input}.`, { line })
    return { input: '{}', ...passthrough, errorEntry: errorEntryOf({ idx, original_index: null }, error, now).entry }
  }
}

type ReadCells = (record: string) => Promise<string[] | null>

/** The cells of the first line; none in an empty file. */
async function headerIn(records: AsyncIterator<CsvRecord>, read: ReadCells): Promise<string[]> {
  const { value, done } = await records.next()
  if (done) return []
  const header = value.text === null ? null : await read(value.text)
  if (header) return header
  throw new ValidationError([
    violation(
      'value_error',
      `The first line of the CSV cannot be read: it has more than ${recordMax_characters} characters, or a quote that is not closed`,
    ),
  ])
}

/** What the columns are for. @throws {ValidationError} with everything that is wrong with them. */
function usableColumns(header: string[], kind: string): UploadColumns {
  const columns = uploadColumnsOf(header, kind)
  const violations = [
    ...(header.length > uploadColumnsMax
      ? [
          violation(
            'too_long',
            `The first line of the CSV names ${header.length} columns, and at most ${uploadColumnsMax} are allowed: remove those that are not needed`,
          ),
        ]
      : []),
    ...(columns
      ? []
      : [
          violation(
            'value_error',
            `The first line names no column for a location: expected lat and lng, address, or street, city, state and zip${kind === 'fetch_batch' ? '' : ', or input'}`,
            header.slice(0, uploadColumnsMax),
          ),
        ]),
  ]
  if (!columns || violations.length > 0) throw new ValidationError(violations)
  return columns
}

/** One record after the other through one parser: each gives its cells before the next is given to it; null when they cannot be made out. */
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
      return null // the parser sees a quote where the record was not cut: a row that cannot be read
    }
  }
}

/** The parser works as it is written to; a row that does not come at once does not come. */
async function withRowTimeout<T>(row: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('There is no row.')), row_ms)
  return Promise.race([row, promise]).finally(() => clearTimeout(timer))
}

function violation(type: string, msg: string, input: unknown = null): Violation {
  return { type, loc: ['body'], msg, input }
}
