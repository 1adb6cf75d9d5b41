/** Consecutive vertices of a ring or line, `stride_bytes` apart, x first. */
export type VertexBlock = { view: DataView; offset: number; count: number; stride_bytes: number; littleEndian: boolean }

/**
 * Receives the parts of a geometry. A polygon is `polygon()` followed by its rings; lines and points are `line()`.
 * Empty parts are skipped. Vertices follow either one by one in `vertex`, or all vertices of a ring or line in
 * `vertexBlock`. /
 */
export type GeometryVisitor = { polygon(): void; ring(points: number): void; line(points: number): void } & (
  { vertex(x: number, y: number): void } | { vertexBlock(block: VertexBlock): void }
)

const headerBytes = 8
const envelopeBytes = [0, 32, 48, 48, 64]

/**
 * Reads a GeoPackage geometry (OGC 12-128r19, clause 2.1.3: a header, then ISO WKB). Ignores Z and M. null is empty.
 */
export function readGeometry(blob: Uint8Array | null, visitor: GeometryVisitor): void {
  if (blob === null) return
  if (blob[0] !== 0x47 || blob[1] !== 0x50) throw new Error('Invalid GeoPackage geometry: it does not start with GP.')
  const flags = blob[3]!
  if (flags & 0x10) return
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  readWkb(view, headerBytes + envelopeBytes[(flags >> 1) & 7]!, visitor)
}

function readWkb(view: DataView, at: number, visitor: GeometryVisitor): number {
  const littleEndian = view.getUint8(at) === 1
  const code = view.getUint32(at + 1, littleEndian)
  const extraOrdinates = [0, 1, 1, 2][Math.floor(code / 1000)]
  if (extraOrdinates === undefined) throw new Error(`Invalid WKB geometry type ${code}.`)
  const stride_bytes = 16 + 8 * extraOrdinates
  at += 5
  const visitVertices = (count: number, offset: number) => {
    if ('vertexBlock' in visitor) {
      if (offset + count * stride_bytes > view.byteLength)
        throw new Error(
          `A geometry is truncated: it declares ${count} further vertices, but has too few bytes for them.`,
        )
      visitor.vertexBlock({ view, offset, count, stride_bytes, littleEndian })
    } else
      for (let i = 0; i < count; i++)
        visitor.vertex(
          view.getFloat64(offset + i * stride_bytes, littleEndian),
          view.getFloat64(offset + i * stride_bytes + 8, littleEndian),
        )
    return offset + count * stride_bytes
  }
  switch (code % 1000) {
    case 1: {
      // An empty point has NaN coordinates.
      if (Number.isNaN(view.getFloat64(at, littleEndian))) return at + stride_bytes
      visitor.line(1)
      return visitVertices(1, at)
    }
    case 2: {
      const count = view.getUint32(at, littleEndian)
      if (count > 0) visitor.line(count)
      return visitVertices(count, at + 4)
    }
    case 3: {
      let next = at + 4
      let hasStarted = false
      for (let ring = view.getUint32(at, littleEndian); ring > 0; ring--) {
        const count = view.getUint32(next, littleEndian)
        if (count > 0 && !hasStarted) visitor.polygon()
        if (count > 0) visitor.ring(count)
        hasStarted ||= count > 0
        next = visitVertices(count, next + 4)
      }
      return next
    }
    case 4:
    case 5:
    case 6:
    case 7: {
      let next = at + 4
      for (let part = view.getUint32(at, littleEndian); part > 0; part--) next = readWkb(view, next, visitor)
      return next
    }
    default:
      throw new Error(
        `Unsupported WKB geometry type ${code}. Supported are points, lines, polygons and collections of them.`,
      )
  }
}
