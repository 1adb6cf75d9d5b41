import { createReadStream, createWriteStream, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { FileError } from './file-error.ts'
import { linkedKmlEntry } from './zip/kmz.ts'
import { extractZipEntries, readZipEntries } from './zip/extract-zip.ts'
import { zipLimits, type ZipEntry } from './zip/zip.ts'
import { readBytesAt } from './byte-reader.ts'
import {
  chooseGeodatabaseTable,
  geodatabaseCatalog,
  geodatabaseExtensions,
  geodatabaseTableName,
} from './geodatabase/geodatabase.ts'
import type { InputOptions } from './input-file.ts'
import { chooseLayer } from './layer-choice.ts'
import { workbookPart } from './workbook/sheet-rows.ts'

/** A file outside of archives. `name` is for errors. */
export type UnpackedInput = { path: string; name: string; options: InputOptions }

/**
 * Unpacks a file from the archives around it into a folder: ZIP and gzip, also inside each other. A file that is no
 * archive stays where it is, and so does a workbook (.xlsx).
 * @throws FileError if an archive is corrupt, or does not say which of its files to read.
 */
export async function unpackInput(
  path: string,
  options: InputOptions,
  folder: string,
  expected: string,
): Promise<UnpackedInput> {
  let unpacked: UnpackedInput = { path, name: basename(path), options }
  for (let depth = 0; ; depth++) {
    if (statSync(unpacked.path).isDirectory()) return unpacked
    const head = readBytesAt(unpacked.path, 0, 4).toString('latin1')
    const isGzip = head.startsWith('\x1f\x8b')
    if (!isGzip && !zipSignatures.includes(head)) return unpacked
    const entries = isGzip ? [] : await readZipEntries(unpacked.path, unpacked.name)
    if (options.otherExtensions && entries.some((entry) => entry.path === workbookPart)) return unpacked
    if (depth === zipLimits.depth)
      throw new FileError(
        `${unpacked.name} is an archive inside ${zipLimits.depth} others. Extract it and pass the files.`,
      )
    unpacked = isGzip ? await gunzip(unpacked, folder) : await unzip(unpacked, entries, folder, expected)
  }
}

/** A ZIP archive, and an empty one. */
const zipSignatures = ['PK\x03\x04', 'PK\x05\x06']

async function gunzip({ path, name, options }: UnpackedInput, folder: string): Promise<UnpackedInput> {
  const compressed_bytes = statSync(path).size
  const target = join(folder, `gunzipped-${Bun.hash(path).toString(36)}`, basename(path).replace(/\.(?:gz|gzip)$/i, ''))
  mkdirSync(dirname(target), { recursive: true })
  let size_bytes = 0
  const limited = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size_bytes += chunk.length
      const isTooDense = size_bytes > zipLimits.anyRatio_bytes && size_bytes > zipLimits.ratio * compressed_bytes
      if (size_bytes > zipLimits.member_bytes || isTooDense)
        throw new FileError(
          `${name} has more than ${zipLimits.ratio} times its size when it is unpacked. Unpack it and pass the file.`,
        )
      yield chunk
    }
  }
  try {
    await pipeline(createReadStream(path), createGunzip(), limited, createWriteStream(target))
  } catch (cause) {
    if (cause instanceof FileError || (cause as NodeJS.ErrnoException).syscall !== undefined) throw cause
    throw new FileError(`${name} cannot be unpacked: it is damaged. Copy or download the file again.`, { cause })
  }
  return { path: target, name: name.replace(/\.(?:gz|gzip)$/i, ''), options }
}

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

async function unzip(
  { path, name, options }: UnpackedInput,
  entries: readonly ZipEntry[],
  folder: string,
  expected: string,
): Promise<UnpackedInput> {
  const extensionOf = (entry: string) => extname(entry).toLowerCase()
  const isReadable = (extension: string) =>
    readableExtensions.has(extension) || options.otherExtensions?.includes(extension) === true
  const all = entries.filter(
    (entry) =>
      isReadable(extensionOf(entry.path)) &&
      !ignoredNames.test(entry.name) &&
      !/(?:^|\/)(?:__MACOSX\/|\._)/.test(entry.path),
  )
  const stems = new Set(all.filter((entry) => extensionOf(entry.path) === '.shp').map((entry) => stemOf(entry.path)))
  const candidates = all.filter((entry) => extensionOf(entry.path) !== '.dbf' || !stems.has(stemOf(entry.path)))
  if (entries.some(isGeodatabaseTable) && !candidates.some(isLayerFile))
    return unzipGeodatabase({ path, name, options }, entries, folder)
  if (candidates.length === 0)
    throw new FileError(`${name} contains no file in a supported format. Expected ${expected}.`)
  const mainEntry = mainEntryOf(candidates, options, name)
  const needed = entries.filter(
    (entry) =>
      entry === mainEntry ||
      (extensionOf(mainEntry.path) === '.shp' &&
        stemOf(entry.path) === stemOf(mainEntry.path) &&
        ['.dbf', '.prj', '.cpg'].includes(extensionOf(entry.path))),
  )
  const targetFolder = join(folder, `unzipped-${mainEntry.name.replaceAll(/\W/g, '_')}-${Bun.hash(path).toString(36)}`)
  const [main] = await extractZipEntries(
    path,
    [mainEntry, ...needed.filter((entry) => entry !== mainEntry)],
    targetFolder,
    name,
  )
  const isKml = extensionOf(mainEntry.path) === '.kml'
  const linked =
    isKml && mainEntry.size < linksMax_bytes ? linkedKmlEntry(readFileSync(main!, 'utf8'), entries, name) : null
  const [linkedFile] = linked ? await extractZipEntries(path, [linked], targetFolder, name) : []
  const isNamed = [mainEntry.path, basename(mainEntry.path)].some(
    (it) => it.toLowerCase() === options.layer?.toLowerCase(),
  )
  const isChoiceLeft = !isNamed && (candidates.length === 1 || extensionOf(mainEntry.path) === '.gpkg')
  return {
    path: linkedFile ?? main!,
    name: basename((linked ?? mainEntry).path),
    options: isChoiceLeft ? options : { ...options, layer: null },
  }
}

/** A KML file that only links to another one is short. */
const linksMax_bytes = 1024 ** 2

/** The layer that the user chose, or the only one. Of several KML files, `doc.kml` is the first. */
function mainEntryOf(candidates: ZipEntry[], options: InputOptions, name: string): ZipEntry {
  if (candidates.length === 1) return candidates[0]!
  const chosen = options.layer?.toLowerCase()
  const byPath = chosen === undefined ? 'doc.kml' : chosen
  const entry = candidates.find((it) => [it.path, basename(it.path)].some((path) => path.toLowerCase() === byPath))
  return entry ?? chooseLayer(preferLayers(candidates), options, name)
}

/** Extracts only the tables that are read from a geodatabase in an archive. */
async function unzipGeodatabase(
  { path, name, options }: UnpackedInput,
  entries: readonly ZipEntry[],
  folder: string,
): Promise<UnpackedInput> {
  const folders = [...new Set(entries.filter(isGeodatabaseTable).map((entry) => dirname(entry.path)))]
  if (folders.length > 1)
    throw new FileError(
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
  return { path: target, name, options }
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
