import { existsSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { PackError } from '../pack-error.ts'
import { extractZipEntries, readZipEntries } from '../zip/zip.ts'
import { zipLimits, type ZipEntry } from '../zip/zip-directory.ts'
import { readBytesAt } from './byte-reader.ts'
import { openCsv } from './csv.ts'
import { openFlatgeobuf } from './flatgeobuf/flatgeobuf.ts'
import {
  chooseGeodatabaseTable,
  geodatabaseCatalog,
  geodatabaseExtensions,
  geodatabaseTableName,
  openGeodatabase,
} from './geodatabase/geodatabase.ts'
import { openGeoJson } from './geojson/geojson.ts'
import { openGeopackageInput } from './geopackage/geopackage-input.ts'
import type { InputFile, InputOptions } from './input-file.ts'
import { chooseLayer } from './layer-choice.ts'
import { openParquet } from './parquet/parquet.ts'
import { isRecordsFile, openRecords } from './records.ts'
import { openShapefile, openDbfInput } from './shapefile/shapefile.ts'

/**
 * Opens a file by its content. Extracts archives into `folder` first.
 * @throws PackError if the format is not supported.
 */
export function openInput(path: string, options: InputOptions, folder: string): Promise<InputFile> {
  return openAtDepth(path, options, folder, 0)
}

/** `depth` is the number of archives around the file. */
async function openAtDepth(path: string, options: InputOptions, folder: string, depth: number): Promise<InputFile> {
  const name = basename(path)
  if (options.records && isRecordsFile(path, options.records)) return openRecords(path, options.records, folder)
  if (!existsSync(path)) throw new PackError(`The file ${path} does not exist.`)
  if (statSync(path).isDirectory()) {
    if (existsSync(join(path, `${geodatabaseCatalog}.gdbtable`))) return openGeodatabase(path, name, options)
    throw new PackError(`${path} is a folder. Expected ${supportedFormats}.`)
  }
  const head = readBytesAt(path, 0, 1_024)
  if (head.length === 0) throw new PackError(`${name} is empty (0 bytes).`)
  const text = head.toString('latin1')
  if (text.startsWith('PK\x03\x04') || text.startsWith('PK\x05\x06')) return openZip(path, options, folder, depth + 1)
  if (text.startsWith('fgb')) return openFlatgeobuf(path, name)
  if (text.startsWith('PAR1')) return openParquet(path, name)
  if (text.startsWith('SQLite format 3\0')) return openGeopackageInput(path, name, options)
  if (head.length >= 4 && head.readUInt32BE(0) === shapefileMagic) return openShapefile(path, name)
  if (isDbf(path, head))
    return existsSync(path.replace(/\.dbf$/i, '.shp'))
      ? openShapefile(path.replace(/\.dbf$/i, '.shp'), name)
      : openDbfInput(path, name)
  const rejected = rejectedFormats.find(([begin]) => text.startsWith(begin))?.[1]
  if (rejected) throw new PackError(`${name} is ${rejected}. Expected ${supportedFormats}.`)
  const decoded = new TextDecoder()
    .decode(head)
    .replaceAll('\x1e', '')
    .replace(/^[\uFEFF\s]+/, '')
  if (/^[{[]/.test(decoded)) return openGeoJson(path, name)
  if (decoded.startsWith('<')) throw new PackError(`${name} is XML or HTML. Expected ${supportedFormats}.`)
  if (head.includes(0))
    throw new PackError(
      `${name} starts with the bytes ${head.subarray(0, 8).toString('hex')}, which is not a supported format. Expected ${supportedFormats}.`,
    )
  return openCsv(path, name, options)
}

const supportedFormats =
  'GeoJSON, GeoJSONSeq, FlatGeobuf, a shapefile, GeoParquet, a GeoPackage, a file geodatabase or CSV (also in a ZIP archive)'
const shapefileMagic = 9994
const rejectedFormats: [string, string][] = [
  ['%PDF', 'PDF'],
  ['\x1f\x8b', 'compressed with gzip (decompress it first)'],
  ['II*\0', 'a TIFF (a raster)'],
  ['MM\0*', 'a TIFF (a raster)'],
  ['\xd0\xcf\x11\xe0', 'an old Excel file (.xls)'],
]
const readableExtensions = new Set([
  '.shp',
  '.geojson',
  '.json',
  '.geojsonl',
  '.geojsons',
  '.ndjson',
  '.fgb',
  '.parquet',
  '.gpkg',
  '.csv',
  '.tsv',
  '.txt',
  '.dat',
  '.dbf',
])
const ignoredNames = /^(readme|licen[cs]e|metadata|disclaimer)/i

function isDbf(path: string, head: Buffer): boolean {
  return /\.dbf$/i.test(path) && [0x03, 0x30, 0x31, 0x83, 0x8b, 0xf5].includes(head[0]!)
}

async function openZip(path: string, options: InputOptions, folder: string, depth: number): Promise<InputFile> {
  const name = basename(path)
  if (depth > zipLimits.depth)
    throw new PackError(`${name} is an archive inside ${zipLimits.depth} others. Extract it and pass the files.`)
  const entries = readZipEntries(path, name)
  const extensionOf = (entry: string) => extname(entry).toLowerCase()
  const all = entries.filter(
    (entry) => readableExtensions.has(extensionOf(entry.path)) && !ignoredNames.test(entry.name),
  )
  const stems = new Set(all.filter((entry) => extensionOf(entry.path) === '.shp').map((entry) => stemOf(entry.path)))
  const candidates = all.filter((entry) => extensionOf(entry.path) !== '.dbf' || !stems.has(stemOf(entry.path)))
  if (entries.some(isGeodatabaseTable) && !candidates.some(isLayerFile))
    return openZippedGeodatabase({ path, name, entries }, options, folder)
  if (candidates.length === 0)
    throw new PackError(`${name} contains no file in a supported format. Expected ${supportedFormats}.`)
  const mainEntry = candidates.length === 1 ? candidates[0]! : chooseLayer(preferLayers(candidates), options, name)
  const needed = entries.filter(
    (entry) =>
      entry === mainEntry ||
      (extensionOf(mainEntry.path) === '.shp' &&
        stemOf(entry.path) === stemOf(mainEntry.path) &&
        ['.dbf', '.prj', '.cpg'].includes(extensionOf(entry.path))),
  )
  const targetFolder = join(folder, `unzipped-${mainEntry.name.replaceAll(/\W/g, '_')}-${Bun.hash(path).toString(36)}`)
  const paths = await extractZipEntries(path, needed, targetFolder, name)
  return openAtDepth(
    paths[needed.indexOf(mainEntry)]!,
    candidates.length === 1
      ? options
      : { ...options, layer: extensionOf(mainEntry.path) === '.gpkg' ? options.layer : null },
    targetFolder,
    depth,
  )
}

/** Extracts only the tables that are read from a geodatabase in an archive. */
async function openZippedGeodatabase(
  { path, name, entries }: { path: string; name: string; entries: readonly ZipEntry[] },
  options: InputOptions,
  folder: string,
): Promise<InputFile> {
  const folders = [...new Set(entries.filter(isGeodatabaseTable).map((entry) => dirname(entry.path)))]
  if (folders.length > 1)
    throw new PackError(
      `${name} has several geodatabases (${folders.join(', ')}). Extract the archive and pass one of these folders.`,
    )
  const target = join(folder, `unzipped-gdb-${Bun.hash(path).toString(36)}`)
  const extractTable = (table: string) => {
    const files = geodatabaseExtensions.map((extension) => `${table}${extension}`)
    const needed = entries.filter((entry) => files.includes(basename(entry.path).toLowerCase()))
    return extractZipEntries(path, needed, target, name)
  }
  await extractTable(geodatabaseCatalog)
  const { id } = chooseGeodatabaseTable(target, name, options)
  await extractTable(geodatabaseTableName(id))
  return openGeodatabase(target, name, options)
}

const isGeodatabaseTable = ({ path }: ZipEntry) => /\.gdbtable$/i.test(path)

/** Archives often contain tables and texts that describe their layers; these count only if there are no layers. */
function preferLayers<Entry extends { path: string }>(entries: Entry[]): Entry[] {
  const layers = entries.filter(isLayerFile)
  return layers.length > 0 ? layers : entries
}

function isLayerFile({ path }: { path: string }): boolean {
  return !/\.(txt|csv|tsv|dat|dbf|json)$/i.test(path)
}

function stemOf(path: string): string {
  return path.replace(/\.[^./]*$/, '').toLowerCase()
}
