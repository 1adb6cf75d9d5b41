import { statSync } from 'node:fs'
import { isRecord } from '../../model/record.ts'
import type { Properties, Value } from '../../model/source.ts'
import { FileError, parseJsonObject } from '../file-error.ts'
import { readBytesAt } from '../byte-reader.ts'
import { declaredCrsOf, partsOfGeoJson } from './geojson-parts.ts'
import {
  type InputFeature,
  type InputFile,
  type InputOptions,
  inputBatchesOf,
  type ReadFeature,
  partsOrInvalid,
} from '../input-file.ts'
import { readJsonObjects, type JsonObject } from './json-objects.ts'
import { tablePropertiesOf } from './json-properties.ts'

const head_bytes = 65_536

/**
 * Opens GeoJSON: a feature collection, a sequence of features (record separators optional), or a list of plain
 * records.
 */
export function openGeoJson(path: string, name: string, { keepsText = false, layer }: InputOptions): InputFile {
  return {
    format: 'GeoJSON',
    crs: crsOf(path),
    hasGeometry: true,
    columns: [],
    isText: false,
    batches: () => inputBatchesOf(featuresOf({ path, name, keepsText, list: (keepsText && layer) || 'features' })),
    close() {},
  }
}

/** The declared coordinate system is before the features, or after them. */
function crsOf(path: string): string {
  const head = readBytesAt(path, 0, head_bytes).toString('utf8')
  const before = declaredCrsOf(head.split('"features"', 1)[0]!)
  const end = readBytesAt(path, Math.max(0, statSync(path).size - head_bytes), head_bytes).toString('utf8')
  return before ?? declaredCrsOf(end.slice(end.lastIndexOf(']'))) ?? 'EPSG:4326'
}

type JsonFile = { path: string; name: string; keepsText: boolean; list: string }

function* featuresOf({ path, name, keepsText, list }: JsonFile): Generator<ReadFeature> {
  for (const object of readJsonObjects(path, name, list))
    if (!object.isTail) yield { ...inputFeatureOf(object, name, keepsText), progress: object.progress }
}

function inputFeatureOf({ text }: JsonObject, name: string, keepsText: boolean): InputFeature {
  const record = parseJsonObject(text, `A feature of ${name} (${text.slice(0, 60)} …)`)
  if (record.type === 'Topology') throw new FileError(`${name} is TopoJSON. Expected GeoJSON.`)
  const isFeature = record.type === 'Feature'
  if (!isFeature && !('coordinates' in record) && !('geometries' in record)) {
    if ('attributes' in record && 'geometry' in record)
      throw new FileError(`${name} is Esri JSON. Expected GeoJSON; query the service with f=geojson.`)
    return { parts: [], properties: keepsText ? tablePropertiesOf(text, record) : propertiesOf(record) }
  }
  return {
    parts: partsOrInvalid(() => partsOfGeoJson(isFeature ? record.geometry : record)),
    properties: propertiesOfFeature(record, text, keepsText),
  }
}

function propertiesOfFeature(feature: Record<string, unknown>, text: string, keepsText: boolean): Properties {
  if (feature.type !== 'Feature') return {}
  if (keepsText) return tablePropertiesOf(text, feature)
  return isRecord(feature.properties) ? propertiesOf(feature.properties) : {}
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
