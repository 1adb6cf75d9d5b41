import type { Database } from 'bun:sqlite'
import { packBoxes, type PackedBoxes } from './box-index.ts'
import { quoteIdentifier, type PackTableInfo } from '../../files/geopackage/geopackage.ts'
import { boxInDegrees, unprojectOf } from './pack-projection.ts'
import { FileError } from '../../files/file-error.ts'
import { decodeShape, type Unproject } from './pack-shape.ts'
import type { Extent } from '../../model/area.ts'

/** A box tree for a layer without an R-tree, and the number of its geometries that cannot be read. */
export type BuiltIndex = { tree: PackedBoxes; invalid: number }

const maxUnindexedRows = 200_000
const envelope_bytes = 40

/**
 * Builds the box tree of a layer without an R-tree. Takes seconds for a large layer, so the worker that checks packs
 * does it.
 * @throws FileError if the layer is too large, or its coordinate system is unknown.
 */
export function buildLayerIndex(db: Database, { name, rows, geometry }: PackTableInfo): BuiltIndex {
  if (rows > maxUnindexedRows)
    throw new FileError(
      `The layer ${name} has up to ${rows} features but no R-tree. Without an R-tree, the maximum is ${maxUnindexedRows} features. Rebuild the file with \`fieldstone pack build\`, or create a spatial index in QGIS.`,
    )
  const unproject = unprojectOf(geometry!.srs, name)
  const column = quoteIdentifier(geometry!.column)
  const table = quoteIdentifier(name)
  const read = db.prepare<{ blob: unknown }, [number]>(`SELECT ${column} AS blob FROM ${table} WHERE rowid = ?`)
  const ids: number[] = []
  const boxes: number[] = []
  let invalid = 0
  const heads = db.query(
    `SELECT rowid, substr(${column}, 1, ${envelope_bytes}) FROM ${table} LIMIT ${maxUnindexedRows}`,
  )
  for (const [id, head] of heads.values() as [number, unknown][]) {
    try {
      const box = envelopeOf(head, unproject) ?? boxOfBlob(read.get(id)?.blob, unproject)
      if (!box) continue
      ids.push(id)
      boxes.push(box.west, box.east, box.south, box.north)
    } catch {
      invalid++ // Publishers ship layers with single invalid geometries. The pack's notes count them.
    }
  }
  read.finalize()
  return { tree: packBoxes(Float64Array.from(ids), Float64Array.from(boxes)), invalid }
}

/** The box declared in the header of a geometry, or null. It saves reading the rest. */
function envelopeOf(head: unknown, unproject: Unproject): Extent | null {
  if (!(head instanceof Uint8Array) || head.length < envelope_bytes || ((head[3]! >> 1) & 7) === 0 || head[3]! & 0x10)
    return null
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const [west, east, south, north] = [8, 16, 24, 32].map((at) => view.getFloat64(at, (head[3]! & 1) === 1)) as [
    number,
    number,
    number,
    number,
  ]
  if (!(west <= east && south <= north)) return null
  return unproject ? boxInDegrees(unproject, { west, east, south, north }) : { west, east, south, north }
}

/** The box of a geometry; null if there is none. @throws Error if it is invalid. */
function boxOfBlob(blob: unknown, unproject: Unproject): Extent | null {
  if (blob === null || blob === undefined) return null
  if (!(blob instanceof Uint8Array)) throw new Error('The geometry is not a blob.')
  return decodeShape(blob, unproject)?.box ?? null
}
