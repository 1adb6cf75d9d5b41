/** Vector tiles of packs, and the base map of an area. */
import { geoJSONToTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { geoJsonOf } from '../geo/text/geojson.ts'
import type { BoxFeature } from '../packs/layer/features-in-box.ts'
import type { Extent } from '../model/area.ts'

/** The position of a tile in the grid of web maps: zoom, column from 180° west, row from the north. */
export type TilePosition = { z: number; x: number; y: number }

/** The most detailed zoom. Maps magnify its tiles when they are zoomed in further. */
export const maxTileZoom = 16
const extent = 4096
/** Features are drawn this far beyond the tile, so that outlines do not end at its edge. */
const buffer = 64

/** The box of a tile in degrees, with its buffer. */
export function tileBoxOf({ z, x, y }: TilePosition): Extent {
  const margin = buffer / extent
  const count = 2 ** z
  const lngAt = (column: number) => (column / count) * 360 - 180
  const latAt = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / count))) * 180) / Math.PI
  return {
    west: lngAt(x - margin),
    east: lngAt(x + 1 + margin),
    south: latAt(y + 1 + margin),
    north: latAt(y - margin),
  }
}

/** Encodes features as a Mapbox vector tile with one layer: clipped, and simplified for its zoom. */
export function encodeTile(layer: string, features: readonly BoxFeature[], { z, x, y }: TilePosition): Uint8Array {
  const collection = {
    type: 'FeatureCollection' as const,
    features: features.flatMap(({ row, properties, geometry }) => {
      const shape = geoJsonOf(geometry)
      const known = Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null))
      return shape ? [{ type: 'Feature' as const, id: row, properties: known, geometry: shape }] : []
    }),
  }
  const options = { clip: true, wrap: true, maxZoom: maxTileZoom, extent, buffer }
  const tile = geoJSONToTile(collection as Parameters<typeof geoJSONToTile>[0], z, x, y, options)
  return fromGeojsonVt({ [layer]: tile }, { version: 2, extent })
}
