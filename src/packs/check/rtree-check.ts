import type { Database } from 'bun:sqlite'
import { quoteIdentifier } from '../../files/geopackage/geopackage.ts'
import { FileError } from '../../files/file-error.ts'

/** SQLite's maximum number of levels above the leaves. */
export const maxRtreeLevels = 40
/** SQLite makes a node no larger than a page, which has 65,536 bytes at most. */
const maxNode_bytes = 65_536
const rootNode = 1
const header_bytes = 4
const cell_bytes = 24

/**
 * Checks that the nodes of an R-tree form a tree, by reading every node once. SQLite's own check follows pointers
 * without a limit. The node table itself must be intact.
 * @throws FileError if a node is reached twice or never, is malformed, or points to a missing node.
 */
export function checkRtreeNodes(db: Database, rtree: string): { rows: number } {
  const table = quoteIdentifier(`${rtree}_node`)
  const count = db.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM ${table}`).get()!.count
  const read = db.prepare<{ data: unknown; bytes: number | null }, [number]>(
    `SELECT iif(octet_length(data) <= ${maxNode_bytes}, data, NULL) AS data, octet_length(data) AS bytes FROM ${table} WHERE nodeno = ?`,
  )
  const nodeAt = (id: number): DataView => {
    const { data, bytes } = read.get(id) ?? { data: null, bytes: null }
    if (!(data instanceof Uint8Array) || data.length < header_bytes)
      throw rtreeError(rtree, bytes === null ? `its node ${id} is missing` : `its node ${id} has ${bytes} bytes`)
    return new DataView(data.buffer, data.byteOffset, data.byteLength)
  }
  try {
    return { rows: countRows(nodeAt, count, rtree) }
  } finally {
    read.finalize()
  }
}

/** The number of cells of the leaves. Visits every node once. */
function countRows(nodeAt: (id: number) => DataView, count: number, rtree: string): number {
  const levels = nodeAt(rootNode).getUint16(0)
  if (levels > maxRtreeLevels) throw rtreeError(rtree, `it has ${levels} levels. The maximum is ${maxRtreeLevels}`)
  let [visited, rows] = [0, 0]
  const pending: { id: number; level: number }[] = [{ id: rootNode, level: levels }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { id, level } = next
    const cells = cellIdsOf(nodeAt(id), rtree, id)
    if (level === 0) rows += cells.length
    else pending.push(...cells.map((child) => ({ id: child, level: level - 1 })))
    if (++visited + pending.length > count) throw rtreeError(rtree, 'it reaches a node twice, so it is not a tree')
  }
  if (visited < count) throw rtreeError(rtree, `${count - visited} of its ${count} nodes are never reached`)
  return rows
}

function cellIdsOf(node: DataView, rtree: string, id: number): number[] {
  const count = node.getUint16(2)
  if (header_bytes + count * cell_bytes > node.byteLength)
    throw rtreeError(rtree, `its node ${id} declares ${count} cells, more than it has bytes for`)
  return Array.from({ length: count }, (_, i) => {
    const at = header_bytes + i * cell_bytes
    return node.getInt32(at) * 2 ** 32 + node.getUint32(at + 4)
  })
}

function rtreeError(rtree: string, problem: string): FileError {
  return new FileError(`The R-tree ${rtree} is corrupt: ${problem}. Rebuild the file with \`fieldstone pack build\`.`)
}
