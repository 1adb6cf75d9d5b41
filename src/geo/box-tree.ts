import FlatQueue from 'flatqueue'
import type { Xyz } from './ecef.ts'

const leafSize = 8

/**
 * What a search looks for: accepted items no farther than the square root of `reach2`. `distance2` measures an item exactly (its box
 * only bounds it); `found` is told of each, nearest first, and says whether to go on.
 */
type Search = {
  reach2: number
  accepts: (item: number) => boolean
  distance2: (item: number) => number
  found: (item: number, distance2: number) => boolean
}

/** A tree over boxes in space, for best-first search: whatever comes out next is the nearest that is left. */
export type BoxTree = { nearest(from: Xyz, search: Search): void }

/**
 * The tree, laid flat. Node `n` has its box at `boxes[6 n …]`: least x, y, z, then greatest x, y, z. A node between has its children in
 * `first` and `second`; a leaf (`second` 0, which is the root and nobody's child) has the items `items[first]` up to `items[last]`.
 */
type Tree = { boxes: Float64Array; first: Uint32Array; second: Uint32Array; last: Uint32Array; items: Uint32Array }

/** Builds the tree over items whose boxes lie one after the other in the same form. */
export function boxTreeOf(boxes: Float64Array): BoxTree {
  const count = boxes.length / 6
  if (count === 0) return { nearest: () => {} }
  const tree = built(boxes, count)
  // A search runs to its end before the next begins, so one queue serves them all.
  const queue = new FlatQueue()
  return { nearest: (from, search) => bestFirst(tree, boxes, queue, from, search) }
}

/** What waits in the queue is 3 n for a node, 3 n + 1 for an item known by its box, 3 n + 2 for an item that is measured. */
function bestFirst({ boxes, first, second, last, items }: Tree, itemBoxes: Float64Array, queue: FlatQueue, from: Xyz, { reach2, accepts, distance2, found }: Search) {
  queue.clear()
  queue.push(0, 0)
  while (queue.length > 0 && queue.peekValue()! <= reach2) {
    const bound = queue.peekValue()!
    const next = queue.pop()!
    const n = (next - (next % 3)) / 3
    if (next % 3 === 0) open(n)
    else if (next % 3 === 1) queue.push(3 * n + 2, distance2(n))
    else if (!found(n, bound)) return
  }

  function open(node: number) {
    if (second[node] !== 0) {
      queue.push(3 * first[node]!, boxDistance2(boxes, 6 * first[node]!, from))
      queue.push(3 * second[node]!, boxDistance2(boxes, 6 * second[node]!, from))
      return
    }
    for (let i = first[node]!; i < last[node]!; i++) {
      const item = items[i]!
      if (accepts(item)) queue.push(3 * item + 1, boxDistance2(itemBoxes, 6 * item, from))
    }
  }
}

function built(itemBoxes: Float64Array, count: number): Tree {
  const most = 4 * Math.ceil(count / leafSize) + 1
  const items = Uint32Array.from({ length: count }, (_, i) => i)
  const tree = { boxes: new Float64Array(6 * most), first: new Uint32Array(most), second: new Uint32Array(most), last: new Uint32Array(most), items }
  let nodes = 0
  divide(0, count)
  return tree

  function divide(begin: number, end: number): number {
    const node = nodes++
    const part = items.subarray(begin, end)
    const axis = bound(part, node)
    if (end - begin <= leafSize) {
      tree.first[node] = begin
      tree.last[node] = end
      return node
    }
    part.sort((a, b) => itemBoxes[6 * a + axis]! - itemBoxes[6 * b + axis]!)
    const middle = (begin + end) >> 1
    tree.first[node] = divide(begin, middle)
    tree.second[node] = divide(middle, end)
    return node
  }

  /** Writes the box of a node, and gives the axis it is longest along. */
  function bound(part: Uint32Array, node: number): number {
    let longest = 0
    let axis = 0
    for (let k = 0; k < 3; k++) {
      let least = Infinity
      let greatest = -Infinity
      for (const item of part) {
        least = Math.min(least, itemBoxes[6 * item + k]!)
        greatest = Math.max(greatest, itemBoxes[6 * item + k + 3]!)
      }
      tree.boxes[6 * node + k] = least
      tree.boxes[6 * node + k + 3] = greatest
      if (greatest - least > longest) {
        longest = greatest - least
        axis = k
      }
    }
    return axis
  }
}

function boxDistance2(boxes: Float64Array, at: number, { x, y, z }: Xyz): number {
  const dx = Math.max(boxes[at]! - x, 0, x - boxes[at + 3]!)
  const dy = Math.max(boxes[at + 1]! - y, 0, y - boxes[at + 4]!)
  const dz = Math.max(boxes[at + 2]! - z, 0, z - boxes[at + 5]!)
  return dx * dx + dy * dy + dz * dz
}
