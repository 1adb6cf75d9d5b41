import type { PlanarGraph } from './planar-graph.ts'

/**
 * Traces the simple rings of a graph, as lists of vertex indexes without repeats. Where more than two edges meet, pairs
 * the edges that enclose one interior sector. Areas that only share a vertex become two rings.
 */
export function traceRings(graph: PlanarGraph): number[][] {
  const partnerOfEnd = pairEdgeEnds(graph)
  const isUsed = new Uint8Array(graph.edges.length)
  const rings: number[][] = []
  for (let first = 0; first < graph.edges.length; first++) {
    if (isUsed[first]) continue
    const walk: number[] = []
    // An end is twice the index of its edge, plus one for the end that the edge leads to.
    for (let end = 2 * first; !isUsed[end >> 1]; end = partnerOfEnd[end ^ 1]!) {
      isUsed[end >> 1] = 1
      walk.push(graph.edges[end >> 1]![end & 1]!)
    }
    rings.push(...splitAtRepeats(walk))
  }
  return rings
}

function pairEdgeEnds(graph: PlanarGraph): Uint32Array {
  const { x, edges } = graph
  const endsAt: number[][] = x.map(() => [])
  for (const [i, [from, to]] of edges.entries()) {
    endsAt[from]!.push(2 * i)
    endsAt[to]!.push(2 * i + 1)
  }
  const partners = new Uint32Array(2 * edges.length)
  for (const ends of endsAt) {
    const around =
      ends.length === 2
        ? ends
        : rotateToInside(
            ends.toSorted((a, b) => directionOf(a, graph) - directionOf(b, graph)),
            graph,
          )
    for (let i = 0; i < around.length; i += 2) {
      partners[around[i]!] = around[i + 1]!
      partners[around[i + 1]!] = around[i]!
    }
  }
  return partners
}

/** The direction of an edge from one of its ends, in radians counterclockwise. */
function directionOf(end: number, { x, y, edges }: PlanarGraph): number {
  const [origin, target] = [edges[end >> 1]![end & 1]!, edges[end >> 1]![(end & 1) ^ 1]!]
  return Math.atan2(y[target]! - y[origin]!, x[target]! - x[origin]!)
}

/** Rotates the counterclockwise list of ends so that the sector from the first to the second is inside. */
function rotateToInside(around: number[], graph: PlanarGraph): number[] {
  return around.length === 0 || isInsideLeft(around[0]!, graph) ? around : [...around.slice(1), around[0]!]
}

/**
 * Whether the left side of an edge, seen from one of its ends, is inside. Counts the edges that a ray from its middle
 * crosses.
 */
function isInsideLeft(end: number, { x, y, edges }: PlanarGraph): boolean {
  const edge = end >> 1
  const [origin, target] = [edges[edge]![end & 1]!, edges[edge]![(end & 1) ^ 1]!]
  const isLevel = y[origin] === y[target]
  const [along, across] = isLevel ? [y, x] : [x, y]
  const [atAlong, atAcross] = [(along[origin]! + along[target]!) / 2, (across[origin]! + across[target]!) / 2]
  let isInsideBeyond = false
  for (const [i, [a, b]] of edges.entries()) {
    if (i === edge || across[a]! > atAcross === across[b]! > atAcross) continue
    const meets = along[a]! + ((atAcross - across[a]!) / (across[b]! - across[a]!)) * (along[b]! - along[a]!)
    if (meets > atAlong) isInsideBeyond = !isInsideBeyond
  }
  const isBeyondLeft = isLevel ? x[target]! > x[origin]! : y[target]! < y[origin]!
  return isBeyondLeft ? isInsideBeyond : !isInsideBeyond
}

/** Splits a walk into simple rings wherever it returns to a vertex. */
function splitAtRepeats(walk: readonly number[]): number[][] {
  const rings: number[][] = []
  const path: number[] = []
  const indexOfVertex = new Map<number, number>()
  for (const vertex of walk) {
    const firstIndex = indexOfVertex.get(vertex)
    if (firstIndex !== undefined) {
      const ring = path.splice(firstIndex)
      rings.push(ring)
      for (const ringVertex of ring) indexOfVertex.delete(ringVertex)
    }
    indexOfVertex.set(vertex, path.length)
    path.push(vertex)
  }
  return [...rings, path]
}
