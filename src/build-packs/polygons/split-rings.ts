import { edgeCrossingX } from '../../geo/polygon.ts'

/** A closed ring (x, y, x, y, …) with its bounds. */
export type ClosedRing = { path: number[]; low: [x: number, y: number]; high: [x: number, y: number] }

/**
 * Splits a polygon at a meridian (axis 0: west, east) or parallel (axis 1: south, north) into the part below the line
 * and the part on or above it. By the even-odd rule the two parts together are the polygon. New edges along the line
 * stay inside the polygon.
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

/** Adds the bounds to a closed path. */
export function closedRingOf(path: number[]): ClosedRing {
  const ring: ClosedRing = { path, low: [Infinity, Infinity], high: [-Infinity, -Infinity] }
  for (let i = 0; i < path.length; i++) {
    const axis = i % 2 === 0 ? 0 : 1
    if (path[i]! < ring.low[axis]) ring.low[axis] = path[i]!
    if (path[i]! > ring.high[axis]) ring.high[axis] = path[i]!
  }
  return ring
}

/** A section of a ring on one side of the line, from where it crosses the line to where it crosses back. */
type Chain = { path: number[]; from: number; to: number }

function addChains(path: number[], axis: 0 | 1, cut: number, [below, above]: [Chain[], Chain[]]): void {
  const count = path.length / 2 - 1
  const isAbove = (i: number) => path[2 * (i % count) + axis]! >= cut
  let first = 0
  while (isAbove(first) === isAbove(first + count - 1)) first++
  let chain = beginChain(intersectEdge(path, [(first + count - 1) % count, first], axis, cut), axis)
  for (let i = first; i < first + count; i++) {
    chain.path.push(path[2 * (i % count)]!, path[2 * (i % count) + 1]!)
    if (isAbove(i) === isAbove(i + 1)) continue
    const point = intersectEdge(path, [i % count, (i + 1) % count], axis, cut)
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

/**
 * The intersection of an edge with the line. Computed from the lower end, so polygons that share an edge agree
 * exactly.
 */
function intersectEdge(
  path: number[],
  [i, j]: [from: number, to: number],
  axis: 0 | 1,
  cut: number,
): [x: number, y: number] {
  const [low, high] = path[2 * i + axis]! < path[2 * j + axis]! ? [i, j] : [j, i]
  const [a, b] = [path[2 * low + 1 - axis]!, path[2 * high + 1 - axis]!]
  const other =
    path[2 * high + axis] === cut ? b : edgeCrossingX(a, path[2 * low + axis]!, b, path[2 * high + axis]!, cut)
  return axis === 0 ? [cut, other] : [other, cut]
}

/** Joins chains along the line between the first and second crossing, the third and fourth, and so on. */
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
    // A ring needs four vertices. A ring entirely on the line is empty; the other side has its edges.
    while (path.length < 8) path.push(path.at(-2)!, path.at(-1)!)
    const ring = closedRingOf(path)
    if (ring.low[axis] !== cut || ring.high[axis] !== cut) rings.push(ring)
  }
  return rings
}

/** Appends a path without consecutive duplicates. */
function appendPath(path: number[], more: readonly number[], isBackward: boolean): void {
  for (let k = 0; k < more.length; k += 2) {
    const i = isBackward ? more.length - 2 - k : k
    if (path.length === 0 || path.at(-2) !== more[i] || path.at(-1) !== more[i + 1]) path.push(more[i]!, more[i + 1]!)
  }
}
