const leafSize = 8
/** The build yields after each partition of more than this many items. */
const itemsPerStep = 512

/**
 * The nodes of a tree of 3D boxes, each in 32 bytes: minimum x, y, z and maximum x, y, z, rounded outward, and two
 * 32-bit integers. The integers of an inner node are its first child and 0; the second child is the next node. The
 * integers of a leaf are its first item and the number of its items. The root is node 1, so that two children share a
 * line of the processor's cache. Node 0 is not used.
 */
type BoxTreeNodes = Float32Array

/**
 * Builds a tree incrementally. `boxes` holds the minimum and maximum x, y, z of each item. Returns the nodes, and the
 * items in the order of the leaves.
 */
export function* buildBoxTree(
  boxes: Float64Array,
): Generator<void, { nodes: BoxTreeNodes; order: Uint32Array<ArrayBuffer> }, void> {
  const order = Uint32Array.from({ length: boxes.length / 6 }, (_, i) => i)
  const nodes = new Float32Array(8 * (1 + nodeCountOf(order.length)))
  const links = new Int32Array(nodes.buffer)
  const waiting = [{ begin: 0, end: order.length, node: 1 }]
  let nextNode = 2
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { begin, end, node } = next
    const axis = writeNodeBox(nodes, 8 * node, boxes, { order, begin, end })
    if (end - begin <= leafSize) {
      links.set([begin, end - begin], 8 * node + 6)
      continue
    }
    const middle = (begin + end) >> 1
    partition(order, { boxes, axis }, { begin, middle, end: end - 1 })
    links.set([nextNode, 0], 8 * node + 6)
    waiting.push({ begin: middle, end, node: nextNode + 1 }, { begin, end: middle, node: nextNode })
    nextNode += 2
    if (end - begin > itemsPerStep) yield
  }
  return { nodes, order }
}

/** The boxes of items in this order, rounded outward. */
export function compactBoxes(boxes: Float64Array, order: Uint32Array): Float32Array {
  const compact = new Float32Array(boxes.length)
  for (const [i, item] of order.entries()) {
    for (let k = 0; k < 3; k++) {
      compact[6 * i + k] = roundDown(boxes[6 * item + k]!)
      compact[6 * i + k + 3] = -roundDown(-boxes[6 * item + k + 3]!)
    }
  }
  return compact
}

/** The squared distance from a point to the box at `boxes[at]`; 0 inside the box. */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
export function boxDistance2(boxes: Float32Array, at: number, x: number, y: number, z: number): number {
  const dx = twiceOutside(x, boxes[at]!, boxes[at + 3]!)
  const dy = twiceOutside(y, boxes[at + 1]!, boxes[at + 4]!)
  const dz = twiceOutside(z, boxes[at + 2]!, boxes[at + 5]!)
  return (dx * dx + dy * dy + dz * dz) / 4
}

/** Twice the distance of a value to a range, without a branch: the processor would mispredict every other one. */
function twiceOutside(value: number, least: number, greatest: number): number {
  const below = least - value
  const above = value - greatest
  return below + Math.abs(below) + above + Math.abs(above)
}

/** Writes the box of these items at `nodes[at]` and returns its longest axis. */
function writeNodeBox(
  nodes: BoxTreeNodes,
  at: number,
  boxes: Float64Array,
  { order, begin, end }: { order: Uint32Array; begin: number; end: number },
): number {
  let longest = 0
  let axis = 0
  for (let k = 0; k < 3; k++) {
    let least = Infinity
    let greatest = -Infinity
    for (let i = begin; i < end; i++) {
      least = Math.min(least, boxes[6 * order[i]! + k]!)
      greatest = Math.max(greatest, boxes[6 * order[i]! + k + 3]!)
    }
    nodes[at + k] = roundDown(least)
    nodes[at + k + 3] = -roundDown(-greatest)
    if (greatest - least > longest) {
      longest = greatest - least
      axis = k
    }
  }
  return axis
}

/** The number of nodes of a tree: nodes larger than a leaf are halved. */
function nodeCountOf(count: number): number {
  return count <= leafSize ? 1 : 1 + nodeCountOf(count >> 1) + nodeCountOf(count - (count >> 1))
}

/** Rounds to a 32-bit float that is not greater than the value. */
function roundDown(value: number): number {
  return Math.fround(value - Math.abs(value) * 2 ** -23 - 2 ** -149)
}

/**
 * Hoare's selection: moves the item that belongs at `middle` by its lower bound on the axis there, with smaller ones
 * before it and larger ones after it. Sorting takes ten times as long.
 */
function partition(
  items: Uint32Array,
  { boxes, axis }: { boxes: Float64Array; axis: number },
  range: { begin: number; middle: number; end: number },
): void {
  const { middle } = range
  let { begin, end } = range
  while (begin < end) {
    const pivot = boxes[6 * items[(begin + end) >> 1]! + axis]!
    let left = begin
    let right = end
    while (left <= right) {
      while (boxes[6 * items[left]! + axis]! < pivot) left++
      while (boxes[6 * items[right]! + axis]! > pivot) right--
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
