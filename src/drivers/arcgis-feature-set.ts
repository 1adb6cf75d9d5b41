import { normalizeAttributeName } from '../geo/attribute.ts'
import { parseEsriGeometry } from '../geo/geometry.ts'
import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Properties, Value } from '../model/source.ts'
import type { GeoFeature } from './nearest-features.ts'

/** One answer of a layer: `isCut` when there is more than the server gives at once, `idField` the attribute objects are known by, if it says so. */
export type FeatureSet = { features: GeoFeature[]; isTruncated: boolean; idField: string | null }

/** The features of an answer in Esri JSON; throws `bad_response` when it has none, which is not the same as an empty list. `name`: who answered. */
export function parseFeatureSet(response: Record<string, unknown>, name: string): FeatureSet {
  const { features, spatialReference, properties, exceededTransferLimit } = response
  if (!Array.isArray(features)) throw new UpstreamError('bad_response', `${name} answered without a list of features.`)
  return {
    features: features.map((feature) => parseFeature(feature, spatialReference, name)),
    isTruncated: exceededTransferLimit === true || (isRecord(properties) && properties.exceededTransferLimit === true),
    idField: idFieldOf(response),
  }
}

function parseFeature(feature: unknown, reference: unknown, name: string): GeoFeature {
  if (!isRecord(feature) || !isRecord(feature.attributes))
    throw new UpstreamError('bad_response', `${name} answered with a feature that has no attributes.`)
  return {
    properties: parseProperties(feature.attributes, name),
    geometry: parseEsriGeometry(feature.geometry, reference),
  }
}

/** The attributes as they came. Of two that differ by their table only (the joined layers of the wetlands), the first that says something. */
function parseProperties(attributes: Record<string, unknown>, name: string): Properties {
  const properties: Properties = {}
  const keys = new Map<string, string>()
  for (const [key, value] of Object.entries(attributes)) {
    if (!isValue(value))
      throw new UpstreamError('bad_response', `${name} answered with an attribute that is no single value.`)
    const baseName = normalizeAttributeName(key)
    const existingKey = keys.get(baseName)
    if (existingKey !== undefined && (!isEmpty(properties[existingKey]!) || isEmpty(value))) continue
    if (existingKey !== undefined) delete properties[existingKey]
    properties[key] = value
    keys.set(baseName, key)
  }
  return properties
}

function isValue(value: unknown): value is Value {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
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
