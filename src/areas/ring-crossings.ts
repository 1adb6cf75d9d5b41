import Flatbush from 'flatbush'
import type { FlatPath } from '../model/area.ts'

/** Two edges that cross: the ring and the first vertex of each, and where. */
export type Crossing = { first: EdgeAt; second: EdgeAt; lng: number; lat: number }
type EdgeAt = { ring: number; vertex: number }

/** Returns the first two edges that cross, of the same ring or of two; null if none do. Rings may touch at points. */
export function findCrossing(rings: readonly FlatPath[]): Crossing | null {
  const edges = rings.flatMap((path, ring) => edgesOf(path, ring))
  if (edges.length === 0) return null
  const index = new Flatbush(edges.length)
  for (const { x1, y1, x2, y2 } of edges)
    index.add(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))
  index.finish()
  for (const [i, edge] of edges.entries()) {
    const { x1, y1, x2, y2 } = edge
    const touching = index.search(
      Math.min(x1, x2),
      Math.min(y1, y2),
      Math.max(x1, x2),
      Math.max(y1, y2),
      (j) => j > i && doCross(edge, edges[j]!),
    )
    if (touching.length > 0) return crossingOf(edge, edges[Math.min(...touching)]!)
  }
  return null
}

type Edge = EdgeAt & { x1: number; y1: number; x2: number; y2: number }

function edgesOf(path: FlatPath, ring: number): Edge[] {
  const count = path.length / 2
  return Array.from({ length: count }, (_, vertex) => {
    const next = (vertex + 1) % count
    return {
      ring,
      vertex,
      x1: path[2 * vertex]!,
      y1: path[2 * vertex + 1]!,
      x2: path[2 * next]!,
      y2: path[2 * next + 1]!,
    }
  })
}

/** Whether each edge has one end on either side of the other. */
function doCross(a: Edge, b: Edge): boolean {
  return side(a, b.x1, b.y1) * side(a, b.x2, b.y2) < 0 && side(b, a.x1, a.y1) * side(b, a.x2, a.y2) < 0
}

/** The side of an edge on which a point lies: -1 or 1, and 0 within the rounding error of the test. */
function side({ x1, y1, x2, y2 }: Edge, x: number, y: number): number {
  const left = (x2 - x1) * (y - y1)
  const right = (y2 - y1) * (x - x1)
  const difference = left - right
  return Math.abs(difference) <= 4 * Number.EPSILON * (Math.abs(left) + Math.abs(right)) ? 0 : Math.sign(difference)
}

function crossingOf(first: Edge, second: Edge): Crossing {
  const [dx, dy] = [first.x2 - first.x1, first.y2 - first.y1]
  const [ex, ey] = [second.x2 - second.x1, second.y2 - second.y1]
  const t = ((second.x1 - first.x1) * ey - (second.y1 - first.y1) * ex) / (dx * ey - dy * ex)
  return {
    first: { ring: first.ring, vertex: first.vertex },
    second: { ring: second.ring, vertex: second.vertex },
    lng: first.x1 + t * dx,
    lat: first.y1 + t * dy,
  }
}
