import { existsSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { PackRefused } from '../pack-refused.ts'
import { bytesAt } from './bytes.ts'
import { openCsv } from './csv.ts'
import { openFlatgeobuf } from './flatgeobuf.ts'
import { openGeoJson } from './geojson.ts'
import { openGeopackageInput } from './geopackage-input.ts'
import type { Input, InputChoice } from './input.ts'
import { chosenLayer } from './layer-choice.ts'
import { openParquet } from './parquet.ts'
import { hasRecords, openRecords } from './records.ts'
import { openShapefile, openTable } from './shapefile.ts'
import { unzipped, zipEntries } from './zip.ts'

/** Opens a file by what is in it; what is packed is unpacked into `folder` first. Refuses what is not read, with a sentence. */
export async function openInput(path: string, choice: InputChoice, folder: string): Promise<Input> {
  const name = basename(path)
  if (choice.records && hasRecords(path, choice.records)) return openRecords(path, choice.records, folder)
  if (!existsSync(path)) throw new PackRefused(`There is no file ${path}.`)
  if (statSync(path).isDirectory()) throw new PackRefused(`${path} is a folder${/\.gdb$/i.test(path) ? ', an Esri file geodatabase' : ''}; ${wanted} was expected. ogr2ogr makes one: ogr2ogr -f GPKG out.gpkg ${path}`)
  const head = bytesAt(path, 0, 1_024)
  if (head.length === 0) throw new PackRefused(`${name} is empty (0 bytes).`)
  const text = head.toString('latin1')
  if (text.startsWith('PK\x03\x04') || text.startsWith('PK\x05\x06')) return openZip(path, choice, folder)
  if (text.startsWith('fgb')) return openFlatgeobuf(path, name)
  if (text.startsWith('PAR1')) return openParquet(path, name)
  if (text.startsWith('SQLite format 3\0')) return openGeopackageInput(path, name, choice)
  if (head.length >= 4 && head.readUInt32BE(0) === shapefileMark) return openShapefile(path, name)
  if (isDbf(path, head)) return existsSync(path.replace(/\.dbf$/i, '.shp')) ? openShapefile(path.replace(/\.dbf$/i, '.shp'), name) : openTable(path, name)
  const other = others.find(([begin]) => text.startsWith(begin))?.[1]
  if (other) throw new PackRefused(`${name} is ${other}; ${wanted} was expected.`)
  const plain = new TextDecoder().decode(head).replaceAll('\x1e', '').replace(/^[\uFEFF\s]+/, '')
  if (/^[{[]/.test(plain)) return openGeoJson(path, name)
  if (plain.startsWith('<')) throw new PackRefused(`${name} is XML or HTML; ${wanted} was expected.`)
  if (head.includes(0)) throw new PackRefused(`${name} begins with the bytes ${head.subarray(0, 8).toString('hex')}, which is no format that is read; ${wanted} was expected.`)
  return openCsv(path, name, choice)
}

const wanted = 'GeoJSON, GeoJSONSeq, FlatGeobuf, a shapefile, GeoParquet, a GeoPackage or CSV (also in a ZIP archive)'
const shapefileMark = 9994
const others: [string, string][] = [['%PDF', 'PDF'], ['\x1f\x8b', 'packed with gzip (unpack it first)'], ['II*\0', 'a TIFF (a raster)'], ['MM\0*', 'a TIFF (a raster)'], ['\xd0\xcf\x11\xe0', 'an Excel file of the old kind']]
const readable = new Set(['.shp', '.geojson', '.json', '.geojsonl', '.geojsons', '.ndjson', '.fgb', '.parquet', '.gpkg', '.csv', '.tsv', '.txt', '.dat', '.dbf'])
const aside = /^(readme|licen[cs]e|metadata|disclaimer)/i

function isDbf(path: string, head: Buffer): boolean {
  return /\.dbf$/i.test(path) && [0x03, 0x30, 0x31, 0x83, 0x8b, 0xf5].includes(head[0]!)
}

async function openZip(path: string, choice: InputChoice, folder: string): Promise<Input> {
  const name = basename(path)
  const entries = zipEntries(path, name)
  const endingOf = (entry: string) => extname(entry).toLowerCase()
  const all = entries.filter((entry) => readable.has(endingOf(entry.path)) && !aside.test(entry.name))
  const stems = new Set(all.filter((entry) => endingOf(entry.path) === '.shp').map((entry) => stemOf(entry.path)))
  const candidates = all.filter((entry) => endingOf(entry.path) !== '.dbf' || !stems.has(stemOf(entry.path)))
  if (candidates.length === 0) {
    const isGeodatabase = entries.some((entry) => /\.gdb\//i.test(entry.path))
    throw new PackRefused(`${name} has ${isGeodatabase ? 'an Esri file geodatabase' : 'no file that is read'}; ${wanted} was expected.${isGeodatabase ? ' ogr2ogr makes one: ogr2ogr -f GPKG out.gpkg <the .gdb folder> <layer>' : ''}`)
  }
  const chosen = candidates.length === 1 ? candidates[0]! : chosenLayer(bestKind(candidates), choice, name)
  const needed = entries.filter((entry) => entry === chosen || (endingOf(chosen.path) === '.shp' && stemOf(entry.path) === stemOf(chosen.path) && ['.dbf', '.prj', '.cpg'].includes(endingOf(entry.path))))
  const into = join(folder, `unzipped-${chosen.name.replaceAll(/\W/g, '_')}-${Bun.hash(path).toString(36)}`)
  const paths = await unzipped(path, needed, into, name)
  return openInput(paths[needed.indexOf(chosen)]!, candidates.length === 1 ? choice : { ...choice, layer: endingOf(chosen.path) === '.gpkg' ? choice.layer : null }, into)
}

/** Beside layers, an archive often has tables and texts that tell of them. */
function bestKind<Entry extends { path: string }>(entries: Entry[]): Entry[] {
  const layers = entries.filter((entry) => !/\.(txt|csv|tsv|dat|dbf|json)$/i.test(entry.path))
  return layers.length > 0 ? layers : entries
}

function stemOf(path: string): string {
  return path.replace(/\.[^./]*$/, '').toLowerCase()
}
