import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import { normalizeAttributeName } from '../../geo/attribute.ts'
import { parseEsriGeometry } from '../../geo/geometry.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { isPlainValue, isRecord } from '../../model/record.ts'
import type { Properties, Value } from '../../model/source.ts'
import type { GeoFeature } from '../features/nearest-features.ts'
import { missingGeometryError } from '../features/queried-features.ts'

const slice_ms = 5

/**
 * One response of a layer. `isTruncated`: the server has more features; `idField`: the object ID attribute, if known;
 * `attributes`: the names that it lists, null if it lists none; `geometryType`: null if it does not say.
 */
export type FeatureSet = {
  features: GeoFeature[]
  isTruncated: boolean
  idField: string | null
  attributes: string[] | null
  geometryType: string | null
}

/**
 * Parses an Esri JSON response. Throws `bad_response` if it is not a feature set; one without features is valid if it
 * describes its layer, as every ArcGIS server does. `name`: the layer, for errors. `needsGeometry`: the geometry of a
 * feature may be empty, but not null. Other requests are answered between the features.
 */
export async function parseFeatureSet(
  response: Record<string, unknown>,
  name: string,
  { needsGeometry = false } = {},
): Promise<FeatureSet> {
  const { features, spatialReference, properties, exceededTransferLimit } = response
  if (!Array.isArray(features)) throw unexpectedResponse(name, 'a list of features', features)
  if (features.length === 0 && !describesLayer(response)) throw unexpectedResponse(name, 'a feature set', response)
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const parsed: GeoFeature[] = []
  for (const feature of features as unknown[]) {
    await yieldToEventLoop()
    const geoFeature = parseFeature(feature, spatialReference, name)
    if (needsGeometry && !isRecord((feature as { geometry?: unknown }).geometry)) throw missingGeometryError(name)
    parsed.push(geoFeature)
  }
  return {
    features: parsed,
    isTruncated: exceededTransferLimit === true || (isRecord(properties) && properties.exceededTransferLimit === true),
    idField: idFieldOf(response),
    attributes: attributesOf(response),
    geometryType: typeof response.geometryType === 'string' ? response.geometryType : null,
  }
}

function describesLayer(response: Record<string, unknown>): boolean {
  return ['fields', 'fieldAliases', 'objectIdFieldName', 'displayFieldName', 'geometryType'].some(
    (member) => member in response,
  )
}

/** The attributes in the description of the layer, else those of the first feature. */
function attributesOf({ fields, features }: Record<string, unknown>): string[] | null {
  const names = namesOfFields(fields)
  if (names.length > 0) return names
  const first: unknown = Array.isArray(features) ? features[0] : null
  return isRecord(first) && isRecord(first.attributes) ? Object.keys(first.attributes) : null
}

/** The names in a list of fields, of a response or of the description of a layer. */
export function namesOfFields(fields: unknown): string[] {
  return (Array.isArray(fields) ? fields : []).flatMap((field: unknown) =>
    isRecord(field) && typeof field.name === 'string' ? [field.name] : [],
  )
}

function parseFeature(feature: unknown, reference: unknown, name: string): GeoFeature {
  if (!isRecord(feature) || !isRecord(feature.attributes) || Object.keys(feature.attributes).length === 0)
    throw unexpectedResponse(name, 'a feature with attributes', feature)
  return {
    properties: parseProperties(feature.attributes, name),
    geometry: parseEsriGeometry(feature.geometry, reference),
  }
}

/**
 * The attributes of a feature. Where two differ only in their table (the joined wetlands layers), the first non-empty
 * value wins.
 */
function parseProperties(attributes: Record<string, unknown>, name: string): Properties {
  const properties: Properties = {}
  const keys = new Map<string, string>()
  for (const [key, value] of Object.entries(attributes)) {
    if (!isPlainValue(value)) throw unexpectedResponse(name, `a single value in ${key}`, value)
    const baseName = normalizeAttributeName(key)
    const existingKey = keys.get(baseName)
    if (existingKey !== undefined && (!isEmpty(properties[existingKey]!) || isEmpty(value))) continue
    if (existingKey !== undefined) delete properties[existingKey]
    properties[key] = value
    keys.set(baseName, key)
  }
  return properties
}

function isEmpty(value: Value): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}

function idFieldOf({ objectIdFieldName, fields }: Record<string, unknown>): string | null {
  if (typeof objectIdFieldName === 'string' && objectIdFieldName !== '') return objectIdFieldName
  const field = Array.isArray(fields)
    ? fields.find((field) => isRecord(field) && field.type === 'esriFieldTypeOID')
    : undefined
  return isRecord(field) && typeof field.name === 'string' ? field.name : null
}
