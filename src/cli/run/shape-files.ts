import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kmlFeatures } from '../../areas/shape/kml-features.ts'
import {
  featureOfGeoJson,
  featureOfWkt,
  linkedEntryOf,
  mainEntryOf,
  noCrsError,
  requireMemberSize,
  shapesOfFeatures,
  sidecarOf,
  textFormatOf,
  type FileShape,
} from '../../areas/shape/shapes-file.ts'
import { openByteReader, readBytesAt } from '../../packs/import/byte-reader.ts'
import { readDbf } from '../../packs/import/shapefile/dbf.ts'
import { declaredCrsOf } from '../../packs/import/geojson/geojson-parts.ts'
import type { InputFeature } from '../../packs/import/input-file.ts'
import { readJsonObjects } from '../../packs/import/geojson/json-objects.ts'
import { readShapes } from '../../packs/import/shapefile/shape-records.ts'
import { PackError, parseJsonObject } from '../../packs/pack-error.ts'
import { extractZipEntries, readZipEntries } from '../../packs/zip/zip.ts'
import type { ZipEntry } from '../../packs/zip/zip-directory.ts'

/** A file of shapes. Each call of `shapes` reads it from the beginning, one shape at a time. */
export type ShapeFile = {
  /** Null stands for a feature that is neither a polygon nor a line. @throws {PackError} */
  shapes(): Iterable<FileShape | null>
  /** Deletes what was unpacked. */
  close(): void
}

/** A shape of this size has far more positions than an area may have. Reading takes several times this memory. */
const shapeMax_bytes = 16 * 1024 ** 2
const head_bytes = 65_536
const piece_bytes = 1024 ** 2

/**
 * Opens a file by its content. Archives are unpacked into a temporary folder, because a file of any size is read with
 * bounded memory.
 * @throws {PackError} for another format.
 */
export async function openShapeFile(path: string, name: string): Promise<ShapeFile> {
  const head = readBytesAt(path, 0, head_bytes)
  if (head.length === 0) throw new PackError(`${name} is empty (0 bytes).`)
  if (!isZip(head)) return { shapes: () => shapesOfText(path, name), close: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-shapes-'))
  const close = () => rmSync(folder, { recursive: true, force: true })
  try {
    return { shapes: await openArchive(path, name, folder), close }
  } catch (error) {
    close()
    throw error
  }
}

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)
}

async function openArchive(path: string, name: string, folder: string): Promise<ShapeFile['shapes']> {
  const entries = readZipEntries(path, name)
  const main = mainEntryOf(entries, name)
  const extract = async (...needed: ZipEntry[]) => {
    for (const entry of needed) requireMemberSize(entry, name)
    return extractZipEntries(path, needed, folder, name)
  }
  if (!main.path.toLowerCase().endsWith('.shp')) {
    const [file] = (await extract(main)) as [string]
    const isShort = statSync(file).size <= shapeMax_bytes
    const linked = isShort ? linkedEntryOf(readFileSync(file, 'utf8'), entries, name) : null
    if (!linked) return () => shapesOfText(file, main.path)
    const [linkedFile] = (await extract(linked)) as [string]
    return () => shapesOfText(linkedFile, linked.path)
  }
  const [prj, ...others] = ['prj', 'dbf', 'cpg'].map((extension) => sidecarOf(main, entries, extension))
  if (!prj) throw noCrsError(main, name)
  const [dbf, cpg] = others
  const needed = [main, prj, dbf, cpg].filter((entry) => entry !== null && entry !== undefined)
  const files = await extract(...needed)
  const fileOf = (entry: ZipEntry | null | undefined) => (entry ? files[needed.indexOf(entry)]! : null)
  return () =>
    shapesOfShapefile(main.path, { shp: fileOf(main)!, prj: fileOf(prj)!, dbf: fileOf(dbf), cpg: fileOf(cpg) })
}

type ShapefilePaths = { shp: string; prj: string; dbf: string | null; cpg: string | null }

function* shapesOfShapefile(name: string, { shp, prj, dbf, cpg }: ShapefilePaths): Generator<FileShape | null> {
  const textOf = (path: string) => readFileSync(path, 'utf8').trim()
  const bytes = openByteReader(shp, name, shapeMax_bytes)
  const rows = dbf === null ? null : openByteReader(dbf, `${name} (its .dbf)`, shapeMax_bytes)
  try {
    const table = rows && readDbf(rows, name, cpg && textOf(cpg))
    yield* shapesOfFeatures(readShapes(bytes, table, name), textOf(prj), name)
  } finally {
    bytes.close()
    rows?.close()
  }
}

function* shapesOfText(path: string, name: string): Generator<FileShape | null> {
  const head = new TextDecoder().decode(readBytesAt(path, 0, head_bytes)).trimStart()
  switch (textFormatOf(head, name)) {
    case 'KML':
      return yield* shapesOfFeatures(kmlFeatures(piecesOf(path), name), 'EPSG:4326', name)
    case 'GeoJSON':
      return yield* shapesOfFeatures(featuresOfGeoJson(path, name), crsOfGeoJson(path, head), name)
    case 'WKT':
      if (statSync(path).size > shapeMax_bytes)
        throw new PackError(`${name} has more than ${shapeMax_bytes / 1024 ** 2} MB of well-known text. Simplify it.`)
      return yield* shapesOfFeatures([featureOfWkt(readFileSync(path, 'utf8').trim(), name)], 'EPSG:4326', name)
  }
}

function* featuresOfGeoJson(path: string, name: string): Generator<InputFeature> {
  for (const { text, isTail } of readJsonObjects(path, name, shapeMax_bytes))
    if (!isTail) yield featureOfGeoJson(parseJsonObject(text, name), name)
}

/** The declared coordinate system is before the features, or after them. */
function crsOfGeoJson(path: string, head: string): string {
  const before = declaredCrsOf(head.split('"features"', 1)[0]!)
  const end = readBytesAt(path, Math.max(0, statSync(path).size - head_bytes), head_bytes).toString('utf8')
  return before ?? declaredCrsOf(end.slice(end.lastIndexOf(']'))) ?? 'EPSG:4326'
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
