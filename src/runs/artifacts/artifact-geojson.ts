import { roundDegrees } from '../../geo/text/geojson.ts'
import type { ArtifactColumn } from './artifact-columns.ts'
import { jsonMemberSegments, jsonTextOf, type RowSegment } from './row-layout.ts'

/** The text before the features of a GeoJSON file (RFC 7946), and the text after them. */
export const geojsonStart = '{"type":"FeatureCollection","features":[\n'
export const geojsonEnd = '\n]}\n'
/** The text between two features: one feature per line. */
export const geojsonSeparator = ',\n'

/** Returns the segments of a row as a GeoJSON feature. A failed location is a feature without a geometry. */
export function geojsonSegmentsOf(columns: ArtifactColumn[]): RowSegment[] {
  const index = columns.find(({ variesBy }) => variesBy === 'index')
  return [
    '{"type":"Feature","id":',
    { column: index!, textOf: jsonTextOf },
    ',"geometry":',
    { column: geometryColumn, textOf: jsonTextOf },
    ',"properties":',
    ...propertySegmentsOf(columns),
    '}',
  ]
}

/** Returns the segments of the properties of a row as JSON. */
export function propertySegmentsOf(columns: ArtifactColumn[]): RowSegment[] {
  return ['{', ...jsonMemberSegments(columns.filter(({ isProperty }) => isProperty)), '}']
}

/** The geometry of a row as GeoJSON: that of an area, or the point of an answer. */
export const geometryColumn: ArtifactColumn = {
  name: 'geometry',
  isProperty: false,
  kind: 'string',
  variesBy: 'row',
  valueOf: ({ ok, geometry, lat, lng }) =>
    ok && geometry
      ? geometry
      : ok && lat !== null && lng !== null
        ? { type: 'Point', coordinates: [roundDegrees(lng), roundDegrees(lat)] }
        : null,
}
