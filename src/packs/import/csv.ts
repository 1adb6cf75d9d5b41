import { createReadStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { parse } from '@fast-csv/parse'
import type { GeometryPart } from '../../geo/wkb-write.ts'
import type { Properties } from '../../model/source.ts'
import { listed } from '../geopackage-file.ts'
import { PackRefused } from '../pack-refused.ts'
import { bytesAt } from './bytes.ts'
import { batchSize, type Batch, type Incoming, type Input, type InputChoice } from './input.ts'
import { partsOfWkt } from './wkt.ts'

const head_bytes = 262_144
const delimiters = [',', '\t', '|', ';']
const byteOrderMark = /^\uFEFF/

/** The names under which publishers give coordinates, a latitude and its longitude. */
const pairs = [
  ['latitude', 'longitude'], ['lat', 'lng'], ['lat', 'lon'], ['lat', 'long'], ['y', 'x'], ['ylat', 'xlong'], ['intptlat', 'intptlong'], ['intptlat', 'intptlon'],
  ['latitude83', 'longitude83'], ['lat83', 'long83'], ['latitude_decimal', 'longitude_decimal'], ['dec_lat', 'dec_long'], ['y_coord', 'x_coord'], ['slat', 'slon'],
] as const
const wktNames = ['wkt', 'geom', 'geometry', 'the_geom', 'wkt_geom', 'wkt_geometry']
const wktBegins = /^\s*(?:SRID=\d+;\s*)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON|GEOMETRYCOLLECTION)/i

/** A table as text, its delimiter and its encoding found out; one line of other words may stand over the names. */
export async function openCsv(path: string, name: string, { lat, lng, skip_rows = 0 }: Pick<InputChoice, 'lat' | 'lng' | 'skip_rows'>): Promise<Input> {
  const encoding = await encodingOf(path)
  const head = new TextDecoder(encoding).decode(bytesAt(path, 0, head_bytes)).replace(byteOrderMark, '')
  const delimiter = delimiterOf(head)
  const first = await firstRows(head, delimiter)
  const skipped = first[0] && first[1] && first[0].filter((cell) => cell !== '').length === 1 && first[1].length > 2 ? 1 : 0
  const columns = (first[skipped] ?? []).map((column) => column.trim())
  if (columns.every((column) => column === '')) throw new PackRefused(`${name} has no line with the names of its columns.`)
  const position = positionOf(columns, { lat, lng }, name)
  const wkt = position ? -1 : columns.findIndex((column, i) => wktNames.includes(column.toLowerCase()) && wktBegins.test(first[skipped + 1]?.[i] ?? ''))
  const partsIn = position ? (row: string[]) => pointOf(row[position.lat], row[position.lng]) : wkt >= 0 ? (row: string[]) => shapeOf(row[wkt]) : () => []
  const names = columns.map((column, i) => (i === wkt ? '' : column))
  return {
    format: 'CSV', crs: position || wkt >= 0 ? 'EPSG:4326' : null, hasGeometry: position !== null || wkt >= 0, columns: names.filter((column) => column !== ''), isText: true, close() {},
    batches: () => batchesOf({ path, encoding, delimiter, skipped: skipped + skip_rows }, names, partsIn),
  }
}

/** UTF-8 where all of the file is, else what Windows in the West writes. */
async function encodingOf(path: string): Promise<'utf-8' | 'windows-1252'> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: head_bytes })) decoder.decode(chunk as Buffer, { stream: true })
    decoder.decode()
    return 'utf-8'
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252'
    throw error
  }
}

/** The one that the second line has most of: the first may be words. */
function delimiterOf(head: string): string {
  const lines = head.split(/\r?\n/, 2)
  const count = (delimiter: string) => Math.max(...lines.map((line) => line.replaceAll(/"[^"]*"/g, '').split(delimiter).length))
  return delimiters.toSorted((a, b) => count(b) - count(a))[0]!
}

async function firstRows(head: string, delimiter: string): Promise<string[][]> {
  const rows: string[][] = []
  for await (const row of parsed(Readable.from([head]), delimiter, 3)) rows.push(row)
  return rows
}

function parsed(from: Readable, delimiter: string, maxRows = 0): AsyncIterable<string[]> {
  const stream = parse<string[], string[]>({ headers: false, delimiter, ignoreEmpty: true, strictColumnHandling: false, maxRows })
  from.on('error', (error) => stream.destroy(error))
  return from.pipe(stream)
}

function positionOf(columns: string[], { lat, lng }: { lat: string | null; lng: string | null }, name: string): { lat: number; lng: number } | null {
  const names = columns.map((column) => column.toLowerCase())
  const at = (wanted: string) => names.indexOf(wanted.toLowerCase())
  if (lat !== null && lng !== null) {
    if (at(lat) < 0 || at(lng) < 0) throw new PackRefused(`${name} has no columns ${lat} and ${lng}; it has ${listed(columns)}.`)
    return { lat: at(lat), lng: at(lng) }
  }
  const found = pairs.find((pair) => pair.every((wanted) => at(wanted) >= 0))
  return found ? { lat: at(found[0]), lng: at(found[1]) } : null
}

function pointOf(lat = '', lng = ''): GeometryPart[] | 'broken' {
  if (lat.trim() === '' || lng.trim() === '') return []
  const [x, y] = [Number(lng), Number(lat)]
  return Number.isFinite(x) && Number.isFinite(y) ? [{ kind: 'point', paths: [[x, y]] }] : 'broken'
}

function shapeOf(text = ''): GeometryPart[] | 'broken' {
  if (text.trim() === '') return []
  try {
    return partsOfWkt(text)
  } catch {
    return 'broken' // counted, and told at the end
  }
}

type TextForm = { path: string; encoding: 'utf-8' | 'windows-1252'; delimiter: string; skipped: number }

async function* batchesOf({ path, encoding, delimiter, skipped }: TextForm, names: string[], partsIn: (row: string[]) => GeometryPart[] | 'broken'): AsyncGenerator<Batch> {
  const { size } = statSync(path)
  const file = createReadStream(path, { highWaterMark: head_bytes })
  let features: Incoming[] = []
  let count = 0
  for await (const row of parsed(Readable.from(textsOf(file, encoding)), delimiter)) {
    if (count++ <= skipped) continue
    features.push({ parts: partsIn(row), properties: propertiesOf(row, names) })
    if (features.length < batchSize) continue
    yield { features, done: Math.min(1, file.bytesRead / size) }
    features = []
  }
  yield { features, done: 1 }
}

async function* textsOf(file: AsyncIterable<Buffer>, encoding: 'utf-8' | 'windows-1252'): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of file) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Nothing between two delimiters, or nothing but blanks, is no value. */
function propertiesOf(row: string[], names: string[]): Properties {
  const properties: Properties = {}
  for (const [i, name] of names.entries()) if (name !== '') properties[name] = row[i] === undefined || row[i].trim() === '' ? null : row[i]
  return properties
}
