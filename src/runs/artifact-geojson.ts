import { roundDegrees } from '../geo/round-degrees.ts'
import type { ArtifactColumn } from './artifact-columns.ts'
import type { ArtifactRow } from './artifact-row.ts'

/** The text before the features of a GeoJSON file (RFC 7946), and the text after them. */
export const geojsonStart = '{"type":"FeatureCollection","features":[\n'
export const geojsonEnd = '\n]}\n'
/** The text between two features: one feature per line. */
export const geojsonSeparator = ',\n'

/** Returns a row as a GeoJSON feature. A failed location is a feature without a geometry. */
export function geojsonFeatureOf(row: ArtifactRow, columns: ArtifactColumn[]): string {
  const { index, ok, lat, lng } = row
  const geometry =
    ok && lat !== null && lng !== null ? { type: 'Point', coordinates: [roundDegrees(lng), roundDegrees(lat)] } : null
  return `{"type":"Feature","id":${index},"geometry":${JSON.stringify(geometry)},"properties":${propertiesTextOf(row, columns)}}`
}

/** Returns the properties of a row as JSON. */
export function propertiesTextOf(row: ArtifactRow, columns: ArtifactColumn[]): string {
  // An object would move properties whose names are numbers, such as "2020", to its front.
  const properties = columns
    .filter(({ isProperty }) => isProperty)
    .map(({ name, valueOf }) => `${JSON.stringify(name)}:${JSON.stringify(valueOf(row) ?? null)}`)
  return `{${properties.join()}}`
}
