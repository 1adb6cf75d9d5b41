import { createReadStream, statSync } from 'node:fs'
import type { GeometryPart } from '../geo/text/wkb-write.ts'
import { normalizeColumnName } from '../model/coordinate-columns.ts'
import type { Properties } from '../model/source.ts'
import { formatNames } from './geopackage/geopackage.ts'
import { FileError } from './file-error.ts'
import { encodingOfFile } from './byte-reader.ts'
import { toDegreesOf } from './crs.ts'
import {
  type InputFile,
  type InputOptions,
  asyncInputBatchesOf,
  partsOrInvalid,
  type ReadFeature,
} from './input-file.ts'
import { chooseCoordinate, type CoordinateColumns } from './table/coordinate-choice.ts'
import { createCellsReader } from './table/csv-cells.ts'
import { readCsvRecords } from './table/csv-records.ts'
import { parsePair } from './table/degree-pair.ts'
import { parseLocationText } from './table/location-text.ts'
import { mappedIndexOf, sampleRows, shapeNames } from './table/upload-columns.ts'
import { startAtHeader, TextDecoding } from './table/upload-text.ts'
import { partsOfWkt, wktPattern } from './wkt.ts'

type CsvOptions = Pick<InputOptions, 'lat' | 'lng' | 'crs' | 'isTable' | 'skip_rows'>

/**
 * Opens delimited text. Its encoding, delimiter, header and coordinates are found as those of a run.
 * @throws {FileError} if several columns can have the coordinates.
 */
export async function openCsv(path: string, name: string, options: CsvOptions): Promise<InputFile> {
  const file = { path, name, encoding: await encodingOfFile(path) }
  const rows: string[][] = []
  for await (const { cells } of rowsOf(file)) if (rows.push(cells) > sampleRows) break
  const columns = (rows.shift() ?? []).map((column) => column.trim())
  if (columns.every((column) => column === '')) throw new FileError(`${name} has no line with column names.`)
  const { shape, partsOf } = options.isTable ? noLocation : locationOf(name, { columns, sample: rows }, options)
  const names = columns.map((column, i) => (i === shape ? '' : column))
  return {
    format: 'CSV',
    crs: partsOf ? 'EPSG:4326' : null,
    hasGeometry: partsOf !== null,
    columns: names.filter((column) => column !== ''),
    isText: true,
    close() {},
    batches: () => asyncInputBatchesOf(featuresOf(file, { names, partsOf, skippedRows: options.skip_rows ?? 0 })),
  }
}

type PartsOfRow = (cells: string[]) => GeometryPart[] | 'invalid'
/** How to find the location of a row. `shape` is the column of well-known text, -1 if there is none. */
type Location = { shape: number; partsOf: PartsOfRow | null }

const noLocation: Location = { shape: -1, partsOf: null }

/** A shape comes before the coordinate of a point, unless the user chose the columns of the coordinate. */
function locationOf(
  name: string,
  { columns, sample }: { columns: string[]; sample: string[][] },
  { lat, lng, crs = null }: CsvOptions,
): Location {
  const chosen = { ...(lat !== null && { lat: mappedIndexOf(columns, lat) }) }
  if (lng !== null) Object.assign(chosen, { lng: mappedIndexOf(columns, lng) })
  if (Object.values(chosen).includes(-1))
    throw new FileError(
      `${name} has no columns ${[lat, lng].filter(Boolean).join(' and ')}. Its columns: ${formatNames(columns)}.`,
    )
  const isShape = (column: string, i: number) =>
    shapeNames.test(normalizeColumnName(column)) && sample.some((cells) => wktPattern.test(cells[i] ?? ''))
  const shape = lat === null && lng === null ? columns.findIndex(isShape) : -1
  if (shape >= 0) return { shape, partsOf: (cells) => partsOfShape(cells[shape]) }
  const toDegrees = crs === null ? null : toDegreesOf(crs, name)
  const found = chooseCoordinate({ header: columns, sample, chosen, crs, toDegrees, advice })
  if (typeof found === 'string') throw new FileError(`${name}: ${found}.`)
  return found ? { shape: -1, partsOf: (cells) => partsOfPoint(cells, found) } : noLocation
}

const advice = { choose: 'Choose with --lat and --lng', west: 'Write them with a minus sign' }

function partsOfPoint(cells: string[], { lat, lng, location }: CoordinateColumns): GeometryPart[] | 'invalid' {
  const [y, x, text] = [lat, lng, location].map((i) => (cells[i] ?? '').trim()) as [string, string, string]
  if (location >= 0 ? text === '' : y === '' || x === '') return []
  const at = location >= 0 ? parseLocationText(text) : parsePair(y, x, { toDegrees: null, west: false })
  return at && 'lat' in at ? [{ kind: 'point', paths: [[at.lng, at.lat]] }] : 'invalid'
}

function partsOfShape(text = ''): GeometryPart[] | 'invalid' {
  return text.trim() === '' ? [] : partsOrInvalid(() => partsOfWkt(text))
}

type CsvFile = { path: string; name: string; encoding: string }
const piece_bytes = 1024 ** 2
/** The shape of a state has some megabytes of well-known text. */
const rowMax_characters = 4 * 1024 * 1024

async function* featuresOf(
  file: CsvFile,
  { names, partsOf, skippedRows }: { names: string[]; partsOf: PartsOfRow | null; skippedRows: number },
): AsyncGenerator<ReadFeature> {
  let count = 0
  for await (const { cells, progress } of rowsOf(file))
    if (count++ > skippedRows) yield { parts: partsOf?.(cells) ?? [], properties: propertiesOf(cells, names), progress }
}

/** The cells of the header, then of each row that has any. @throws {FileError} for a row that is not valid. */
async function* rowsOf({ path, name, encoding }: CsvFile): AsyncGenerator<{ cells: string[]; progress: number }> {
  const { size } = statSync(path)
  const bytes = createReadStream(path, { highWaterMark: piece_bytes })
  const { texts, delimiter, firstLine } = await startAtHeader(new TextDecoding(encoding).texts(bytes), {})
  const readCells = createCellsReader(delimiter)
  for await (const { line, text } of readCsvRecords(texts, delimiter, undefined, rowMax_characters)) {
    const read = text === null ? null : readCells(text)
    const cells = read instanceof Promise ? await read : read
    if (!cells)
      throw new FileError(
        `Line ${line + firstLine - 1} of ${name} is invalid: it has an unclosed quote, text after a closing quote, or more than ${rowMax_characters} characters.`,
      )
    if (cells.some((cell) => cell !== '')) yield { cells, progress: Math.min(1, bytes.bytesRead / size) }
  }
}

/** The properties of a row. An empty or blank cell is null. */
function propertiesOf(row: string[], names: string[]): Properties {
  const properties: Properties = {}
  for (const [i, name] of names.entries())
    if (name !== '') properties[name] = row[i] === undefined || row[i].trim() === '' ? null : row[i]
  return properties
}
