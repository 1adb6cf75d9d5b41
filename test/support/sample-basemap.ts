import { geoJSONToTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { columnAndRowOf } from './tile-position.ts'
import { writePmtiles, type WrittenTile } from './pmtiles-writer.ts'

type Shape = { type: 'Polygon'; coordinates: number[][][] } | { type: 'LineString' | 'Point'; coordinates: unknown }
type Item = { kind: string; name?: string; geometry: Shape }

export const sampleBounds: [number, number, number, number] = [-105.05, 39.7, -104.93, 39.78]
const sampleAttribution = '<a href="https://www.openstreetmap.org/copyright">&copy; OpenStreetMap</a>'
const [west, south, east, north] = sampleBounds

/** The layers of a small town in the schema of Protomaps: land, a park, a lake, a river, streets and houses. */
const layers: Record<string, Item[]> = {
  earth: [{ kind: 'earth', geometry: box(west, south, east, north) }],
  landuse: [{ kind: 'park', name: 'City Park', geometry: box(-104.96, 39.742, -104.94, 39.752) }],
  water: [
    { kind: 'lake', name: 'Ferril Lake', geometry: box(-104.953, 39.744, -104.947, 39.747) },
    { kind: 'river', name: 'South Platte River', geometry: line([-105.02, south], [-105.0, 39.745], [-104.97, north]) },
  ],
  roads: [
    { kind: 'highway', name: 'Interstate 25', geometry: line([-104.99, south], [-105.01, 39.74], [-104.985, north]) },
    { kind: 'major_road', name: 'Colfax Avenue', geometry: line([west, 39.74], [east, 39.74]) },
    { kind: 'path', name: 'Cherry Creek Trail', geometry: line([-104.98, south], [-105.0, 39.755]) },
    ...Array.from({ length: 20 }, (_, i) => ({
      kind: 'minor_road',
      name: `${i + 1} Street`,
      geometry: line([-105 + i * 0.002, 39.73], [-105 + i * 0.002, 39.76]),
    })),
  ],
  buildings: Array.from({ length: 40 }, (_, i) => ({
    kind: 'building',
    geometry: box(-104.9998 + i * 0.0005, 39.7393, -104.9995 + i * 0.0005, 39.7396),
  })),
  places: [
    { kind: 'neighbourhood', name: 'Capitol Hill', geometry: { type: 'Point', coordinates: [-104.981, 39.734] } },
  ],
}

/** Writes an archive of this town with the zooms 0 to `maxzoom`. */
export function sampleBasemap(maxzoom = 14, options: Parameters<typeof writePmtiles>[1] = {}): Uint8Array {
  const tiles: WrittenTile[] = []
  for (let z = 0; z <= maxzoom; z++) {
    const [left, top] = columnAndRowOf({ lat: north, lng: west }, z)
    const [right, bottom] = columnAndRowOf({ lat: south, lng: east }, z)
    for (let x = left; x <= right; x++)
      for (let y = top; y <= bottom; y++) tiles.push({ z, x, y, bytes: tileOf(z, x, y) })
  }
  const metadata = {
    name: 'A small town',
    attribution: sampleAttribution,
    vector_layers: Object.keys(layers).map((id) => ({ id, fields: {} })),
  }
  return writePmtiles(tiles, { bounds: sampleBounds, metadata, ...options })
}

function tileOf(z: number, x: number, y: number): Uint8Array {
  const options = { clip: true, wrap: true, maxZoom: z, extent: 4096, buffer: 64 }
  const cut = Object.entries(layers).map(([name, items]) => {
    const features = items.map(({ geometry, ...properties }) => ({ type: 'Feature', properties, geometry }))
    const collection = { type: 'FeatureCollection', features } as Parameters<typeof geoJSONToTile>[0]
    return [name, geoJSONToTile(collection, z, x, y, options)] as const
  })
  return fromGeojsonVt(Object.fromEntries(cut), { version: 2, extent: 4096 })
}

function box(left: number, bottom: number, right: number, top: number): Shape {
  const ring = [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
    [left, bottom],
  ]
  return { type: 'Polygon', coordinates: [ring] }
}

function line(...coordinates: [number, number][]): Shape {
  return { type: 'LineString', coordinates }
}
