import { parseGeoJsonGeometry } from '../geo/geometry.ts'
import { isRecord } from '../model/record.ts'
import type { Properties } from '../model/source.ts'
import { unexpectedResponse } from './driver-errors.ts'
import type { GeoFeature } from './nearest-features.ts'

/** The features of a GeoJSON document; `readProperties` reads the properties of each. */
export function parseGeoJsonFeatures(
  document: unknown,
  host: string,
  readProperties: (properties: unknown) => Properties,
): GeoFeature[] {
  if (!isRecord(document) || !Array.isArray(document.features))
    throw unexpectedResponse(host, 'a list of features', document)
  return document.features.map((feature: unknown) => {
    if (!isRecord(feature)) throw unexpectedResponse(host, 'a feature', feature)
    return { geometry: parseGeoJsonGeometry(feature.geometry), properties: readProperties(feature.properties) }
  })
}
