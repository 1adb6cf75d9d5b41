import { extentOf } from '../overlay/cut-at-extent.ts'
import type { Extent } from '../../model/area.ts'

/** A point, line or polygon. Paths are x, y, x, y, …; the first path of a polygon is its outer ring. */
export type GeometryPart = { kind: 'point' | 'line' | 'polygon'; paths: number[][] }

/** A GeoPackage geometry with its bounding box and its GeoPackage type name. */
export type StoredGeometry = Extent & { blob: Uint8Array; type: string }

/**
 * Writes a GeoPackage geometry in EPSG:4326 with its envelope (OGC 12-128r19, clause 2.1.3). Lines and polygons are
 * always written as multi-geometries, so that a layer has one type. Requires at least one part. /
 */
export function writeGeometry(parts: readonly GeometryPart[]): StoredGeometry {
  const box = extentOf(parts.flatMap(({ paths }) => paths))
  const kinds = new Set(parts.map(({ kind }) => kind))
  const [kind] = kinds
  const isSinglePoint = kinds.size === 1 && kind === 'point' && parts.length === 1
  const blob = new Uint8Array(
    header_bytes + (isSinglePoint ? 0 : 9) + parts.reduce((sum, part) => sum + byteLengthOf(part), 0),
  )
  const view = new DataView(blob.buffer)
  blob.set([0x47, 0x50, 0, littleEndianWithEnvelope])
  view.setInt32(4, 4326, true)
  for (const [i, bound] of [box.west, box.east, box.south, box.north].entries()) view.setFloat64(8 + 8 * i, bound, true)
  let at = header_bytes
  if (!isSinglePoint) {
    at = writeHeader(view, at, kinds.size > 1 ? 7 : codes[kind!] + 3)
    view.setUint32(at, parts.length, true)
    at += 4
  }
  for (const part of parts) at = writePart(view, at, part)
  return {
    blob,
    ...box,
    type: isSinglePoint ? 'POINT' : kinds.size > 1 ? 'GEOMETRYCOLLECTION' : `MULTI${names[kind!]}`,
  }
}

const header_bytes = 40
const littleEndianWithEnvelope = 0b11
const codes = { point: 1, line: 2, polygon: 3 }
const names = { point: 'POINT', line: 'LINESTRING', polygon: 'POLYGON' }

function byteLengthOf({ kind, paths }: GeometryPart): number {
  if (kind === 'point') return 21
  return paths.reduce((sum, path) => sum + 8 * path.length + (kind === 'polygon' ? 4 : 0), 9)
}

function writePart(view: DataView, from: number, { kind, paths }: GeometryPart): number {
  let at = writeHeader(view, from, codes[kind])
  if (kind === 'polygon') {
    view.setUint32(at, paths.length, true)
    at += 4
  }
  for (const path of paths) {
    if (kind !== 'point') {
      view.setUint32(at, path.length / 2, true)
      at += 4
    }
    for (let i = 0; i < path.length; i++, at += 8) view.setFloat64(at, path[i]!, true)
  }
  return at
}

function writeHeader(view: DataView, at: number, code: number): number {
  view.setUint8(at, 1)
  view.setUint32(at + 1, code, true)
  return at + 5
}
