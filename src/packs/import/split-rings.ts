import { edgeCrossingX } from '../../geo/polygon.ts'

/** A ring that is closed (x, y, x, y, …), with the box round it: the least and the greatest x and y. */
export type ClosedRing = { path: number[]; low: [x: number, y: number]; high: [x: number, y: number] }

/**
 * What of a polygon lies below a line and what lies on it or above: west and east of a meridian (axis 0), or south and north of a parallel (axis 1).
 * By the even-odd rule both together are the polygon. Along the line runs only what the polygon holds of it, so that no edge is outside of it.
 */
export function splitRings(
  rings: readonly ClosedRing[],
  axis: 0 | 1,
  cut: number,
): [below: ClosedRing[], above: ClosedRing[]] {
  const below: ClosedRing[] = []
  const above: ClosedRing[] = []
  const chains: [below: Chain[], above: Chain[]] = [[], []]
  for (const ring of rings) {
    if (ring.high[axis] < cut) below.push(ring)
    else if (ring.low[axis] >= cut) above.push(ring)
    else addChains(ring.path, axis, cut, chains)
  }
  return [
    [...below, ...joinChains(chains[0], axis, cut)],
    [...above, ...joinChains(chains[1], axis, cut)],
  ]
}

/** A ring of a path that is closed. */
export function closedRingOf(path: number[]): ClosedRing {
  const ring: ClosedRing = { path, low: [Infinity, Infinity], high: [-Infinity, -Infinity] }
  for (let i = 0; i < path.length; i++) {
    const axis = i % 2 === 0 ? 0 : 1
    if (path[i]! < ring.low[axis]) ring.low[axis] = path[i]!
    if (path[i]! > ring.high[axis]) ring.high[axis] = path[i]!
  }
  return ring
}

/** What a ring has on one side of the line in one go: from where it comes over the line to where it goes back. */
type Chain = { path: number[]; from: number; to: number }

function addChains(path: number[], axis: 0 | 1, cut: number, [below, above]: [Chain[], Chain[]]): void {
  const count = path.length / 2 - 1
  const isAbove = (i: number) => path[2 * (i % count) + axis]! >= cut
  let first = 0
  while (isAbove(first) === isAbove(first + count - 1)) first++
  let chain = beginChain(intersectEdge(path, (first + count - 1) % count, first, axis, cut), axis)
  for (let i = first; i < first + count; i++) {
    chain.path.push(path[2 * (i % count)]!, path[2 * (i % count) + 1]!)
    if (isAbove(i) === isAbove(i + 1)) continue
    const point = intersectEdge(path, i % count, (i + 1) % count, axis, cut)
    chain.path.push(...point)
    chain.to = point[1 - axis]!
    if (isAbove(i)) above.push(chain)
    else below.push(chain)
    chain = beginChain(point, axis)
  }
}

function beginChain(point: number[], axis: 0 | 1): Chain {
  return { path: [...point], from: point[1 - axis]!, to: NaN }
}

/** Where an edge meets the line: computed from its lower end up, so that whoever shares the edge gets the same numbers. */
function intersectEdge(path: number[], i: number, j: number, axis: 0 | 1, cut: number): [x: number, y: number] {
  const [low, high] = path[2 * i + axis]! < path[2 * j + axis]! ? [i, j] : [j, i]
  const [a, b] = [path[2 * low + 1 - axis]!, path[2 * high + 1 - axis]!]
  const other =
    path[2 * high + axis] === cut ? b : edgeCrossingX(a, path[2 * low + axis]!, b, path[2 * high + axis]!, cut)
  return axis === 0 ? [cut, other] : [other, cut]
}

/** Along the line a polygon is held from the first crossing to the second, from the third to the fourth, and so on: there the chains are joined. */
function joinChains(chains: readonly Chain[], axis: 0 | 1, cut: number): ClosedRing[] {
  const ends = chains
    .flatMap(({ from, to }, i) => [
      { along: from, end: 2 * i },
      { along: to, end: 2 * i + 1 },
    ])
    .toSorted((a, b) => a.along - b.along)
  const partners = new Uint32Array(ends.length)
  for (let i = 0; i + 1 < ends.length; i += 2) {
    partners[ends[i]!.end] = ends[i + 1]!.end
    partners[ends[i + 1]!.end] = ends[i]!.end
  }
  const rings: ClosedRing[] = []
  const isUsed = new Uint8Array(chains.length)
  for (let first = 0; first < chains.length; first++) {
    if (isUsed[first]) continue
    const path: number[] = []
    for (let end = 2 * first; !isUsed[end >> 1]; end = partners[end ^ 1]!) {
      isUsed[end >> 1] = 1
      appendPath(path, chains[end >> 1]!.path, end % 2 === 1)
    }
    appendPath(path, path.slice(0, 2), false)
    // A ring has four places at least; one that lies all on the line holds nothing, and the other side has its edges.
    while (path.length < 8) path.push(path.at(-2)!, path.at(-1)!)
    const ring = closedRingOf(path)
    if (ring.low[axis] !== cut || ring.high[axis] !== cut) rings.push(ring)
  }
  return rings
}

/** Without the places that come twice one after the other. */
function appendPath(path: number[], more: readonly number[], isBackward: boolean): void {
  for (let k = 0; k < more.length; k += 2) {
    const i = isBackward ? more.length - 2 - k : k
    if (path.length === 0 || path.at(-2) !== more[i] || path.at(-1) !== more[i + 1]) path.push(more[i]!, more[i + 1]!)
  }
}
