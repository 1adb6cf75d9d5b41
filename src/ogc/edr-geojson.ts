import {
  areaSummaryOf,
  resultsMember,
  resultsWithoutValues,
  type PolygonAnswer,
  type PositionAnswer,
} from './coverage-json.ts'

/** Returns the answer at a position as a GeoJSON feature: the values as properties, null for those that are missing. */
export function positionFeatureOf(answer: PositionAnswer) {
  const { lat, lng } = answer.at
  const geometry = { type: 'Point', coordinates: [lng, lat] }
  if ('error' in answer) return { type: 'Feature', geometry, properties: { [resultsMember]: { error: answer.error } } }
  const values = Object.entries(answer.fields).map(([name, { value }]) => [name, value])
  const properties = { ...Object.fromEntries(values), [resultsMember]: resultsWithoutValues(answer.fields) }
  return { type: 'Feature', geometry, properties }
}

/** Returns the answer for a polygon as a GeoJSON feature. */
export function areaFeatureOf({ rings, results }: PolygonAnswer) {
  const values = Object.entries(results).map(([name, result]) => [name, areaSummaryOf(result).value])
  return {
    type: 'Feature',
    geometry: { type: 'Polygon', coordinates: rings },
    properties: { ...Object.fromEntries(values), [resultsMember]: results },
  }
}
