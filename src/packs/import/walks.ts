import type { Drawing } from './drawing.ts'

/**
 * The simple rings that a drawing consists of, as places by number, each named once. Where more than two edges meet, those go together that have one
 * sector of what is inside between them: what only meets in a place is two rings.
 */
export function walksOf(drawing: Drawing): number[][] {
  const partners = partnersOf(drawing)
  const isUsed = new Uint8Array(drawing.edges.length)
  const rings: number[][] = []
  for (let first = 0; first < drawing.edges.length; first++) {
    if (isUsed[first]) continue
    const walk: number[] = []
    // An end is twice the number of its edge, and one more where the edge leads to.
    for (let end = 2 * first; !isUsed[end >> 1]; end = partners[end ^ 1]!) {
      isUsed[end >> 1] = 1
      walk.push(drawing.edges[end >> 1]![end & 1]!)
    }
    rings.push(...simpleOf(walk))
  }
  return rings
}

function partnersOf(drawing: Drawing): Uint32Array {
  const { x, edges } = drawing
  const endsAt: number[][] = x.map(() => [])
  for (const [i, [from, to]] of edges.entries()) {
    endsAt[from]!.push(2 * i)
    endsAt[to]!.push(2 * i + 1)
  }
  const partners = new Uint32Array(2 * edges.length)
  for (const ends of endsAt) {
    const around = ends.length === 2 ? ends : insideFirst(ends.toSorted((a, b) => directionOf(a, drawing) - directionOf(b, drawing)), drawing)
    for (let i = 0; i < around.length; i += 2) {
      partners[around[i]!] = around[i + 1]!
      partners[around[i + 1]!] = around[i]!
    }
  }
  return partners
}

/** Radians against the clock, from the place of an end along its edge. */
function directionOf(end: number, { x, y, edges }: Drawing): number {
  const [here, there] = [edges[end >> 1]![end & 1]!, edges[end >> 1]![(end & 1) ^ 1]!]
  return Math.atan2(y[there]! - y[here]!, x[there]! - x[here]!)
}

/** Ends in their order against the clock, begun so that from the first to the second is inside. */
function insideFirst(around: number[], drawing: Drawing): number[] {
  return around.length === 0 || isInsideLeft(around[0]!, drawing) ? around : [...around.slice(1), around[0]!]
}

/** Whether the left of an edge, seen from one of its ends, is inside: by the edges that a ray from its middle crosses. */
function isInsideLeft(end: number, { x, y, edges }: Drawing): boolean {
  const own = end >> 1
  const [here, there] = [edges[own]![end & 1]!, edges[own]![(end & 1) ^ 1]!]
  const isLevel = y[here] === y[there]
  const [along, across] = isLevel ? [y, x] : [x, y]
  const [atAlong, atAcross] = [(along[here]! + along[there]!) / 2, (across[here]! + across[there]!) / 2]
  let isInsideBeyond = false
  for (const [i, [a, b]] of edges.entries()) {
    if (i === own || across[a]! > atAcross === across[b]! > atAcross) continue
    const meets = along[a]! + ((atAcross - across[a]!) / (across[b]! - across[a]!)) * (along[b]! - along[a]!)
    if (meets > atAlong) isInsideBeyond = !isInsideBeyond
  }
  const isBeyondLeft = isLevel ? x[there]! > x[here]! : y[there]! < y[here]!
  return isBeyondLeft ? isInsideBeyond : !isInsideBeyond
}

/** A walk that comes to a place again is a ring from there to there, and what is left. */
function simpleOf(walk: readonly number[]): number[][] {
  const rings: number[][] = []
  const path: number[] = []
  const places = new Map<number, number>()
  for (const place of walk) {
    const since = places.get(place)
    if (since !== undefined) {
      const ring = path.splice(since)
      rings.push(ring)
      for (const passed of ring) places.delete(passed)
    }
    places.set(place, path.length)
    path.push(place)
  }
  return [...rings, path]
}
