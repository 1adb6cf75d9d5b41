import type { LayerGeometry, Polygon, LngLat, Ring } from './layer.ts'

/** The coordinate system of every layer: longitude and latitude on WGS 84. */
export const wgs84 = 4326

/** A bounding box in the order of a GeoPackage envelope. */
export type Bounds = { minX: number; maxX: number; minY: number; maxY: number }

/**
 * Rounds a geometry to a grid of 2^-17 degree (0.85 m), which compresses 25 % better. Returns null if nothing remains.
 */
export function snapToGrid(geometry: LayerGeometry): LayerGeometry | null {
  switch (geometry.type) {
    case 'Point':
      return { type: 'Point', coordinates: snap(geometry.coordinates) }
    case 'LineString':
      return whole({ type: 'LineString', coordinates: path(geometry.coordinates) }, 2)
    case 'Polygon':
      return whole({ type: 'Polygon', coordinates: polygon(geometry.coordinates) }, 1)
    case 'MultiPolygon': {
      const coordinates = geometry.coordinates.map(polygon).filter((rings) => rings.length > 0)
      return whole({ type: 'MultiPolygon', coordinates }, 1)
    }
  }
}

const whole = <G extends LayerGeometry>(geometry: G, least: number): G | null =>
  geometry.coordinates.length < least ? null : geometry

/** Drops collapsed holes, and polygons whose shell collapses. */
function polygon(rings: Polygon): Polygon {
  const [shell, ...holes] = rings.map(path)
  return shell && stands(shell) ? [shell, ...holes.filter(stands)] : []
}

const stands = (ring: Ring): boolean => ring.length > 3

function path(positions: LngLat[]): LngLat[] {
  const out: LngLat[] = []
  for (const position of positions) {
    const next = snap(position)
    const last = out.at(-1)
    if (!last || last[0] !== next[0] || last[1] !== next[1]) out.push(next)
  }
  return out
}

const cellsPerDegree = 2 ** 17
/** The grid that coordinates are rounded to. A line that is shorter is dropped. */
export const gridStep_degrees = 1 / cellsPerDegree
const round = (degrees: number): number => Math.round(degrees * cellsPerDegree) / cellsPerDegree
const snap = ([lng, lat]: LngLat): LngLat => [round(lng), round(lat)]

export function boundsOf(geometry: LayerGeometry): Bounds {
  const bounds = { minX: Infinity, maxX: -Infinity, minY: Infinity, maxY: -Infinity }
  for (const [x, y] of positionsOf(geometry)) {
    if (x < bounds.minX) bounds.minX = x
    if (x > bounds.maxX) bounds.maxX = x
    if (y < bounds.minY) bounds.minY = y
    if (y > bounds.maxY) bounds.maxY = y
  }
  return bounds
}

function positionsOf(geometry: LayerGeometry): LngLat[] {
  switch (geometry.type) {
    case 'Point':
      return [geometry.coordinates]
    case 'LineString':
      return geometry.coordinates
    case 'Polygon':
      return geometry.coordinates.flat()
    case 'MultiPolygon':
      return geometry.coordinates.flat(2)
  }
}

const codes = { Point: 1, LineString: 2, Polygon: 3, MultiPolygon: 6 }

/**
 * Returns a GeoPackage geometry (OGC 12-128r19, clause 2.1.3), little-endian. All types except points have an envelope.
 */
export function encodeGeometry(geometry: LayerGeometry, { minX, maxX, minY, maxY }: Bounds): Uint8Array {
  const out = Buffer.alloc(64 + 16 * positionsOf(geometry).length + 16 * ringsOf(geometry))
  let at = out.write('GP')
  const byte = (value: number) => {
    at = out.writeUInt8(value, at)
  }
  const uint32 = (value: number) => {
    at = out.writeUInt32LE(value, at)
  }
  const double = (value: number) => {
    at = out.writeDoubleLE(value, at)
  }
  const head = (type: LayerGeometry['type']) => {
    byte(1)
    uint32(codes[type])
  }
  const position = (lngLat: LngLat) => lngLat.forEach(double)
  const list = <T>(items: T[], write: (item: T) => void) => {
    uint32(items.length)
    items.forEach(write)
  }
  const line = (positions: LngLat[]) => list(positions, position)

  byte(0)
  byte(geometry.type === 'Point' ? 0b001 : 0b011)
  uint32(wgs84)
  if (geometry.type !== 'Point') [minX, maxX, minY, maxY].forEach(double)
  head(geometry.type)
  switch (geometry.type) {
    case 'Point':
      position(geometry.coordinates)
      break
    case 'LineString':
      line(geometry.coordinates)
      break
    case 'Polygon':
      list(geometry.coordinates, line)
      break
    case 'MultiPolygon':
      list(geometry.coordinates, (rings) => {
        head('Polygon')
        list(rings, line)
      })
      break
  }
  return out.subarray(0, at)
}

const ringsOf = ({ type, coordinates }: LayerGeometry): number =>
  type === 'MultiPolygon' ? coordinates.flat().length : type === 'Polygon' ? coordinates.length : 0
