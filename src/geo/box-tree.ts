import FlatQueue from 'flatqueue'
import type { Xyz } from './ecef.ts'

const leafSize = 8
/** The build yields after each partition of more than this many items. */
const itemsPerStep = 512

/**
 * A search for accepted items with a squared distance of at most `maxDistance2`. `distance2` measures an item exactly;
 * its box is only a bound. `onFound` receives the items, nearest first, and returns whether to continue. `maxResults`:
 * how many items are needed. /
 */
type Search = {
  maxDistance2: number
  accepts: (item: number) => boolean
  distance2: (item: number) => number
  onFound: (item: number, distance2: number) => boolean
  maxResults: number
}

/** A tree of 3D boxes for nearest-first search. */
export type BoxTree = { visitNearest(from: Xyz, search: Search): void }

/**
 * The tree in flat arrays. The box of node `n` is at `boxes[6 n …]`: minimum x, y, z, then maximum x, y, z. An inner
 * node has its children in `first` and `second`. A leaf has `second` 0 (the root is never a child) and the items
 * `items[first]` up to `items[last]` (exclusive). Boxes are stored as 32-bit floats, rounded outward. If all items are
 * points, `itemBoxes` is null: measuring a point costs no more than testing its box. /
 */
type Tree = {
  boxes: Float32Array
  first: Uint32Array
  second: Uint32Array
  last: Uint32Array
  items: Uint32Array
  itemBoxes: Float32Array | null
}

/**
 * Builds the tree incrementally. `boxes` holds the boxes of the items in the form of `Tree.boxes`; it is not retained.
 */
export function* buildBoxTree(boxes: Float64Array): Generator<void, BoxTree, void> {
  const count = boxes.length / 6
  if (count === 0) return { visitNearest: () => {} }
  const tree = yield* buildTree(boxes, count)
  // Searches are synchronous, so they share one queue.
  const queue = new FlatQueue()
  const nearest = new NearestItemSearch(tree)
  return {
    visitNearest: (from, search) =>
      search.maxResults === 1 ? nearest.run(from, search) : bestFirst(tree, queue, from, search),
  }
}

/**
 * Finds the nearest item by depth-first search, without a queue. Searches the nearer child first, and the other only if
 * its box is nearer than the best item so far. Of items at the same distance, the one with the lowest index wins.
 */
class NearestItemSearch {
  readonly #tree: Tree
  // Searches are synchronous, so they share these members.
  #from: Xyz = { x: 0, y: 0, z: 0 }
  #search: Search | null = null
  #nearestDistance2 = 0
  #nearest = -1

  constructor(tree: Tree) {
    this.#tree = tree
  }

  run(from: Xyz, search: Search): void {
    this.#from = from
    this.#search = search
    this.#nearestDistance2 = search.maxDistance2
    this.#nearest = -1
    this.#searchNode(0)
    if (this.#nearest >= 0) search.onFound(this.#nearest, this.#nearestDistance2)
  }

  #searchNode(node: number): void {
    const { boxes, first, second, last } = this.#tree
    if (second[node] === 0) return this.#searchLeaf(first[node]!, last[node]!)
    const firstDistance2 = boxDistance2(boxes, 6 * first[node]!, this.#from)
    const secondDistance2 = boxDistance2(boxes, 6 * second[node]!, this.#from)
    if (firstDistance2 <= secondDistance2) {
      if (firstDistance2 <= this.#nearestDistance2) this.#searchNode(first[node]!)
      if (secondDistance2 <= this.#nearestDistance2) this.#searchNode(second[node]!)
    } else {
      if (secondDistance2 <= this.#nearestDistance2) this.#searchNode(second[node]!)
      if (firstDistance2 <= this.#nearestDistance2) this.#searchNode(first[node]!)
    }
  }

  #searchLeaf(begin: number, end: number): void {
    const { items, itemBoxes } = this.#tree
    const { distance2, accepts } = this.#search!
    for (let i = begin; i < end; i++) {
      const item = items[i]!
      if (itemBoxes && boxDistance2(itemBoxes, 6 * item, this.#from) > this.#nearestDistance2) continue
      const itemDistance2 = distance2(item)
      if (
        itemDistance2 > this.#nearestDistance2 ||
        (itemDistance2 === this.#nearestDistance2 && this.#nearest >= 0 && item > this.#nearest) ||
        !accepts(item)
      )
        continue
      this.#nearestDistance2 = itemDistance2
      this.#nearest = item
    }
  }
}

/**
 * Best-first search. Queue entries: 3 n for a node, 3 n + 1 for an item with the distance of its box, 3 n + 2 for a
 * measured item.
 */
function bestFirst(
  { boxes, first, second, last, items, itemBoxes }: Tree,
  queue: FlatQueue,
  from: Xyz,
  { maxDistance2, accepts, distance2, onFound }: Search,
) {
  queue.clear()
  queue.push(0, 0)
  while (queue.length > 0 && queue.peekValue()! <= maxDistance2) {
    const bound = queue.peekValue()!
    const next = queue.pop()!
    const n = (next - (next % 3)) / 3
    if (next % 3 === 0) expandNode(n)
    else if (next % 3 === 1) queue.push(3 * n + 2, distance2(n))
    else if (!onFound(n, bound)) return
  }

  function expandNode(node: number) {
    if (second[node] !== 0) {
      queue.push(3 * first[node]!, boxDistance2(boxes, 6 * first[node]!, from))
      queue.push(3 * second[node]!, boxDistance2(boxes, 6 * second[node]!, from))
      return
    }
    for (let i = first[node]!; i < last[node]!; i++) {
      const item = items[i]!
      if (!accepts(item)) continue
      if (itemBoxes) queue.push(3 * item + 1, boxDistance2(itemBoxes, 6 * item, from))
      else queue.push(3 * item + 2, distance2(item))
    }
  }
}

function* buildTree(itemBoxes: Float64Array, count: number): Generator<void, Tree, void> {
  const nodes = nodeCountOf(count)
  const items = Uint32Array.from({ length: count }, (_, i) => i)
  const tree = {
    boxes: new Float32Array(6 * nodes),
    first: new Uint32Array(nodes),
    second: new Uint32Array(nodes),
    last: new Uint32Array(nodes),
    items,
    itemBoxes: compactBoxes(itemBoxes),
  }
  const waiting = [{ begin: 0, end: count, node: 0 }]
  let nodeCount = 1
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { begin, end, node } = next
    const axis = writeNodeBox(begin, end, node)
    if (end - begin <= leafSize) {
      tree.first[node] = begin
      tree.last[node] = end
      continue
    }
    const middle = (begin + end) >> 1
    partition(items, (item) => itemBoxes[6 * item + axis]!, { begin, middle, end: end - 1 })
    tree.first[node] = nodeCount++
    tree.second[node] = nodeCount++
    waiting.push({ begin: middle, end, node: tree.second[node] }, { begin, end: middle, node: tree.first[node] })
    if (end - begin > itemsPerStep) yield
  }
  return tree

  /** Writes the box of a node and returns its longest axis. */
  function writeNodeBox(begin: number, end: number, node: number): number {
    let longest = 0
    let axis = 0
    for (let k = 0; k < 3; k++) {
      let least = Infinity
      let greatest = -Infinity
      for (let i = begin; i < end; i++) {
        least = Math.min(least, itemBoxes[6 * items[i]! + k]!)
        greatest = Math.max(greatest, itemBoxes[6 * items[i]! + k + 3]!)
      }
      tree.boxes[6 * node + k] = roundDown(least)
      tree.boxes[6 * node + k + 3] = -roundDown(-greatest)
      if (greatest - least > longest) {
        longest = greatest - least
        axis = k
      }
    }
    return axis
  }
}

/** The number of nodes of a tree: nodes larger than a leaf are halved. */
function nodeCountOf(count: number): number {
  return count <= leafSize ? 1 : 1 + nodeCountOf(count >> 1) + nodeCountOf(count - (count >> 1))
}

/** The boxes of the items as 32-bit floats. null if all items are points. */
function compactBoxes(boxes: Float64Array): Float32Array | null {
  const compact = new Float32Array(boxes.length)
  let arePoints = true
  for (let i = 0; i < boxes.length; i += 6) {
    for (let k = i; k < i + 3; k++) {
      compact[k] = roundDown(boxes[k]!)
      compact[k + 3] = -roundDown(-boxes[k + 3]!)
      arePoints &&= boxes[k] === boxes[k + 3]
    }
  }
  return arePoints ? null : compact
}

/** Rounds to a 32-bit float that is not greater than the value. */
function roundDown(value: number): number {
  return Math.fround(value - Math.abs(value) * 2 ** -23 - 2 ** -149)
}

/**
 * Hoare's selection: moves the item that belongs at `middle` by its key there, with smaller keys before it and larger
 * keys after it. Sorting takes ten times as long. /
 */
function partition(
  items: Uint32Array,
  keyOf: (item: number) => number,
  range: { begin: number; middle: number; end: number },
): void {
  const { middle } = range
  let { begin, end } = range
  while (begin < end) {
    const pivot = keyOf(items[(begin + end) >> 1]!)
    let left = begin
    let right = end
    while (left <= right) {
      while (keyOf(items[left]!) < pivot) left++
      while (keyOf(items[right]!) > pivot) right--
      if (left > right) break
      const item = items[left]!
      items[left++] = items[right]!
      items[right--] = item
    }
    if (middle <= right) end = right
    else if (middle >= left) begin = left
    else return
  }
}

function boxDistance2(boxes: Float32Array, at: number, { x, y, z }: Xyz): number {
  const dx = Math.max(boxes[at]! - x, 0, x - boxes[at + 3]!)
  const dy = Math.max(boxes[at + 1]! - y, 0, y - boxes[at + 4]!)
  const dz = Math.max(boxes[at + 2]! - z, 0, z - boxes[at + 5]!)
  return dx * dx + dy * dy + dz * dz
}
