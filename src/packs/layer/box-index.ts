import type { Database } from 'bun:sqlite'
import type { CachePartition } from './byte-cache.ts'
import { quoteIdentifier } from '../../files/geopackage/geopackage.ts'
import { boxAt } from './box-distance.ts'
import { boxInDegrees } from './pack-projection.ts'
import type { Unproject } from './pack-shape.ts'
import { maxRtreeLevels } from '../check/rtree-check.ts'

/**
 * A node of a box tree: the ids of its rows or child nodes, and the box of each in degrees (west, east, south,
 * north).
 */
export type BoxNode = { ids: Float64Array; boxes: Float64Array }

/**
 * A tree of boxes. Nodes at level 0 hold rows; higher nodes hold nodes of the level below. `level` is the root's
 * level. `maxNodes` is an upper bound of the number of nodes.
 */
export type BoxIndex = { level: number; root: number; maxNodes: number; node(id: number, level: number): BoxNode }

/** An R-tree node in the file is malformed: the file is corrupt, or it changed while it was open. */
export class CorruptIndexError extends Error {}

/** Reads the nodes of one walk. @throws CorruptIndexError if the walk visits more nodes than the tree has. */
export function startWalk(index: BoxIndex): BoxIndex['node'] {
  let visits = 0
  return (id, level) => {
    if (++visits > index.maxNodes) throw new CorruptIndexError('The R-tree reaches a node twice, so it is not a tree.')
    return index.node(id, level)
  }
}

/**
 * Reads a layer's R-tree from the file, node by node. SQLite's rtree.c documents the format. Every query passes through
 * the nodes above the lowest level, so these stay in memory: 2 MB for a million features.
 */
export function createRtreeIndex(
  db: Database,
  name: string,
  nodes: CachePartition<BoxNode>,
  unproject: Unproject,
): BoxIndex {
  const read = db.prepare<{ data: Uint8Array }, [number]>(
    `SELECT data FROM ${quoteIdentifier(`${name}_node`)} WHERE nodeno = ?`,
  )
  const data = (id: number) => {
    const blob = read.get(id)?.data
    if (!blob || blob.length < 4) throw new CorruptIndexError(`Node ${id} of the R-tree is missing.`)
    return new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  }
  const level = data(rootNode).getUint16(0)
  if (level > maxRtreeLevels)
    throw new CorruptIndexError(`The R-tree has ${level} levels. The maximum is ${maxRtreeLevels}.`)
  const upperNodes = new Map<number, BoxNode>()
  return {
    level,
    root: rootNode,
    maxNodes: maxNodesOf(db, name),
    node(id, level) {
      const cached = level === 0 ? nodes.get(id) : (upperNodes.get(id) ?? nodes.get(id))
      if (cached) return cached
      const node = decodeNode(data(id), unproject)
      if (level === 0 || upperNodes.size >= maxUpperNodes) return nodes.set(id, node, 40 * node.ids.length)
      upperNodes.set(id, node)
      return node
    },
  }
}

/**
 * A box tree in buffers that move between threads without a copy. Node `i` has the members from `starts[i]` to
 * `starts[i + 1]`; the last node is the root.
 */
export type PackedBoxes = { level: number; starts: Uint32Array; ids: Float64Array; boxes: Float64Array }

/** Builds a box tree for a layer without an R-tree: sorts rows into stripes and cuts each stripe into nodes. */
export function packBoxes(ids: Float64Array, boxes: Float64Array): PackedBoxes {
  const nodes: BoxNode[] = []
  let level = 0
  let current: BoxNode = { ids, boxes }
  for (; ; level++) {
    const packedNodes = packNodes(current)
    const first = nodes.length
    nodes.push(...packedNodes)
    if (packedNodes.length === 1) break
    current = {
      ids: Float64Array.from(packedNodes, (_, i) => first + i),
      boxes: Float64Array.from(packedNodes.flatMap(nodeBounds)),
    }
  }
  const starts = new Uint32Array(nodes.length + 1)
  for (const [i, node] of nodes.entries()) starts[i + 1] = starts[i]! + node.ids.length
  const all = { ids: new Float64Array(starts.at(-1)!), boxes: new Float64Array(4 * starts.at(-1)!) }
  for (const [i, node] of nodes.entries()) {
    all.ids.set(node.ids, starts[i])
    all.boxes.set(node.boxes, 4 * starts[i]!)
  }
  return { level, starts, ...all }
}

/** Reads a packed box tree. The nodes that were read stay in memory: 5 MB for a million features. */
export function createMemoryIndex({ level, starts, ids, boxes }: PackedBoxes): BoxIndex {
  const maxNodes = starts.length - 1
  const nodes: (BoxNode | undefined)[] = Array.from({ length: maxNodes })
  return {
    level,
    root: maxNodes - 1,
    maxNodes,
    node: (id) =>
      (nodes[id] ??= {
        ids: ids.subarray(starts[id], starts[id + 1]),
        boxes: boxes.subarray(4 * starts[id]!, 4 * starts[id + 1]!),
      }),
  }
}

const rootNode = 1
const maxUpperNodes = 4_000
const cell_bytes = 24
/** SQLite gives every node the same size, which depends on the page size. The smallest page has 512 bytes. */
const minNode_bytes = 400
const nodeSize = 32

/** The largest node number, but not more than fit in the file. Counting the nodes would read all of them. */
function maxNodesOf(db: Database, name: string): number {
  const { last, bytes } = db
    .query<{ last: number | null; bytes: number }, []>(
      `SELECT (SELECT MAX(nodeno) FROM ${quoteIdentifier(`${name}_node`)}) AS last, page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`,
    )
    .get()!
  return Math.min(last ?? 0, Math.ceil(bytes / minNode_bytes))
}

function decodeNode(view: DataView, unproject: Unproject): BoxNode {
  const count = view.getUint16(2)
  if (4 + count * cell_bytes > view.byteLength)
    throw new CorruptIndexError(`A node of the R-tree declares ${count} cells, more than it has bytes for.`)
  const ids = new Float64Array(count)
  const boxes = new Float64Array(4 * count)
  for (let i = 0; i < count; i++) {
    const at = 4 + i * cell_bytes
    ids[i] = view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4)
    for (let k = 0; k < 4; k++) boxes[4 * i + k] = view.getFloat32(at + 8 + 4 * k)
    if (unproject) {
      const { west, east, south, north } = boxInDegrees(unproject, boxAt(boxes, 4 * i))
      boxes.set([west, east, south, north], 4 * i)
    }
  }
  return { ids, boxes }
}

function packNodes({ ids, boxes }: BoxNode): BoxNode[] {
  const order = Uint32Array.from(ids, (_, i) => i)
  const center = (i: number, axis: number) => boxes[4 * i + axis]! + boxes[4 * i + axis + 1]!
  order.sort((a, b) => center(a, 0) - center(b, 0))
  const stripes = Math.max(1, Math.ceil(Math.sqrt(ids.length / nodeSize)))
  const stripeSize = Math.max(nodeSize, Math.ceil(ids.length / stripes / nodeSize) * nodeSize)
  const nodes: BoxNode[] = []
  for (let begin = 0; begin < order.length || nodes.length === 0; begin += stripeSize) {
    const stripe = order.slice(begin, begin + stripeSize).sort((a, b) => center(a, 2) - center(b, 2))
    for (let i = 0; i < stripe.length || nodes.length === 0; i += nodeSize) {
      const members = Array.from(stripe.subarray(i, i + nodeSize))
      nodes.push({
        ids: Float64Array.from(members, (it) => ids[it]!),
        boxes: Float64Array.from(members.flatMap((it) => Array.from(boxes.subarray(4 * it, 4 * it + 4)))),
      })
    }
  }
  return nodes
}

/** The bounds of all boxes in a node: west, east, south, north. */
export function nodeBounds({ boxes }: BoxNode): [number, number, number, number] {
  const bounds: [number, number, number, number] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let i = 0; i < boxes.length; i += 4) {
    bounds[0] = Math.min(bounds[0], boxes[i]!)
    bounds[1] = Math.max(bounds[1], boxes[i + 1]!)
    bounds[2] = Math.min(bounds[2], boxes[i + 2]!)
    bounds[3] = Math.max(bounds[3], boxes[i + 3]!)
  }
  return bounds
}
