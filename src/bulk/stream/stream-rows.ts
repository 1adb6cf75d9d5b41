import { ValidationError } from '../../model/error.ts'
import { tryParseRecord } from '../../model/record.ts'
import { tablePropertiesOf } from '../../files/geojson/json-properties.ts'
import { readCsvBlocks, recordMax_characters, recordsOfText } from '../../files/table/csv-records.ts'
import { openUploadText, readUploadHeader, uploadError, type UploadTable } from '../../runs/upload/upload-table.ts'
import type { UploadFormat } from '../../runs/upload/upload-format.ts'
import type { InputBlock } from '../bulk-job.ts'
import { csvRecordOf } from '../csv-chunks.ts'

/** Consecutive rows of a stream that have the same columns. */
export type StreamBlock = InputBlock & { table: UploadTable }

/** How the rows of a stream are read. A block ends at the latest when no more of its bytes have arrived. */
export type StreamOptions = {
  kind: string
  format: UploadFormat
  /** The number of rows that a block has at most. */
  rowsPerBlock(table: UploadTable): number
}

const blockMax_characters = 1_048_576
/** The columns of JSON objects that are remembered at a time. */
const tablesMax = 64

/**
 * Reads CSV with a header as it arrives. No bytes are no rows.
 * @throws {ValidationError} if there is no location column.
 */
export async function* readCsvStream(
  bytes: AsyncIterable<Uint8Array>,
  { kind, format, rowsPerBlock }: StreamOptions,
): AsyncGenerator<StreamBlock> {
  const { texts, delimiter, firstLine } = await openUploadText(bytes, { ...format, isLive: true })
  let table: UploadTable | null = null
  const rowsAt = () => (table ? rowsPerBlock(table) : 1)
  const blocks = readCsvBlocks(texts, delimiter, { rowsAt, characters: blockMax_characters, endsWithPiece: true })
  let first = 0
  for await (const { text, line, rows } of blocks) {
    if (table) {
      yield { table, first, rows, text, line }
      first += rows
      continue
    }
    const [record] = recordsOfText(text, delimiter, line)
    const columns = await readUploadHeader(record, [], { delimiter, kind, format })
    table = { kind, columns, delimiter, firstLine }
    // The header of the result does not wait for the first row.
    yield { table, first, rows: 0, text: '', line }
  }
}

/**
 * Reads JSON objects, one on each line, as they arrive. The columns of a row are the members of its object. A row
 * without a location has the location columns of the first row as well, and is answered with an error.
 * @throws {ValidationError} if a line is no object, or the first one has no location.
 */
export async function* readJsonStream(
  bytes: AsyncIterable<Uint8Array>,
  { kind, format, rowsPerBlock }: StreamOptions,
): AsyncGenerator<StreamBlock> {
  const tables = new Map<string, UploadTable>()
  let locationNames: string[] | null = null
  let [line, first] = [0, 0]
  for await (const lines of readLines(bytes)) {
    let open: { key: string; table: UploadTable; text: string; rows: number } | null = null
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      const object = parseJsonRow(text, line)
      const row = object.type === 'Feature' ? object : tablePropertiesOf(text, object)
      const key = JSON.stringify(Object.keys(row))
      if (open && (open.key !== key || open.rows >= rowsPerBlock(open.table))) {
        yield blockOf(open)
        open = null
      }
      open ??= { key, table: await tableOf(key), text: '', rows: 0 }
      open.text += csvRecordOf(open.table.columns.header.map((name) => (Object.hasOwn(row, name) ? row[name] : null)))
      open.rows++
    }
    if (open) yield blockOf(open)
  }

  function blockOf({ table, text, rows }: { table: UploadTable; text: string; rows: number }): StreamBlock {
    first += rows
    return { table, first: first - rows, rows, text, line: 1 }
  }

  async function tableOf(key: string): Promise<UploadTable> {
    const known = tables.get(key)
    if (known) return known
    if (tables.size === tablesMax) tables.clear()
    const table = await createTable(JSON.parse(key) as string[])
    locationNames ??= locationNamesOf(table)
    tables.set(key, table)
    return table
  }

  async function createTable(names: string[]): Promise<UploadTable> {
    const read = async (header: string[]): Promise<UploadTable> => {
      const record = { line: 1, text: csvRecordOf(header).trimEnd() }
      const columns = await readUploadHeader(record, [], { delimiter: ',', kind, format })
      return { kind, columns, delimiter: ',', firstLine: null }
    }
    try {
      return await read(names)
    } catch (error) {
      if (!(error instanceof ValidationError) || locationNames === null) throw error
      return read([...names, ...locationNames.filter((name) => !names.includes(name))])
    }
  }
}

/** Returns the names of the columns that decide about the location. */
export function locationNamesOf({ columns: { header, ...columns } }: UploadTable): string[] {
  const indexes = new Set(Object.values(columns).flat())
  return header.filter((_, i) => indexes.has(i))
}

/** Returns the object of a line. @throws {ValidationError} for any other line. */
function parseJsonRow(text: string, line: number): Record<string, unknown> {
  const value = tryParseRecord(text)
  if (value) return value
  throw uploadError('value_error', `Line ${line} is not a JSON object`)
}

/** Yields the lines that have arrived completely, without their line breaks. */
async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  let line = 1
  for await (const piece of bytes) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n')
    rest = lines.pop()!
    line += lines.length
    if (rest.length > recordMax_characters)
      throw uploadError('value_error', `Line ${line} has more than ${recordMax_characters} characters`)
    if (lines.length > 0) yield lines
  }
  rest += decoder.decode()
  if (rest !== '') yield [rest]
}
