/**
 * Reads the files that people and publishers have: tables, shapes, GeoPackages, Parquet, archives. One reader for each
 * format serves runs, areas and packs, in pieces, so that no file is in memory as a whole.
 */
import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { FileError } from './file-error.ts'
import { readBytesAt } from './byte-reader.ts'
import { openCsv } from './csv.ts'
import { openFlatgeobuf } from './flatgeobuf/flatgeobuf.ts'
import { geodatabaseCatalog, openGeodatabase } from './geodatabase/geodatabase.ts'
import { openGeoJson } from './geojson/geojson.ts'
import { openGeopackageInput } from './geopackage/geopackage-input.ts'
import type { InputFile, InputOptions } from './input-file.ts'
import { openParquet } from './parquet/parquet.ts'
import { isRecordsFile, openRecords } from './records.ts'
import { openShapefile, openDbfInput } from './shapefile/shapefile.ts'
import { unpackInput, type UnpackedInput } from './unpack-input.ts'

/**
 * Opens a file by its content. Extracts archives into `folder` first.
 * @throws FileError if the format is not supported.
 */
export async function openInput(path: string, options: InputOptions, folder: string): Promise<InputFile> {
  if (options.records && (await isRecordsFile(path, options.records))) return openRecords(path, options.records, folder)
  if (!existsSync(path)) throw new FileError(`The file ${path} does not exist.`)
  return openUnpacked(
    statSync(path).isDirectory()
      ? { path, name: basename(path), options }
      : await unpackInput(path, options, folder, supportedFormats),
  )
}

/** Opens a file outside of archives by its content. @throws FileError if the format is not supported. */
export async function openUnpacked(
  { path, name, options }: UnpackedInput,
  expected = supportedFormats,
): Promise<InputFile> {
  if (statSync(path).isDirectory()) {
    if (existsSync(join(path, `${geodatabaseCatalog}.gdbtable`))) return openGeodatabase(path, name, options)
    throw new FileError(`${path} is a folder. Expected ${expected}.`)
  }
  const head = readBytesAt(path, 0, 1_024)
  if (head.length === 0) throw new FileError(`${name} is empty (0 bytes).`)
  const text = head.toString('latin1')
  if (text.startsWith('fgb')) return openFlatgeobuf(path, name, options)
  if (text.startsWith('PAR1')) return openParquet(path, name)
  if (text.startsWith('SQLite format 3\0')) return openGeopackageInput(path, name, options)
  if (head.length >= 4 && head.readUInt32BE(0) === shapefileMagic) return openShapefile(path, name, options)
  if (isDbf(path, head))
    return existsSync(path.replace(/\.dbf$/i, '.shp'))
      ? openShapefile(path.replace(/\.dbf$/i, '.shp'), name, options)
      : openDbfInput(path, name, options)
  const rejected = rejectedFormats.find(([begin]) => text.startsWith(begin))?.[1]
  if (rejected) throw new FileError(`${name} is ${rejected}. Expected ${expected}.`)
  const decoded = new TextDecoder()
    .decode(head)
    .replaceAll('\x1e', '')
    .replace(/^[\uFEFF\s]+/, '')
  if (/^[{[]/.test(decoded)) return openGeoJson(path, name, options)
  if (decoded.startsWith('<')) throw new FileError(`${name} is XML or HTML. Expected ${expected}.`)
  if (head.includes(0))
    throw new FileError(
      `${name} starts with the bytes ${head.subarray(0, 8).toString('hex')}, which is not a supported format. Expected ${expected}.`,
    )
  return openCsv(path, name, options)
}

const supportedFormats =
  'GeoJSON, GeoJSONSeq, FlatGeobuf, a shapefile, GeoParquet, a GeoPackage, a file geodatabase or CSV (also with gzip or in a ZIP archive)'
const shapefileMagic = 9994
const rejectedFormats: [string, string][] = [
  ['%PDF', 'PDF'],
  ['II*\0', 'a TIFF (a raster)'],
  ['MM\0*', 'a TIFF (a raster)'],
  ['\xd0\xcf\x11\xe0', 'an old Excel file (.xls)'],
]

function isDbf(path: string, head: Buffer): boolean {
  return /\.dbf$/i.test(path) && [0x03, 0x30, 0x31, 0x83, 0x8b, 0xf5].includes(head[0]!)
}
