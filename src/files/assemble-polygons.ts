import { ringsContain } from '../geo/polygon.ts'
import type { GeometryPart } from '../geo/text/wkb-write.ts'

/**
 * Builds polygons from rings: a clockwise ring is an outer ring, a counterclockwise ring is a hole in one that
 * contains it.
 */
export function assemblePolygons(rings: number[][]): GeometryPart[] {
  if (rings.length === 1) return [{ kind: 'polygon', paths: rings }]
  const outer = rings.filter((ring) => area(ring) <= 0).map((ring) => ({ ring, area: -area(ring), paths: [ring] }))
  const holes = rings.filter((ring) => area(ring) > 0)
  if (outer.length === 0) return holes.map((ring) => ({ kind: 'polygon', paths: [ring] }))
  const bySize = outer.toSorted((a, b) => a.area - b.area)
  const unmatched: GeometryPart[] = []
  for (const hole of holes) {
    const container =
      outer.length === 1
        ? outer[0]
        : bySize.find(({ ring, area: outerArea }) => outerArea >= area(hole) && isInside(hole, ring))
    if (container) container.paths.push(hole)
    else unmatched.push({ kind: 'polygon', paths: [hole] })
  }
  return [...outer.map(({ paths }): GeometryPart => ({ kind: 'polygon', paths })), ...unmatched]
}

/** The signed area of a ring; positive if it is counterclockwise. */
function area(ring: number[]): number {
  let sum = 0
  const [x0, y0] = [ring[0]!, ring[1]!]
  for (let i = 2; i + 3 < ring.length; i += 2)
    sum += (ring[i]! - x0) * (ring[i + 3]! - y0) - (ring[i + 2]! - x0) * (ring[i + 1]! - y0)
  return sum / 2
}

/** Tests the midpoints of the hole's edges, because its vertices may touch the outer ring. */
function isInside(hole: number[], ring: number[]): boolean {
  const coordinates = Float64Array.from(ring)
  const starts = Uint32Array.from([0, ring.length / 2])
  let insideCount = 0
  const edges = Math.min(3, hole.length / 2 - 1)
  for (let i = 0; i < edges; i++) {
    const [x, y] = [(hole[2 * i]! + hole[2 * i + 2]!) / 2, (hole[2 * i + 1]! + hole[2 * i + 3]!) / 2]
    if (ringsContain(coordinates, starts, 0, 1, x, y)) insideCount++
  }
  return 2 * insideCount > edges
}
