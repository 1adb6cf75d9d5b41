/** A graph of vertices by index and edges between different vertices. */
export type PlanarGraph = { x: number[]; y: number[]; edges: Edge[] }
type Edge = [from: number, to: number]

/**
 * Builds the graph of closed rings (x, y, x, y, …). Edges that overlap along a meridian or parallel come from cuts;
 * they cancel each other by the even-odd rule. Returns `null` if other edges overlap.
 */
export function planarGraphOf(rings: readonly number[][]): PlanarGraph | null {
  const { x, y, edges } = graphOfRings(rings)
  const splitEdges = edges.flatMap((edge) => splitEdge(edge, x, y))
  const edgesByKey = new Map<string, Edge>()
  for (const edge of splitEdges) {
    const [from, to] = edge
    const key = from < to ? `${from} ${to}` : `${to} ${from}`
    if (!edgesByKey.has(key)) edgesByKey.set(key, edge)
    else if (isAxisAligned(edge, x, y) || isTiny(edge, x, y)) edgesByKey.delete(key)
    else return null
  }
  return { x, y, edges: [...edgesByKey.values()] }
}

/**
 * Whether a ring has no repeated vertex, and no vertex on an edge along a meridian or parallel. Almost all are
 * simple.
 */
export function isSimpleRing(path: readonly number[]): boolean {
  const end = path.length - 2
  const seen = new Set<number>()
  for (let i = 0; i < end; i += 2) {
    if (seen.has(path[i]!) && hasEarlierVertex(path, i)) return false
    seen.add(path[i]!)
    const fixed = path[i] === path[i + 2] ? 0 : path[i + 1] === path[i + 3] ? 1 : null
    if (fixed !== null && hasVertexOnEdge(path, i, fixed)) return false
  }
  return end >= 6
}

function hasEarlierVertex(path: readonly number[], i: number): boolean {
  for (let j = 0; j < i; j += 2) if (path[j] === path[i] && path[j + 1] === path[i + 1]) return true
  return false
}

function hasVertexOnEdge(path: readonly number[], edge: number, fixed: 0 | 1): boolean {
  const [level, a, b] = [path[edge + fixed]!, path[edge + 1 - fixed]!, path[edge + 3 - fixed]!]
  const [low, high] = [Math.min(a, b), Math.max(a, b)]
  for (let i = 0; i < path.length; i += 2)
    if (path[i + fixed] === level && path[i + 1 - fixed]! > low && path[i + 1 - fixed]! < high) return true
  return false
}

function graphOfRings(rings: readonly number[][]): PlanarGraph {
  const [x, y, edges]: [number[], number[], Edge[]] = [[], [], []]
  const vertices = new Map<number, Map<number, number>>()
  for (const path of rings) {
    let previous = -1
    for (let i = 0; i < path.length; i += 2) {
      const vertex = vertexOf(path[i]!, path[i + 1]!)
      if (previous >= 0 && previous !== vertex) edges.push([previous, vertex])
      previous = vertex
    }
  }
  return { x, y, edges }

  function vertexOf(atX: number, atY: number): number {
    const verticesAtX = vertices.get(atX) ?? new Map<number, number>()
    const existing = verticesAtX.get(atY)
    if (existing !== undefined) return existing
    vertices.set(atX, verticesAtX.set(atY, x.length))
    x.push(atX)
    y.push(atY)
    return x.length - 1
  }
}

/** Whether the edge runs along a meridian or parallel. */
function isAxisAligned([from, to]: Edge, x: number[], y: number[]): boolean {
  return x[from] === x[to] || y[from] === y[to]
}

/** A cut can leave such a small tip that rounding merges its two sides. */
function isTiny([from, to]: Edge, x: number[], y: number[]): boolean {
  return Math.abs(x[to]! - x[from]!) < tiny_degrees && Math.abs(y[to]! - y[from]!) < tiny_degrees
}

/** About a tenth of a millimeter. */
const tiny_degrees = 1e-9

/** Splits an edge along a meridian or parallel at the vertices on it. */
function splitEdge(edge: Edge, x: number[], y: number[]): Edge[] {
  if (!isAxisAligned(edge, x, y)) return [edge]
  const [from, to] = edge
  const [fixed, along] = x[from] === x[to] ? [x, y] : [y, x]
  const [low, high] = [Math.min(along[from]!, along[to]!), Math.max(along[from]!, along[to]!)]
  const between = along
    .keys()
    .filter((i) => fixed[i] === fixed[from] && along[i]! > low && along[i]! < high)
    .toArray()
  if (between.length === 0) return [edge]
  const stops = [from, ...between.toSorted((a, b) => (along[a]! - along[b]!) * (along[to]! - along[from]!)), to]
  return stops.slice(1).map((stop, i) => [stops[i]!, stop])
}
