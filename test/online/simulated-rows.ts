import { shapesIntersect, distanceToShape_m } from '../upstreams/arcgis-geometry.ts'
import type { SimulatedCell } from '../upstreams/layers/layer.ts'
import { simulatedLayers } from '../upstreams/layers/layers.ts'
import { testPlaces, type PlaceName } from '../upstreams/test-places.ts'

export type Cells = Record<string, SimulatedCell>
export type NearbyRow = { cells: Cells; distance_m: number }

/** The end of a layer URL, such as `nhd/MapServer/9`, or of several layers that are read together. */
type Ends = string | string[]

/** The rows of simulated layers within a radius of a place, nearest first, measured in the plane around it. */
export function rowsAround(
  place: PlaceName,
  ends: Ends,
  radius_m: number,
  holds: (cells: Cells) => boolean = () => true,
): NearbyRow[] {
  const { lat, lng } = testPlaces[place]
  return rowsOf(ends)
    .filter(({ cells }) => holds(cells))
    .map(({ shape, cells }) => ({ cells, distance_m: distanceToShape_m([lng, lat], shape) }))
    .filter(({ distance_m }) => distance_m <= radius_m)
    .toSorted((a, b) => a.distance_m - b.distance_m)
}

/** The rows of simulated layers that contain a place. */
export function rowsContaining(place: PlaceName, ends: Ends, holds: (cells: Cells) => boolean = () => true): Cells[] {
  const { lat, lng } = testPlaces[place]
  return rowsOf(ends)
    .filter(({ shape, cells }) => holds(cells) && shapesIntersect(shape, { kind: 'point', at: [lng, lat] }))
    .map(({ cells }) => cells)
}

function rowsOf(ends: Ends) {
  return [ends].flat().flatMap((end) => {
    const found = simulatedLayers.filter(({ host, service, id }) => `${host}${service}/${id}`.endsWith(end))
    if (found.length !== 1)
      throw new Error(`${end} matches ${found.length} simulated layers. Use an end that matches one.`)
    return found[0]!.rows
  })
}
