import { memoryByteSource } from '../../files/byte-source.ts'
import { toDegreesOf } from '../../files/crs.ts'
import { readDbf } from '../../files/shapefile/dbf.ts'
import { declaredCrsOf, partsOfGeoJson } from '../../files/geojson/geojson-parts.ts'
import { withFeatureId } from '../../files/geojson/json-properties.ts'
import type { InputFeature } from '../../files/input-file.ts'
import { readShapes } from '../../files/shapefile/shape-records.ts'
import { partsOfWkt, wktPattern } from '../../files/wkt.ts'
import { FileError, parseJsonObject } from '../../files/file-error.ts'
import { linkedKmlEntry, severalLayersError } from '../../files/zip/kmz.ts'
import { listZipEntries, requireWithinLimits, type ZipEntry } from '../../files/zip/zip.ts'
import { isRecord } from '../../model/record.ts'
import { noShapesError, shapeOfFeature, type FileShape } from './feature-shapes.ts'
import { kmlFeatures } from './kml-features.ts'

/** The shapes of a file. `ignored`: how many features are neither a polygon nor a line. */
export type ShapesOfFile = { shapes: FileShape[]; ignored: number }

/** The largest member of an archive, after it is inflated. */
const memberMax_bytes = 256 * 1024 ** 2
const formats = 'GeoJSON, KML, KMZ, well-known text (WKT) or a shapefile in a ZIP archive'

/**
 * Reads the shapes of a file, in a browser or on a server. The format is detected from the content.
 * @throws {FileError} that says what is wrong with the file.
 */
export async function readShapesFile(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<ShapesOfFile> {
  if (bytes.length === 0) throw new FileError(`${name} is empty (0 bytes).`)
  if (isZip(bytes)) return readArchive(bytes, name)
  return shapesOfText(new TextDecoder().decode(bytes), name)
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)
}

function shapesOfText(decoded: string, name: string): ShapesOfFile {
  const text = decoded.trim()
  switch (textFormatOf(text, name)) {
    case 'KML':
      return collectShapes(kmlFeatures([text], name), 'EPSG:4326', name)
    case 'GeoJSON':
      return shapesOfGeoJson(text, name)
    case 'WKT':
      return collectShapes([featureOfWkt(text, name)], 'EPSG:4326', name)
  }
}

/** Returns the format of a text, from its beginning. @throws {FileError} for any other format. */
function textFormatOf(text: string, name: string): 'KML' | 'GeoJSON' | 'WKT' {
  if (text.startsWith('<')) {
    if (/<(?:\w+:)?kml[\s>]/.test(text)) return 'KML'
    throw new FileError(`${name} is XML or HTML, but not KML. Expected ${formats}.`)
  }
  if (text.startsWith('{')) return 'GeoJSON'
  if (wktPattern.test(text)) return 'WKT'
  throw new FileError(`${name} is in a format that is not supported here. Expected ${formats}.`)
}

/** Returns well-known text as a feature. @throws {FileError} */
function featureOfWkt(text: string, name: string): InputFeature {
  try {
    return { parts: partsOfWkt(text), properties: {} }
  } catch (cause) {
    throw new FileError(`${name} is not valid well-known text: ${(cause as Error).message}`, { cause })
  }
}

function shapesOfGeoJson(text: string, name: string): ShapesOfFile {
  const document = parseJsonObject(text, name)
  const isCollection = document.type === 'FeatureCollection'
  if (isCollection && !Array.isArray(document.features)) throw noFeaturesError(name)
  const features = isCollection ? (document.features as unknown[]) : [document]
  const crs = isRecord(document.crs) ? declaredCrsOf(JSON.stringify({ crs: document.crs })) : null
  return collectShapes(
    features.map((feature) => featureOfGeoJson(feature, name)),
    crs ?? 'EPSG:4326',
    name,
  )
}

function noFeaturesError(name: string): FileError {
  return new FileError(`${name} has no list \`features\`.`)
}

/** Returns a feature, or a geometry by itself. @throws {FileError} for a document of another format. */
function featureOfGeoJson(feature: unknown, name: string): InputFeature {
  if (!isRecord(feature)) return { parts: 'invalid', properties: {} }
  if (feature.type === 'FeatureCollection') throw noFeaturesError(name)
  if ('arcs' in feature || 'rings' in feature || feature.type === 'Topology')
    throw new FileError(`${name} is TopoJSON or Esri JSON. Expected ${formats}.`)
  const isFeature = feature.type === 'Feature'
  const properties = isFeature ? withFeatureId(feature) : {}
  try {
    return { parts: partsOfGeoJson(isFeature ? feature.geometry : feature), properties }
  } catch {
    return { parts: 'invalid', properties }
  }
}

async function readArchive(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<ShapesOfFile> {
  const entries = await listZipEntries(new Blob([bytes]), name)
  const main = mainEntryOf(entries, name)
  const read = (entry: ZipEntry) => unpack(entry, { size: bytes.length, name })
  if (!main.path.toLowerCase().endsWith('.shp')) {
    const text = new TextDecoder().decode(await read(main))
    const linked = linkedKmlEntry(text, entries, name)
    return linked
      ? shapesOfText(new TextDecoder().decode(await read(linked)), linked.path)
      : shapesOfText(text, main.path)
  }
  const readSidecar = async (extension: string) => {
    const entry = sidecarOf(main, entries, extension)
    return entry ? read(entry) : null
  }
  const [shapes, table, prj, cpg] = [
    await read(main),
    await readSidecar('dbf'),
    await readSidecar('prj'),
    await readSidecar('cpg'),
  ]
  if (!prj) throw noCrsError(main, name)
  const textOf = (member: Uint8Array) => new TextDecoder().decode(member).trim()
  const dbf = table && readDbf(memoryByteSource(table, `${main.path} (its .dbf)`), main.path, cpg && textOf(cpg), false)
  return collectShapes(readShapes(memoryByteSource(shapes, main.path), dbf, main.path), textOf(prj), main.path)
}

/** Returns the entry with another extension that belongs to a shapefile. */
function sidecarOf({ path: main }: ZipEntry, entries: readonly ZipEntry[], extension: string): ZipEntry | null {
  const stem = main.slice(0, -'.shp'.length).toLowerCase()
  return entries.find(({ path }) => path.toLowerCase() === `${stem}.${extension}`) ?? null
}

/** The error of a shapefile without a coordinate system. */
function noCrsError({ path }: ZipEntry, name: string): FileError {
  return new FileError(`${name} does not declare the coordinate system of ${path}. Add its .prj file to the archive.`)
}

/** The only layer of an archive. A KMZ archive may have more KML files beside its first one, `doc.kml`. */
function mainEntryOf(entries: readonly ZipEntry[], name: string): ZipEntry {
  const layers = entries.filter(({ path }) => /\.(?:shp|kml|geojson|json)$/i.test(path) && !/(?:^|\/)[._]/.test(path))
  const main = layers.length === 1 ? layers[0] : layers.find(({ path }) => path.toLowerCase() === 'doc.kml')
  if (main) return main
  if (layers.length === 0) throw new FileError(`${name} contains no shapefile, KML or GeoJSON. Expected ${formats}.`)
  throw severalLayersError(layers, name)
}

/** Inflates a member of an archive into memory. */
async function unpack(entry: ZipEntry, archive: { size: number; name: string }): Promise<Uint8Array> {
  requireWithinLimits(archive, [entry], memberMax_bytes)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of entry.inflate()) pieces.push(chunk as Uint8Array<ArrayBuffer>)
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

function collectShapes(features: Iterable<InputFeature>, crs: string, name: string): ShapesOfFile {
  const how = { toDegrees: toDegreesOf(crs, name, ''), name }
  const shapes: FileShape[] = []
  let [number, ignored] = [0, 0]
  for (const feature of features) {
    const shape = shapeOfFeature(feature, ++number, how)
    if (shape) shapes.push(shape)
    else ignored++
  }
  if (shapes.length === 0) throw noShapesError(name, ignored)
  return { shapes, ignored }
}
