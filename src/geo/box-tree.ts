import FlatQueue from 'flatqueue'
import type { Xyz } from './ecef.ts'

const leafSize = 8
/** Whoever divides more than this may take a breath after. */
const itemsPerStep = 512

/**
 * What a search looks for: accepted items no farther than the square root of `reach2`. `distance2` measures an item exactly (its box
 * only bounds it); `found` is told of each, nearest first, and says whether to go on. `wanted`: how many will do.
 */
type Search = {
  maxDistance2: number
  accepts: (item: number) => boolean
  distance2: (item: number) => number
  onFound: (item: number, distance2: number) => boolean
  maxResults: number
}

/** A tree over boxes in space, for best-first search: whatever comes out next is the nearest that is left. */
export type BoxTree = { visitNearest(from: Xyz, search: Search): void }

/**
 * The tree, laid flat. Node `n` has its box at `boxes[6 n …]`: least x, y, z, then greatest x, y, z. A node between has its children in
 * `first` and `second`; a leaf (`second` 0, which is the root and nobody's child) has the items `items[first]` up to `items[last]`.
 * Boxes only bound: they are held in half the bytes, a little wider. Items that are points have none (`itemBoxes` is null): measuring one takes no longer.
 */
type Tree = {
  boxes: Float32Array
  first: Uint32Array
  second: Uint32Array
  last: Uint32Array
  items: Uint32Array
  itemBoxes: Float32Array | null
}

/** Builds the tree over items whose boxes lie one after the other in the same form, in steps; the boxes it was given are not kept. */
export function* buildBoxTree(boxes: Float64Array): Generator<void, BoxTree, void> {
  const count = boxes.length / 6
  if (count === 0) return { visitNearest: () => {} }
  const tree = yield* buildTree(boxes, count)
  // A search runs to its end before the next begins, so one queue serves them all.
  const queue = new FlatQueue()
  return {
    visitNearest: (from, search) =>
      search.maxResults === 1 ? nearestOne(tree, from, search) : bestFirst(tree, queue, from, search),
  }
}

/** The nearest alone needs no queue: the nearer half is looked through first, and the other only where it reaches nearer than what is found. Of items at one distance it is the first. */
function nearestOne(
  { boxes, first, second, last, items, itemBoxes }: Tree,
  from: Xyz,
  { maxDistance2, accepts, distance2, onFound }: Search,
) {
  let nearestDistance2 = maxDistance2
  let nearest = -1
  searchNode(0)
  if (nearest >= 0) onFound(nearest, nearestDistance2)

  function searchNode(node: number) {
    if (second[node] === 0) return searchLeaf(first[node]!, last[node]!)
    const firstDistance2 = boxDistance2(boxes, 6 * first[node]!, from)
    const secondDistance2 = boxDistance2(boxes, 6 * second[node]!, from)
    if (firstDistance2 <= secondDistance2) {
      if (firstDistance2 <= nearestDistance2) searchNode(first[node]!)
      if (secondDistance2 <= nearestDistance2) searchNode(second[node]!)
    } else {
      if (secondDistance2 <= nearestDistance2) searchNode(second[node]!)
      if (firstDistance2 <= nearestDistance2) searchNode(first[node]!)
    }
  }

  function searchLeaf(begin: number, end: number) {
    for (let i = begin; i < end; i++) {
      const item = items[i]!
      if (itemBoxes && boxDistance2(itemBoxes, 6 * item, from) > nearestDistance2) continue
      const itemDistance2 = distance2(item)
      if (
        itemDistance2 > nearestDistance2 ||
        (itemDistance2 === nearestDistance2 && nearest >= 0 && item > nearest) ||
        !accepts(item)
      )
        continue
      nearestDistance2 = itemDistance2
      nearest = item
    }
  }
}

/** What waits in the queue is 3 n for a node, 3 n + 1 for an item known by its box, 3 n + 2 for an item that is measured. */
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
    partition(items, (item) => itemBoxes[6 * item + axis]!, begin, middle, end - 1)
    tree.first[node] = nodeCount++
    tree.second[node] = nodeCount++
    waiting.push({ begin: middle, end, node: tree.second[node] }, { begin, end: middle, node: tree.first[node] })
    if (end - begin > itemsPerStep) yield
  }
  return tree

  /** Writes the box of a node, and gives the axis it is longest along. */
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

/** How many nodes a tree of so many items has: what is larger than a leaf is halved. */
function nodeCountOf(count: number): number {
  return count <= leafSize ? 1 : 1 + nodeCountOf(count >> 1) + nodeCountOf(count - (count >> 1))
}

/** The boxes of items, to be held; null where each is a point. */
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

/** A number of half the bytes that is no greater. */
function roundDown(value: number): number {
  return Math.fround(value - Math.abs(value) * 2 ** -23 - 2 ** -149)
}

/** Puts the item that comes at `middle` by its key there, the lesser before it and the greater after it (Hoare's selection): sorting them would take ten times as long. */
function partition(
  items: Uint32Array,
  keyOf: (item: number) => number,
  begin: number,
  middle: number,
  end: number,
): void {
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
