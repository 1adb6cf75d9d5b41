import type { GeometryPart } from '../../geo/wkb-write.ts'
import { isRecord } from '../../model/record.ts'

/** The parts of a GeoJSON geometry; none, when it is null or empty. Throws when it has the wrong form. */
export function partsOfGeoJson(geometry: unknown): GeometryPart[] {
  const parts: GeometryPart[] = []
  if (geometry !== null && geometry !== undefined) gather(geometry, parts, 0)
  return parts
}

const deepest = 8

function gather(geometry: unknown, parts: GeometryPart[], depth: number): void {
  if (!isRecord(geometry) || depth > deepest) throw new Error('A geometry was expected to be an object.')
  const { type, coordinates, geometries } = geometry
  if (type === 'GeometryCollection') return listOf(geometries).forEach((inner) => gather(inner, parts, depth + 1))
  if (type === 'Point') put(parts, 'point', [listOf(coordinates)].filter((it) => it.length > 0).map((it) => pathOf([it])))
  else if (type === 'MultiPoint') listOf(coordinates).forEach((it) => put(parts, 'point', [pathOf([it])]))
  else if (type === 'LineString') put(parts, 'line', [pathOf(listOf(coordinates))])
  else if (type === 'MultiLineString') listOf(coordinates).forEach((it) => put(parts, 'line', [pathOf(listOf(it))]))
  else if (type === 'Polygon') put(parts, 'polygon', listOf(coordinates).map((ring) => pathOf(listOf(ring))))
  else if (type === 'MultiPolygon') listOf(coordinates).forEach((rings) => put(parts, 'polygon', listOf(rings).map((ring) => pathOf(listOf(ring)))))
  else throw new Error(`A geometry was expected to have a type of RFC 7946, and it has ${String(type)}.`)
}

function put(parts: GeometryPart[], kind: GeometryPart['kind'], paths: number[][]): void {
  const filled = paths.filter((path) => path.length > 0)
  if (filled.length > 0) parts.push({ kind, paths: filled })
}

function pathOf(positions: unknown[]): number[] {
  const path: number[] = []
  for (const position of positions) {
    const [x, y] = listOf(position)
    if (typeof x !== 'number' || typeof y !== 'number') throw new Error('A position was expected to be two numbers.')
    path.push(x, y)
  }
  return path
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('A list of positions was expected.')
  return value
}
