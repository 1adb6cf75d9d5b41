/** How the vertices of a ring or line lie one after the other: so many bytes each, x first. */
export type Run = { view: DataView; from: number; count: number; size: number; little: boolean }

/**
 * Where a reader puts what it meets: each polygon is `polygon()` and then its rings; lines and points are `line()`. None of them is empty.
 * Who can take all vertices of a ring or line at once has `run` for it, and `vertex` is not called.
 */
export type Sink = { polygon(): void; ring(points: number): void; line(points: number): void } & ({ vertex(x: number, y: number): void } | { run(vertices: Run): void })

const headerBytes = 8
const envelopeBytes = [0, 32, 48, 48, 64]

/** Reads a GeoPackage geometry (OGC 12-128r19, clause 2.1.3: a header, then ISO WKB, of which Z and M are passed over). One that is missing is empty. */
export function readGeometry(blob: Uint8Array | null, sink: Sink): void {
  if (blob === null) return
  if (blob[0] !== 0x47 || blob[1] !== 0x50) throw new Error('A geometry does not begin with GP: it is no GeoPackage geometry.')
  const flags = blob[3]!
  if (flags & 0x10) return
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  readWkb(view, headerBytes + envelopeBytes[(flags >> 1) & 7]!, sink)
}

function readWkb(view: DataView, at: number, sink: Sink): number {
  const little = view.getUint8(at) === 1
  const code = view.getUint32(at + 1, little)
  const extra = [0, 1, 1, 2][Math.floor(code / 1000)]
  if (extra === undefined) throw new Error(`WKB geometry type ${code} is not one of ISO WKB.`)
  const size = 16 + 8 * extra
  at += 5
  const vertices = (count: number, from: number) => {
    if ('run' in sink) {
      if (from + count * size > view.byteLength) throw new Error(`A geometry says that it has ${count} vertices more, and its bytes end before.`)
      sink.run({ view, from, count, size, little })
    } else for (let i = 0; i < count; i++) sink.vertex(view.getFloat64(from + i * size, little), view.getFloat64(from + i * size + 8, little))
    return from + count * size
  }
  switch (code % 1000) {
    case 1: {
      // A point is empty when it has no numbers.
      if (Number.isNaN(view.getFloat64(at, little))) return at + size
      sink.line(1)
      return vertices(1, at)
    }
    case 2: {
      const count = view.getUint32(at, little)
      if (count > 0) sink.line(count)
      return vertices(count, at + 4)
    }
    case 3: {
      let next = at + 4
      let isBegun = false
      for (let ring = view.getUint32(at, little); ring > 0; ring--) {
        const count = view.getUint32(next, little)
        if (count > 0 && !isBegun) sink.polygon()
        if (count > 0) sink.ring(count)
        isBegun ||= count > 0
        next = vertices(count, next + 4)
      }
      return next
    }
    case 4: case 5: case 6: case 7: {
      let next = at + 4
      for (let part = view.getUint32(at, little); part > 0; part--) next = readWkb(view, next, sink)
      return next
    }
    default: throw new Error(`WKB geometry type ${code} is not read: points, lines, polygons and collections of them are.`)
  }
}
