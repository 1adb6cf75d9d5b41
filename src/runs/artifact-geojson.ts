import type { ArtifactRow } from './artifact-row.ts'

const roundingFactor = 1e7

/** Yields the rows as GeoJSON (RFC 7946), one feature per line. A failed location is a feature without a geometry. */
export function* geojsonArtifact(rows: Iterable<ArtifactRow>, fields: string[]): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode('{"type":"FeatureCollection","features":[')
  let separator = '\n'
  for (const row of rows) {
    yield encoder.encode(separator + JSON.stringify(featureOf(row, fields)))
    separator = ',\n'
  }
  yield encoder.encode('\n]}\n')
}

function featureOf({ index, ok, lat, lng, error, values, failed_fields }: ArtifactRow, fields: string[]) {
  const geometry =
    ok && lat !== null && lng !== null ? { type: 'Point', coordinates: [roundDegrees(lng), roundDegrees(lat)] } : null
  return {
    type: 'Feature',
    id: index,
    geometry,
    properties: { ...Object.fromEntries(fields.map((name, i) => [name, values[i]])), ok, error, failed_fields },
  }
}

function roundDegrees(degrees: number): number {
  return Math.round(degrees * roundingFactor) / roundingFactor
}
