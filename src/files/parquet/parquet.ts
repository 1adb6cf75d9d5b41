import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parquetMetadataAsync, parquetReadObjects, parquetSchema, type AsyncBuffer, type FileMetaData } from 'hyparquet'
import { isRecord } from '../../model/record.ts'
import type { Properties, Value } from '../../model/source.ts'
import { FileError } from '../file-error.ts'
import { parquetDecompressors } from './parquet-decompressors.ts'
import { checkParquetPages } from './parquet-pages.ts'
import { numberOrText } from '../flatgeobuf/flatgeobuf.ts'
import { inputBatchSize, type InputBatch, type InputFeature, type InputFile, partsOfBytes } from '../input-file.ts'
import { partsOfWkb } from '../wkb-parts.ts'

const rowsPerBatch = 4 * inputBatchSize
/** So much is decoded at once. The reader decodes a page again for each part of its rows. */
const [decodedMax_rows, decodedMax_bytes] = [65_536, 16 * 1024 ** 2]

/** Opens GeoParquet with geometries as WKB, or a Parquet table without geometries. */
export async function openParquet(path: string, name: string): Promise<InputFile> {
  const file = openSync(path, 'r')
  try {
    const buffer = createAsyncBuffer(file)
    // Keep geometries as WKB. hyparquet's own decoding would be undone.
    const metadata = await parquetMetadataAsync(buffer, { geoparquet: false })
    requireRowCounts(metadata, buffer.byteLength, name)
    await checkParquetPages(buffer, metadata)
    const geo = geoMetadataOf(metadata)
    if (geo && geo.encoding !== 'WKB')
      throw new FileError(`${name} has geometries in ${geo.encoding ?? 'no known encoding'}. Write them as WKB.`)
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name)
    return {
      format: 'GeoParquet',
      crs: geo?.crs ?? null,
      hasGeometry: geo !== null,
      columns: columns.filter((column) => !geo?.columns.includes(column)),
      isText: false,
      batches: () => batchesOf(buffer, metadata, geo, name),
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw toParquetError(error, name)
  }
}

function createAsyncBuffer(file: number): AsyncBuffer {
  const byteLength = fstatSync(file).size
  return {
    byteLength,
    slice(start, end = byteLength) {
      if (end > byteLength) throw new Error(`it declares bytes up to ${end}, but has ${byteLength}`)
      const bytes = new Uint8Array(end - start)
      readSync(file, bytes, 0, bytes.length, start)
      return bytes.buffer
    },
  }
}

function toParquetError(error: unknown, name: string): FileError {
  if (error instanceof FileError) return error
  return new FileError(`${name} cannot be read as Parquet: ${reasonOf(error as Error)}.`, { cause: error })
}

/** The reader checks little, so damaged metadata ends as an error of its own code, which says nothing to a user. */
function reasonOf(error: Error): string {
  const isOfReader = [TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind)
  if (isOfReader || error.message.includes('undefined'))
    return 'its metadata is damaged. Copy or download the file again'
  if (error.message.includes('footer != PAR1')) return 'its end is missing. Copy or download the file again'
  return error.message.replace(/\.$/, '')
}

/** A row group is decoded as a whole. Writers put at most a million rows into one by default. */
const groupMax_rows = 16_000_000
/** Equal values take almost no space, but a row with a geometry takes some. */
const rowsPerByteMax = 1_000

/** Rejects row counts that the file cannot have, because the reader allocates and loops by them. */
function requireRowCounts({ num_rows, row_groups }: FileMetaData, size_bytes: number, name: string): void {
  const counts = row_groups.map((group) => Number(group.num_rows))
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (Number.isNaN(total)) throw new TypeError('A group of rows has no number of rows.')
  if (Number(num_rows) !== total)
    throw new FileError(
      `${name} is a corrupt Parquet file: it declares ${num_rows} rows, but its groups have ${total}.`,
    )
  const values = row_groups.flatMap(({ columns }) => columns.map((column) => Number(column.meta_data?.num_values ?? 0)))
  const largest = Math.max(0, ...counts, ...values)
  if (largest > Math.min(groupMax_rows, rowsPerByteMax * size_bytes))
    throw new FileError(
      `${name} has a group of ${largest} rows in a file of ${size_bytes} bytes. The maximum is ${Math.min(groupMax_rows, rowsPerByteMax * size_bytes)}. Write it again with smaller row groups.`,
    )
}

type GeoMetadata = { column: string; columns: string[]; encoding: string | null; crs: string | null }

function geoMetadataOf({ key_value_metadata }: FileMetaData): GeoMetadata | null {
  const text = key_value_metadata?.find(({ key }) => key === 'geo')?.value
  const geo: unknown = text === undefined ? null : JSON.parse(text)
  if (!isRecord(geo) || !isRecord(geo.columns) || typeof geo.primary_column !== 'string') return null
  const column = geo.columns[geo.primary_column]
  if (!isRecord(column)) return null
  // The standard's default is longitude and latitude on WGS 84.
  return {
    column: geo.primary_column,
    columns: Object.keys(geo.columns),
    encoding: typeof column.encoding === 'string' ? column.encoding : null,
    crs: column.crs === undefined ? 'EPSG:4326' : crsOf(column.crs),
  }
}

function crsOf(crs: unknown): string | null {
  if (!isRecord(crs) || !isRecord(crs.id)) return null
  const { authority, code } = crs.id
  return authority === 'OGC' ? 'EPSG:4326' : `${String(authority)}:${String(code)}`
}

async function* batchesOf(
  file: AsyncBuffer,
  metadata: FileMetaData,
  geo: GeoMetadata | null,
  name: string,
): AsyncGenerator<InputBatch> {
  const rows = Number(metadata.num_rows)
  const step = rowsAtOnce(metadata)
  for (let rowStart = 0; rowStart < rows; rowStart += step) {
    const rowEnd = Math.min(rows, rowStart + step)
    const records = await parquetReadObjects({
      file,
      metadata,
      compressors: parquetDecompressors,
      rowStart,
      rowEnd,
      geoparquet: false,
      utf8: false,
    }).catch((error: unknown) => {
      throw toParquetError(error, name)
    })
    if (records.length !== rowEnd - rowStart)
      throw new FileError(`${name} declares ${rows} rows, but it ends after row ${rowStart + records.length}.`)
    for (let at = 0; at < records.length; at += rowsPerBatch) {
      const features = records.slice(at, at + rowsPerBatch).map((record) => inputFeatureOf(record, geo))
      yield { features, progress: (rowStart + at + features.length) / rows }
    }
  }
}

/** How many rows to decode at once: a multiple of a batch, by the size of the rows. A group can be empty. */
function rowsAtOnce({ row_groups }: FileMetaData): number {
  const groups = row_groups.filter((it) => it.num_rows > 0)
  const rowMax_bytes = Math.max(1, ...groups.map((it) => Number(it.total_byte_size) / Number(it.num_rows)))
  const batches = Math.floor(Math.min(decodedMax_rows, decodedMax_bytes / rowMax_bytes) / rowsPerBatch)
  return rowsPerBatch * Math.max(1, batches)
}

function inputFeatureOf(record: Record<string, unknown>, geo: GeoMetadata | null): InputFeature {
  const properties: Properties = {}
  for (const key in record) if (!geo?.columns.includes(key)) properties[key] = valueOf(record[key])
  return { parts: geo ? partsOfBytes(record[geo.column], partsOfWkb) : [], properties }
}

function valueOf(value: unknown): Value {
  if (value === null || value === undefined) return null
  if (typeof value === 'bigint') return numberOrText(value)
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '')
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return value instanceof Uint8Array
    ? null
    : JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? numberOrText(inner) : inner))
}
