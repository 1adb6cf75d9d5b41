import { isRecord } from '../../../model/record.ts'
import type { Properties, Value } from '../../../model/source.ts'
import { PackError, parseJsonObject } from '../../pack-error.ts'
import { readBytesAt } from '../byte-reader.ts'
import { declaredCrsOf, partsOfGeoJson } from './geojson-parts.ts'
import { inputBatchSize, type InputBatch, type InputFeature, type InputFile } from '../input-file.ts'
import { readJsonObjects, type JsonObject } from './json-objects.ts'

const head_bytes = 65_536

/**
 * Opens GeoJSON: a feature collection, a sequence of features (record separators optional), or a list of plain
 * records.
 */
export function openGeoJson(path: string, name: string): InputFile {
  const head = readBytesAt(path, 0, head_bytes).toString('utf8')
  const crs = declaredCrsOf(head.split('"features"', 1)[0]!)
  return {
    format: 'GeoJSON',
    crs: crs ?? 'EPSG:4326',
    hasGeometry: true,
    columns: [],
    isText: false,
    batches: () => batchesOf(path, name, crs),
    close() {},
  }
}

function* batchesOf(path: string, name: string, crs: string | null): Generator<InputBatch> {
  let features: InputFeature[] = []
  for (const object of readJsonObjects(path, name)) {
    if (object.isTail) checkTail(object, name, crs)
    else features.push(inputFeatureOf(object, name))
    if (features.length < inputBatchSize) continue
    yield { features, progress: object.progress }
    features = []
  }
  yield { features, progress: 1 }
}

function inputFeatureOf({ text }: JsonObject, name: string): InputFeature {
  const record = parseJsonObject(text, `A feature of ${name} (${text.slice(0, 60)} …)`)
  if (record.type !== 'Feature' && !('coordinates' in record) && !('geometries' in record)) {
    if ('attributes' in record && 'geometry' in record)
      throw new PackError(`${name} is Esri JSON. Expected GeoJSON; query the service with f=geojson.`)
    return { parts: [], properties: propertiesOf(record) }
  }
  const isFeature = record.type === 'Feature'
  const properties = isFeature && isRecord(record.properties) ? propertiesOf(record.properties) : {}
  try {
    return { parts: partsOfGeoJson(isFeature ? record.geometry : record), properties }
  } catch {
    return { parts: 'invalid', properties } // Counted and reported at the end.
  }
}

/** The properties of a record. Lists and objects become JSON text. */
function propertiesOf(record: Record<string, unknown>): Properties {
  const properties: Properties = {}
  for (const key in record) properties[key] = isValue(record[key]) ? record[key] : JSON.stringify(record[key])
  return properties
}

function isValue(value: unknown): value is Value {
  return value === null || typeof value !== 'object'
}

function checkTail({ text }: JsonObject, name: string, crs: string | null): void {
  const tailCrs = declaredCrsOf(text)
  if (tailCrs !== null && tailCrs !== crs && tailCrs !== 'EPSG:4326')
    throw new PackError(`${name} declares its coordinate system only at its end. Set it with --crs ${tailCrs}.`)
}
