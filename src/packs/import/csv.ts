import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { parse } from '@fast-csv/parse'
import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import type { Properties } from '../../model/source.ts'
import { formatNames } from '../layer/geopackage-file.ts'
import { PackError } from '../pack-error.ts'
import { readBytesAt } from './byte-reader.ts'
import { inputBatchSize, type InputBatch, type InputFeature, type InputFile, type InputOptions } from './input-file.ts'
import { partsOfWkt, wktPattern } from './wkt.ts'

const head_bytes = 262_144
const delimiters = [',', '\t', '|', ';']
const byteOrderMark = /^\uFEFF/

/** The column names that publishers use for coordinates: latitude, then longitude. */
const coordinateColumns = [
  ['latitude', 'longitude'],
  ['lat', 'lng'],
  ['lat', 'lon'],
  ['lat', 'long'],
  ['y', 'x'],
  ['ylat', 'xlong'],
  ['intptlat', 'intptlong'],
  ['intptlat', 'intptlon'],
  ['latitude83', 'longitude83'],
  ['lat83', 'long83'],
  ['latitude_decimal', 'longitude_decimal'],
  ['dec_lat', 'dec_long'],
  ['y_coord', 'x_coord'],
  ['slat', 'slon'],
] as const
const wktNames = ['wkt', 'geom', 'geometry', 'the_geom', 'wkt_geom', 'wkt_geometry']

/** Opens delimited text. Detects the delimiter and encoding, and skips a title line above the column names. */
export async function openCsv(
  path: string,
  name: string,
  { lat, lng, skip_rows = 0 }: Pick<InputOptions, 'lat' | 'lng' | 'skip_rows'>,
): Promise<InputFile> {
  const encoding = await detectEncoding(path)
  const head = new TextDecoder(encoding).decode(readBytesAt(path, 0, head_bytes)).replace(byteOrderMark, '')
  const delimiter = detectDelimiter(head)
  const first = await readFirstRows(head, delimiter).catch((cause: Error) => {
    throw new PackError(`${name} is not valid CSV: ${cause.message.slice(0, maxMessage_characters)}`, { cause })
  })
  const skippedRows =
    first[0] && first[1] && first[0].filter((cell) => cell !== '').length === 1 && first[1].length > 2 ? 1 : 0
  const columns = (first[skippedRows] ?? []).map((column) => column.trim())
  if (columns.every((column) => column === '')) throw new PackError(`${name} has no line with column names.`)
  const position = findCoordinateColumns(columns, { lat, lng }, name)
  const wkt = position
    ? -1
    : columns.findIndex(
        (column, i) => wktNames.includes(column.toLowerCase()) && wktPattern.test(first[skippedRows + 1]?.[i] ?? ''),
      )
  const partsOfRow = position
    ? (row: string[]) => parsePoint(row[position.lat], row[position.lng])
    : wkt >= 0
      ? (row: string[]) => parseShape(row[wkt])
      : () => []
  const names = columns.map((column, i) => (i === wkt ? '' : column))
  return {
    format: 'CSV',
    crs: position || wkt >= 0 ? 'EPSG:4326' : null,
    hasGeometry: position !== null || wkt >= 0,
    columns: names.filter((column) => column !== ''),
    isText: true,
    close() {},
    batches: () => batchesOf({ path, encoding, delimiter, skippedRows: skippedRows + skip_rows }, names, partsOfRow),
  }
}

/** UTF-8 if the complete file is valid UTF-8, otherwise Windows-1252. */
async function detectEncoding(path: string): Promise<'utf-8' | 'windows-1252'> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: head_bytes }))
      decoder.decode(chunk as Buffer, { stream: true })
    decoder.decode()
    return 'utf-8'
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252'
    throw error
  }
}

/** The delimiter that is most frequent in the first two lines. The first may be a title. */
function detectDelimiter(head: string): string {
  const lines = head.split(/\r?\n/, 2)
  const count = (delimiter: string) =>
    Math.max(...lines.map((line) => line.replaceAll(/"[^"]*"/g, '').split(delimiter).length))
  return delimiters.toSorted((a, b) => count(b) - count(a))[0]!
}

async function readFirstRows(head: string, delimiter: string): Promise<string[][]> {
  const rows: string[][] = []
  for await (const row of parseRows(Readable.from([head]), delimiter, 3)) rows.push(row)
  return rows
}

function parseRows(from: Readable, delimiter: string, maxRows = 0): AsyncIterable<string[]> {
  const stream = parse<string[], string[]>({
    headers: false,
    delimiter,
    ignoreEmpty: true,
    strictColumnHandling: false,
    maxRows,
  })
  from.on('error', (error) => stream.destroy(error))
  return from.pipe(stream)
}

function findCoordinateColumns(
  columns: string[],
  { lat, lng }: { lat: string | null; lng: string | null },
  name: string,
): { lat: number; lng: number } | null {
  const names = columns.map((column) => column.toLowerCase())
  const indexOf = (column: string) => names.indexOf(column.toLowerCase())
  if (lat !== null && lng !== null) {
    if (indexOf(lat) < 0 || indexOf(lng) < 0)
      throw new PackError(`${name} has no columns ${lat} and ${lng}. Its columns: ${formatNames(columns)}.`)
    return { lat: indexOf(lat), lng: indexOf(lng) }
  }
  const found = coordinateColumns.find((pair) => pair.every((column) => indexOf(column) >= 0))
  return found ? { lat: indexOf(found[0]), lng: indexOf(found[1]) } : null
}

function parsePoint(lat = '', lng = ''): GeometryPart[] | 'invalid' {
  if (lat.trim() === '' || lng.trim() === '') return []
  const [x, y] = [Number(lng), Number(lat)]
  return Number.isFinite(x) && Number.isFinite(y) ? [{ kind: 'point', paths: [[x, y]] }] : 'invalid'
}

function parseShape(text = ''): GeometryPart[] | 'invalid' {
  if (text.trim() === '') return []
  try {
    return partsOfWkt(text)
  } catch {
    return 'invalid' // Counted and reported at the end.
  }
}

const maxMessage_characters = 100
const maxRow_characters = 4 * 1024 * 1024
/** Up to 32 chunks are read before the parser takes them. Together they are much smaller than the largest row. */
const chunk_bytes = 32_768

type TextFormat = { path: string; encoding: 'utf-8' | 'windows-1252'; delimiter: string; skippedRows: number }

async function* batchesOf(
  { path, encoding, delimiter, skippedRows }: TextFormat,
  names: string[],
  partsOfRow: (row: string[]) => GeometryPart[] | 'invalid',
): AsyncGenerator<InputBatch> {
  const { size } = statSync(path)
  const file = createReadStream(path, { highWaterMark: chunk_bytes })
  let features: InputFeature[] = []
  let count = 0
  let [fed, parsed] = [0, 0]
  const limitRows = async function* (texts: AsyncIterable<string>) {
    for await (const text of texts) {
      // The parser keeps an unfinished row in memory. A quote that is not closed makes the rest of the file one row.
      if ((fed += text.length) - parsed > maxRow_characters)
        throw new PackError(
          `${basename(path)} has a row of more than ${maxRow_characters} characters, after row ${count}. Look for a quote that is not closed.`,
        )
      yield text
    }
  }
  for await (const row of parseRows(Readable.from(limitRows(decodeText(file, encoding))), delimiter)) {
    // An upper bound: each cell can have lost its delimiter and two quotes.
    parsed = Math.min(fed, parsed + row.reduce((sum, cell) => sum + cell.length + 3, 2))
    if (count++ <= skippedRows) continue
    features.push({ parts: partsOfRow(row), properties: propertiesOf(row, names) })
    if (features.length < inputBatchSize) continue
    yield { features, progress: Math.min(1, file.bytesRead / size) }
    features = []
  }
  yield { features, progress: 1 }
}

async function* decodeText(file: AsyncIterable<Buffer>, encoding: 'utf-8' | 'windows-1252'): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of file) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** The properties of a row. An empty or blank cell is null. */
function propertiesOf(row: string[], names: string[]): Properties {
  const properties: Properties = {}
  for (const [i, name] of names.entries())
    if (name !== '') properties[name] = row[i] === undefined || row[i].trim() === '' ? null : row[i]
  return properties
}
