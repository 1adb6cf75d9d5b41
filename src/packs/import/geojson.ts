import { isRecord } from '../../model/record.ts'
import type { Properties, Value } from '../../model/source.ts'
import { PackRefused } from '../pack-refused.ts'
import { bytesAt } from './bytes.ts'
import { partsOfGeoJson } from './geojson-parts.ts'
import { batchSize, type Batch, type Incoming, type Input } from './input.ts'
import { jsonObjects, type JsonObject } from './json-objects.ts'

const head_bytes = 65_536

/** GeoJSON: a collection, features that follow each other (with or without record separators), or a list of plain records. */
export function openGeoJson(path: string, name: string): Input {
  const head = bytesAt(path, 0, head_bytes).toString('utf8')
  const crs = crsIn(head.split('"features"', 1)[0]!)
  return { format: 'GeoJSON', crs: crs ?? 'EPSG:4326', hasGeometry: true, columns: [], isText: false, batches: () => batchesOf(path, name, crs), close() {} }
}

function* batchesOf(path: string, name: string, crs: string | null): Generator<Batch> {
  let features: Incoming[] = []
  for (const object of jsonObjects(path, name)) {
    if (object.isTail) checkTail(object, name, crs)
    else features.push(incomingOf(object, name))
    if (features.length < batchSize) continue
    yield { features, done: object.done }
    features = []
  }
  yield { features, done: 1 }
}

function incomingOf({ text }: JsonObject, name: string): Incoming {
  const record = parsed(text, name)
  if (record.type !== 'Feature' && !('coordinates' in record) && !('geometries' in record)) {
    if ('attributes' in record && 'geometry' in record) throw new PackRefused(`${name} is Esri JSON; GeoJSON was expected (ask the service with f=geojson).`)
    return { parts: [], properties: propertiesOf(record) }
  }
  const isFeature = record.type === 'Feature'
  const properties = isFeature && isRecord(record.properties) ? propertiesOf(record.properties) : {}
  try {
    return { parts: partsOfGeoJson(isFeature ? record.geometry : record), properties }
  } catch {
    return { parts: 'broken', properties } // counted, and told at the end
  }
}

function parsed(text: string, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch (cause) {
    throw new PackRefused(`${name} is no JSON: ${(cause as Error).message}, in ${text.slice(0, 60)} …`, { cause })
  }
  throw new PackRefused(`${name} was expected to hold JSON objects.`)
}

/** Lists and objects are kept as the text that they are in JSON. */
function propertiesOf(record: Record<string, unknown>): Properties {
  const properties: Properties = {}
  for (const key in record) properties[key] = isPlain(record[key]) ? record[key] : JSON.stringify(record[key])
  return properties
}

function isPlain(value: unknown): value is Value {
  return value === null || typeof value !== 'object'
}

/** The name of a `crs` member, as GeoJSON had it before RFC 7946. */
function crsIn(text: string): string | null {
  const name = /"crs"\s*:\s*\{[^{}]*\{\s*"name"\s*:\s*"([^"]+)"/.exec(text)?.[1]
  if (name === undefined || /CRS84$/i.test(name)) return null
  const code = /EPSG:(?:[\d.]*:)?(\d+)$/i.exec(name)?.[1]
  return code === undefined ? name : `EPSG:${code}`
}

function checkTail({ text }: JsonObject, name: string, crs: string | null): void {
  const late = crsIn(text)
  if (late !== null && late !== crs && late !== 'EPSG:4326') throw new PackRefused(`${name} says only at its end that it is in ${late}: say it with --crs ${late}.`)
}
