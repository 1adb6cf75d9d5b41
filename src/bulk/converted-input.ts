import type { ValidationError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { InputFeature, InputFile } from '../packs/import/input-file.ts'
import { PackError } from '../packs/pack-error.ts'
import { recordMax_characters } from '../runs/upload/csv-records.ts'
import { uploadColumnsMax } from '../runs/upload/upload-columns.ts'
import { uploadError } from '../runs/upload/upload-table.ts'

/** Reads an input in another format as CSV. Each call reads it from the beginning. */
export type ReadAsCsv = () => AsyncGenerator<Uint8Array>

const head_bytes = 1024
const rowsPerChunk = 1024
const chunkMax_characters = 1_000_000

/**
 * Returns a reader of a Parquet file, or of a file with a JSON object in each line, as CSV; null for all other files.
 * The columns are those of the Parquet file, or the members of all objects. The points of GeoParquet become `lat` and
 * `lng`.
 * @throws {ValidationError} if the file cannot be read.
 */
export async function openConvertedInput(file: Bun.BunFile): Promise<ReadAsCsv | null> {
  const head = await file.slice(0, head_bytes).text()
  if (head.startsWith('PAR1')) return openParquetInput(file)
  return /^\uFEFF?\s*\{\s*["}]/.test(head) ? openJsonLines(file) : null
}

async function openParquetInput(file: Bun.BunFile): Promise<ReadAsCsv> {
  const { openParquet } = await import('../packs/import/parquet/parquet.ts')
  const open = () =>
    openParquet(file.name!, file.name!).catch((error: unknown) => {
      throw error instanceof PackError ? unreadableError(error.message) : error
    })
  const { columns, hasGeometry, crs, close } = await open()
  close()
  const hasPoints = hasGeometry && !columns.some((name) => name === 'lat' || name === 'lng')
  if (hasPoints && crs !== null && crs !== 'EPSG:4326')
    throw unreadableError(`The geometries are in ${crs}. Convert them to EPSG:4326, or add the columns lat and lng`)
  return async function* () {
    const input = await open()
    try {
      yield* csvChunks(hasPoints ? [...columns, 'lat', 'lng'] : columns, parquetRows(input, columns, hasPoints))
    } finally {
      input.close()
    }
  }
}

async function* parquetRows(input: InputFile, columns: string[], hasPoints: boolean): AsyncGenerator<unknown[]> {
  for await (const { features } of input.batches())
    for (const { parts, properties } of features) {
      const cells = columns.map((name) => properties[name])
      yield hasPoints ? [...cells, ...pointOf(parts)] : cells
    }
}

/** The latitude and longitude of a point; nothing for other geometries. */
function pointOf(parts: InputFeature['parts']): [lat: unknown, lng: unknown] {
  const [part] = parts === 'invalid' ? [] : parts
  const [lng, lat] = part?.kind === 'point' ? part.paths[0]! : []
  return [lat, lng]
}

async function openJsonLines(file: Bun.BunFile): Promise<ReadAsCsv> {
  const columns = new Set<string>()
  // One more than allowed is enough for the error of a file with too many columns.
  for await (const row of jsonRows(file))
    for (const name in row) if (columns.size <= uploadColumnsMax) columns.add(name)
  return () => csvChunks([...columns], jsonCells(file, [...columns]))
}

async function* jsonCells(file: Bun.BunFile, columns: string[]): AsyncGenerator<unknown[]> {
  for await (const row of jsonRows(file)) yield columns.map((name) => (Object.hasOwn(row, name) ? row[name] : null))
}

/** Yields the object of each line that is not empty. @throws {ValidationError} for another line, with its number. */
async function* jsonRows(file: Bun.BunFile): AsyncGenerator<Record<string, unknown>> {
  let rest = ''
  let line = 0
  for await (const text of file.stream().pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop()!
    for (const it of lines) yield* rowOf(it)
    if (rest.length > recordMax_characters) yield* rowOf(rest)
  }
  yield* rowOf(rest)

  function* rowOf(text: string): Generator<Record<string, unknown>> {
    line++
    if (text.length > recordMax_characters)
      throw unreadableError(`Line ${line} has more than ${recordMax_characters} characters`)
    if (text.trim() !== '') yield parseJsonRow(text, line)
  }
}

/** Returns the object of a line. @throws {ValidationError} for any other line. */
export function parseJsonRow(text: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Reported below, as for a value that is no object.
  }
  throw unreadableError(`Line ${line} is not a JSON object`)
}

/** Yields rows as CSV. */
export async function* csvChunks(
  columns: string[],
  rows: AsyncIterable<unknown[]> | Iterable<unknown[]>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  // The first line names the delimiter, so that it is not detected.
  let text = `sep=,\n${csvRecordOf(columns)}`
  let count = 0
  for await (const row of rows) {
    text += csvRecordOf(row)
    if (++count % rowsPerChunk !== 0 && text.length < chunkMax_characters) continue
    yield encoder.encode(text)
    text = ''
  }
  yield encoder.encode(text)
}

/** Returns the cells as a record of CSV with commas, with its line break. */
export function csvRecordOf(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join()}\n`
}

/** A text is quoted unless it is simple, so that no row is an empty line. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '""'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w.+-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`
}

/** The error of an input that cannot be read. The text has no full stop. */
export function unreadableError(text: string): ValidationError {
  return uploadError('value_error', text.replace(/\.$/, ''))
}
