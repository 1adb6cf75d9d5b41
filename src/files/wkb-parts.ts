import { readGeometry } from '../geo/text/wkb.ts'
import type { GeometryPart } from '../geo/text/wkb-write.ts'

/** The parts of a GeoPackage geometry. @throws Error if it is invalid. */
export function partsOfBlob(blob: Uint8Array | null): GeometryPart[] {
  const parts: GeometryPart[] = []
  let path: number[] = []
  const beginPath = (): number[] => (path = [])
  readGeometry(blob, {
    polygon: () => parts.push({ kind: 'polygon', paths: [] }),
    ring: () => parts.at(-1)!.paths.push(beginPath()),
    line: (points) => parts.push({ kind: points === 1 ? 'point' : 'line', paths: [beginPath()] }),
    vertex: (x, y) => path.push(x, y),
  })
  return parts
}

/** The parts of plain ISO WKB. @throws Error if it is invalid. */
export function partsOfWkb(wkb: Uint8Array): GeometryPart[] {
  const blob = new Uint8Array(8 + wkb.length)
  blob.set([0x47, 0x50, 0, 1])
  blob.set(wkb, 8)
  return partsOfBlob(blob)
}
