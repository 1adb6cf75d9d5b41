import { closeSync, createReadStream, createWriteStream, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { kmlFeatures } from '../../areas/shape/kml-features.ts'
import { encodingOfFile, readBytesAt } from '../../files/byte-reader.ts'
import { type InputFeature, type InputFile, inputBatchesOf } from '../../files/input-file.ts'
import { openUnpacked } from '../../files/open-input.ts'
import { unpackInput, type UnpackedInput } from '../../files/unpack-input.ts'
import { partsOfWkt, wktTextPattern } from '../../files/wkt.ts'
import { fileErrorText } from '../../model/text.ts'
import { FileError } from '../../files/file-error.ts'
import { TextDecoding } from '../../files/table/upload-text.ts'
import { UsageError } from '../usage-error.ts'

/**
 * A file of places, outside of its archives. `table` is delimited text or a workbook, which a run reads as it is; all
 * other formats have features, and each call of `open` reads them from the beginning. `name` is that of the file in the
 * archive.
 */
export type PlacesFile = { name: string } & ({ table: string } | { open(): Promise<InputFile> })

/** How to read a file: the layer, and the encoding of a text. */
export type PlacesOptions = { layer: string | null; encoding: string | undefined }

const formats =
  'CSV, a workbook (.xlsx), JSON, GeoJSON, KML, KMZ, a shapefile, a GeoPackage, a file geodatabase, FlatGeobuf, Parquet or well-known text (WKT), also with gzip or in a ZIP archive'
const head_bytes = 65_536
const piece_bytes = 1024 ** 2
/** A shape of this size has far more positions than an area may have. Reading it takes twenty times its size. */
const shapeMax_bytes = 8 * 1024 ** 2
/** Well-known text of this size has far more positions than an area may have. */
const wktMax_bytes = 16 * 1024 ** 2
/** The first bytes of formats that are no text. */
const binaryFormats = ['fgb', 'PAR1', 'SQLite format 3\0', '\0\0\x27\x0a', '%PDF', 'II*\0', 'MM\0*', '\xd0\xcf\x11\xe0']

/**
 * Opens a file by its content, not by its ending. `folder` takes what is unpacked, because a file of any size is read
 * with bounded memory.
 * @throws {FileError} for a format that is not supported.
 */
export async function openPlacesFile(
  path: string,
  name: string,
  options: PlacesOptions,
  folder: string,
): Promise<PlacesFile> {
  const { layer } = options
  const input = {
    layer,
    expectedLayer: '',
    lat: null,
    lng: null,
    keepsText: true,
    layerOption: '--layer' as const,
    shapeMax_bytes,
  }
  const unpacked = await unpackInput(
    path,
    { ...input, otherExtensions: ['.kml', '.kmz', '.xlsx', '.wkt', '.gz', '.zip', '.psv', '.tab'] },
    folder,
    formats,
  )
  const named = unpacked.path === path ? { ...unpacked, name } : unpacked
  const head = statSync(named.path).isDirectory() ? Buffer.alloc(0) : readBytesAt(named.path, 0, head_bytes)
  const start = head.toString('latin1')
  const isDbf = /\.dbf$/i.test(named.path)
  if (head.length === 0 || isDbf || binaryFormats.some((begin) => start.startsWith(begin)))
    return { name: named.name, open: () => openUnpacked(named, formats) }
  if (start.startsWith('PK')) return { name: named.name, table: named.path }
  const format = textFormatOf(await firstText(head, options.encoding), named.name)
  if (format === 'table') return { name: named.name, table: named.path }
  const text = await asUtf8(named, options.encoding, folder)
  return { name: named.name, open: () => openText(format, text) }
}

/** An error of a file of places: what the file system says names the file. */
export function placesFileError(error: unknown, path: string): unknown {
  if (error instanceof UsageError || error instanceof FileError) return error
  return new UsageError(`Cannot read ${path}: ${fileErrorText(error)}.`, { cause: error })
}

type TextFormat = 'KML' | 'JSON' | 'WKT' | 'table'

function textFormatOf(text: string, name: string): TextFormat {
  const start = text.replaceAll('\x1e', '').replace(/^[\uFEFF\s]+/, '')
  if (/^(?:\{\s*["}]|\[\s*[[{\]])/.test(start)) return 'JSON'
  if (wktTextPattern.test(start)) return 'WKT'
  if (!start.startsWith('<')) return 'table'
  if (/<(?:\w+:)?kml[\s>]/.test(start)) return 'KML'
  throw new FileError(`${name} is XML or HTML, but not KML. Expected ${formats}.`)
}

async function firstText(head: Uint8Array, encoding: string | undefined): Promise<string> {
  const texts = new TextDecoding(encoding).texts(Readable.from([head]))
  return (await Array.fromAsync(texts)).join('')
}

/** Returns a text as a file in UTF-8. Most are, and stay where they are. */
async function asUtf8(input: UnpackedInput, encoding: string | undefined, folder: string): Promise<UnpackedInput> {
  const start = readBytesAt(input.path, 0, 200).toString('latin1')
  const declared = /^[^>]*<\?xml[^>]*\bencoding=["'](?!utf-?(?:8|16)\b)([\w-]+)["']/i.exec(start)?.[1]
  const given = encoding ?? declared ?? (await encodingOfFile(input.path))
  if (/^utf-?8$/i.test(given)) return input
  const path = join(folder, 'as-utf-8')
  const texts = new TextDecoding(given).texts(createReadStream(input.path))
  await pipeline(Readable.from(texts), createWriteStream(path))
  return { ...input, path }
}

// oxlint-disable-next-line typescript/require-await -- The other formats are opened asynchronously.
async function openText(format: Exclude<TextFormat, 'table'>, input: UnpackedInput): Promise<InputFile> {
  if (format === 'JSON') return openUnpacked(input)
  const { path, name } = input
  const features = format === 'KML' ? () => kmlFeatures(piecesOf(path), name) : () => featuresOfWkt(path, name)
  return {
    format,
    crs: 'EPSG:4326',
    hasGeometry: true,
    columns: [],
    isText: true,
    batches: () => inputBatchesOf(features().map((feature) => ({ ...feature, progress: 0 }))),
    close() {},
  }
}

/** Each geometry begins on a new line. */
function* featuresOfWkt(path: string, name: string): Generator<InputFeature> {
  if (statSync(path).size > wktMax_bytes)
    throw new FileError(`${name} has more than ${wktMax_bytes / 1024 ** 2} MB of well-known text. Simplify it.`)
  for (const text of readFileSync(path, 'utf8')
    .trim()
    .split(/\n[^\S\n]*(?=[A-Z])/i)) {
    try {
      yield { parts: partsOfWkt(text), properties: {} }
    } catch (cause) {
      throw new FileError(`${name} is not valid well-known text: ${(cause as Error).message}`, { cause })
    }
  }
}

/** The text of a file in pieces. */
function* piecesOf(path: string): Generator<string> {
  const decoder = new TextDecoder()
  const bytes = new Uint8Array(piece_bytes)
  const file = openSync(path, 'r')
  try {
    for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes))
      yield decoder.decode(bytes.subarray(0, read), { stream: true })
    yield decoder.decode()
  } finally {
    closeSync(file)
  }
}
