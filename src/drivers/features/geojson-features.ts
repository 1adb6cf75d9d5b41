import { parseGeoJsonGeometry } from '../../geo/geometry.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import type { Properties } from '../../model/source.ts'
import { pluralize } from '../../model/text.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { throwStructuredError } from '../rest/structured-error.ts'
import type { GeoFeature } from './nearest-features.ts'

/** The features of a GeoJSON document; `readProperties` reads the properties of each. */
export function parseGeoJsonFeatures(
  document: unknown,
  host: string,
  readProperties: (properties: unknown) => Properties,
): GeoFeature[] {
  throwStructuredError(document, host)
  if (!isRecord(document) || document.type !== 'FeatureCollection' || !Array.isArray(document.features))
    throw unexpectedResponse(host, 'a collection of features', document)
  const { features, numberReturned = features.length } = document
  if (numberReturned !== features.length)
    throw new UpstreamError(
      'bad_response',
      `${host} returned ${pluralize(features.length, 'feature')}, but counts ${JSON.stringify(numberReturned)}. Try again later.`,
    )
  return features.map((feature: unknown) => {
    if (!isRecord(feature) || feature.type !== 'Feature' || !('geometry' in feature) || !isRecord(feature.properties))
      throw unexpectedResponse(host, 'a feature with a geometry and properties', feature)
    return { geometry: parseGeoJsonGeometry(feature.geometry), properties: readProperties(feature.properties) }
  })
}

/** The number of features that match the query, as OGC API Features and WFS state it; null if it is not stated. */
export function matchedNumberOf(document: unknown): number | null {
  return isRecord(document) && typeof document.numberMatched === 'number' ? document.numberMatched : null
}
