import { roundDegrees } from '../geo/round-degrees.ts'
import type { ArtifactRow } from './artifact-row.ts'

/** The text before the features of a GeoJSON file (RFC 7946), and the text after them. */
export const geojsonStart = '{"type":"FeatureCollection","features":[\n'
export const geojsonEnd = '\n]}\n'
/** The text between two features: one feature per line. */
export const geojsonSeparator = ',\n'

/** Returns a row as a GeoJSON feature. A failed location is a feature without a geometry. */
export function geojsonFeatureOf(row: ArtifactRow, fields: string[]): string {
  const { index, ok, lat, lng, error, values, failed_fields } = row
  const geometry =
    ok && lat !== null && lng !== null ? { type: 'Point', coordinates: [roundDegrees(lng), roundDegrees(lat)] } : null
  return JSON.stringify({
    type: 'Feature',
    id: index,
    geometry,
    properties: { ...Object.fromEntries(fields.map((name, i) => [name, values[i]])), ok, error, failed_fields },
  })
}
