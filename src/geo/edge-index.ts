import FlatQueue from 'flatqueue'
import { buildBoxTree, boxDistance2, compactBoxes } from './box-tree.ts'
import { segmentDistance2, type Xyz } from './ecef.ts'
import { buildSegmentRuns, segmentRunBoxesOf, type FlatGeometries, type SegmentRuns } from './flat-geometries.ts'

/**
 * The points, lines and rings of features in the order of the leaves of a tree of 3D boxes. Item `i` belongs to feature
 * `features[i]`. If all items are points, `runs` is null and item `i` is the point `xyz[3 i …]`. Otherwise item `i` is
 * the line from vertex `runs.first[i]` to `runs.last[i]` (inclusive), in the box `runs.boxes[6 i …]`. A node has the
 * members of `BoxTreeNodes`.
 */
export type EdgeIndexArrays = {
  nodes: Float32Array
  xyz: Float64Array
  features: Uint32Array
  runs: { first: Uint32Array; last: Uint32Array; boxes: Float32Array } | null
}

/** A search for features within a distance. `accepts` has 1 for each feature that counts; null accepts all. */
export type EdgeSearch = { maxDistance2: number; accepts: Uint8Array | null }

/** Builds the index of the included features, incrementally. */
export function* buildEdgeIndex(
  shapes: FlatGeometries,
  includes: (feature: number) => boolean,
): Generator<void, EdgeIndexArrays, void> {
  const runs = yield* buildSegmentRuns(shapes, includes)
  const boxes = yield* segmentRunBoxesOf(runs)
  const { nodes, order } = yield* buildBoxTree(boxes)
  const features = order.map((run) => runs.feature[run]!)
  const isPoint = (run: number) => runs.first[run] === runs.last[run]
  if (order.every(isPoint)) return { nodes, features, xyz: pointsInOrder(runs, order), runs: null }
  return {
    nodes,
    features,
    xyz: runs.xyz,
    runs: {
      first: order.map((run) => runs.first[run]!),
      last: order.map((run) => runs.last[run]!),
      boxes: compactBoxes(boxes, order),
    },
  }
}

function pointsInOrder({ xyz, first }: SegmentRuns, order: Uint32Array): Float64Array {
  const points = new Float64Array(3 * order.length)
  for (let i = 0; i < order.length; i++) for (let k = 0; k < 3; k++) points[3 * i + k] = xyz[3 * first[order[i]!]! + k]!
  return points
}

/** More than twice the depth of a tree of 2^32 items. */
const maxStack = 128

/** Searches an edge index. Searches are synchronous, so they share the members. */
export class EdgeIndex {
  readonly #arrays: EdgeIndexArrays
  /** The second half of each node: its first child and 0, or its first item and the number of its items. */
  readonly #links: Int32Array
  readonly #queue = new FlatQueue()
  readonly #stack = new Int32Array(maxStack)
  readonly #bounds = new Float64Array(maxStack)
  /** The squared distance of the feature that `nearest` returned. */
  distance2 = 0

  constructor(arrays: EdgeIndexArrays) {
    this.#arrays = arrays
    this.#links = new Int32Array(arrays.nodes.buffer, arrays.nodes.byteOffset, arrays.nodes.length)
  }

  /**
   * Returns the nearest feature and sets `distance2`; -1 if there is none. Of features at the same distance, the one
   * with the lowest index wins. Searches the nearer child first, and the other only if its box is near enough.
   */
  nearest(from: Xyz, { maxDistance2, accepts }: EdgeSearch): number {
    const { nodes, features } = this.#arrays
    const { x, y, z } = from
    const links = this.#links
    const stack = this.#stack
    const bounds = this.#bounds
    let found = -1
    this.distance2 = maxDistance2
    let top = features.length === 0 ? 0 : 1
    stack[0] = 1
    bounds[0] = 0
    while (top > 0) {
      let node = stack[--top]!
      if (bounds[top]! > this.distance2) continue
      while (links[8 * node + 7] === 0) {
        const first = links[8 * node + 6]!
        const first2 = boxDistance2(nodes, 8 * first, x, y, z)
        const second2 = boxDistance2(nodes, 8 * first + 8, x, y, z)
        const isFirstNearer = first2 <= second2
        node = isFirstNearer ? first : first + 1
        const other2 = isFirstNearer ? second2 : first2
        if (other2 > this.distance2) continue
        stack[top] = isFirstNearer ? first + 1 : first
        bounds[top++] = other2
      }
      found = this.#nearestInLeaf(node, found, from, accepts)
    }
    return found
  }

  #nearestInLeaf(node: number, nearest: number, from: Xyz, accepts: Uint8Array | null): number {
    const { features, runs } = this.#arrays
    const begin = this.#links[8 * node + 6]!
    const end = begin + this.#links[8 * node + 7]!
    for (let item = begin; item < end; item++) {
      if (runs && boxDistance2(runs.boxes, 6 * item, from.x, from.y, from.z) > this.distance2) continue
      const distance2 = this.#itemDistance2(item, from)
      if (distance2 > this.distance2) continue
      const feature = features[item]!
      if (distance2 === this.distance2 && nearest >= 0 && feature > nearest) continue
      if (accepts && accepts[feature] === 0) continue
      this.distance2 = distance2
      nearest = feature
    }
    return nearest
  }

  /**
   * Visits the features within the distance, nearest first, until `visit` returns false. A feature of several items may
   * be visited several times. Queue entries: 3 n for a node, 3 n + 1 for an item with the distance of its box, 3 n + 2
   * for a measured item.
   */
  visitNearest(
    from: Xyz,
    { maxDistance2, accepts }: EdgeSearch,
    visit: (feature: number, distance2: number) => boolean,
  ): void {
    const { features } = this.#arrays
    const queue = this.#queue
    queue.clear()
    if (features.length > 0) queue.push(3, 0)
    while (queue.length > 0 && queue.peekValue()! <= maxDistance2) {
      const bound = queue.peekValue()!
      const next = queue.pop()!
      const n = (next - (next % 3)) / 3
      if (next % 3 === 0) this.#expand(n, from, accepts)
      else if (next % 3 === 1) queue.push(3 * n + 2, this.#itemDistance2(n, from))
      else if (!visit(features[n]!, bound)) return
    }
  }

  #expand(node: number, from: Xyz, accepts: Uint8Array | null): void {
    const { nodes, features, runs } = this.#arrays
    const { x, y, z } = from
    const begin = this.#links[8 * node + 6]!
    const count = this.#links[8 * node + 7]!
    if (count === 0) {
      this.#queue.push(3 * begin, boxDistance2(nodes, 8 * begin, x, y, z))
      this.#queue.push(3 * begin + 3, boxDistance2(nodes, 8 * begin + 8, x, y, z))
      return
    }
    for (let item = begin; item < begin + count; item++) {
      if (accepts && accepts[features[item]!] === 0) continue
      if (runs) this.#queue.push(3 * item + 1, boxDistance2(runs.boxes, 6 * item, x, y, z))
      else this.#queue.push(3 * item + 2, this.#itemDistance2(item, from))
    }
  }

  #itemDistance2(item: number, from: Xyz): number {
    const { xyz, runs } = this.#arrays
    if (runs) return runDistance2(xyz, runs.first[item]!, runs.last[item]!, from)
    const dx = from.x - xyz[3 * item]!
    const dy = from.y - xyz[3 * item + 1]!
    const dz = from.z - xyz[3 * item + 2]!
    return dx * dx + dy * dy + dz * dz
  }
}

function runDistance2(xyz: Float64Array, first: number, last: number, from: Xyz): number {
  const begin = 3 * first
  const end = 3 * last
  let ax = xyz[begin]!
  let ay = xyz[begin + 1]!
  let az = xyz[begin + 2]!
  let least = segmentDistance2(from, ax, ay, az, ax, ay, az)
  for (let i = begin + 3; i <= end; i += 3) {
    const bx = xyz[i]!
    const by = xyz[i + 1]!
    const bz = xyz[i + 2]!
    least = Math.min(least, segmentDistance2(from, ax, ay, az, bx, by, bz))
    ax = bx
    ay = by
    az = bz
  }
  return least
}
