import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import { isRecord } from '../../model/record.ts'

/** The parts of a GeoJSON geometry; empty if it is null or empty. @throws Error if it is malformed. */
export function partsOfGeoJson(geometry: unknown): GeometryPart[] {
  const parts: GeometryPart[] = []
  if (geometry !== null && geometry !== undefined) collectParts(geometry, parts, 0)
  return parts
}

const maxDepth = 8

function collectParts(geometry: unknown, parts: GeometryPart[], depth: number): void {
  if (!isRecord(geometry) || depth > maxDepth)
    throw new Error('The geometry is not an object, or is nested too deeply.')
  const { type, coordinates, geometries } = geometry
  if (type === 'GeometryCollection')
    return requireList(geometries).forEach((inner) => collectParts(inner, parts, depth + 1))
  if (type === 'Point')
    addPart(
      parts,
      'point',
      [requireList(coordinates)].filter((it) => it.length > 0).map((it) => pathOf([it])),
    )
  else if (type === 'MultiPoint') requireList(coordinates).forEach((it) => addPart(parts, 'point', [pathOf([it])]))
  else if (type === 'LineString') addPart(parts, 'line', [pathOf(requireList(coordinates))])
  else if (type === 'MultiLineString')
    requireList(coordinates).forEach((it) => addPart(parts, 'line', [pathOf(requireList(it))]))
  else if (type === 'Polygon')
    addPart(
      parts,
      'polygon',
      requireList(coordinates).map((ring) => pathOf(requireList(ring))),
    )
  else if (type === 'MultiPolygon')
    requireList(coordinates).forEach((rings) =>
      addPart(
        parts,
        'polygon',
        requireList(rings).map((ring) => pathOf(requireList(ring))),
      ),
    )
  else throw new Error(`${String(type)} is not a geometry type of RFC 7946.`)
}

function addPart(parts: GeometryPart[], kind: GeometryPart['kind'], paths: number[][]): void {
  const filled = paths.filter((path) => path.length > 0)
  if (filled.length > 0) parts.push({ kind, paths: filled })
}

function pathOf(positions: unknown[]): number[] {
  const path: number[] = []
  for (const position of positions) {
    const [x, y] = requireList(position)
    if (typeof x !== 'number' || typeof y !== 'number') throw new Error('A position must have two numbers.')
    path.push(x, y)
  }
  return path
}

function requireList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('Expected a list of positions.')
  return value
}

/** The coordinate system in a `crs` member (GeoJSON before RFC 7946); null if there is none or it is CRS84. */
export function declaredCrsOf(text: string): string | null {
  const name = /"crs"\s*:\s*\{[^{}]*\{\s*"name"\s*:\s*"([^"]+)"/.exec(text)?.[1]
  if (name === undefined || /CRS84$/i.test(name)) return null
  const code = /EPSG:(?:[\d.]*:)?(\d+)$/i.exec(name)?.[1]
  return code === undefined ? name : `EPSG:${code}`
}
