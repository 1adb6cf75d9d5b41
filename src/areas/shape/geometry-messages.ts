import type { DrawnOutline, DrawJob } from '../../geo/overlay/drawing.ts'
import type { GrowJob, MeasuredPolygon, MeasureJob } from '../../geo/overlay/geometry-jobs.ts'
import type { GridRings, OverlayJob } from '../../geo/overlay/overlay.ts'
import type { FlatPath } from '../../model/area.ts'
import type { Violation } from '../../model/error.ts'

/** What the overlay worker does, by kind. Rings are packed, because objects are slow to copy to another thread. */
export type GeometryMessages = {
  overlay: {
    job: { rings: PackedRings; at: PackedRings | null; fillRule: OverlayJob['fillRule'] }
    reply: { shared: PackedRings; rest: PackedRings }
  }
  measure: {
    job: MeasureJob
    reply: (Omit<MeasuredPolygon, 'rings'> & { rings: PackedRings }) | { violations: Violation[] }
  }
  grow: { job: GrowJob; reply: FlatPath[] }
  draw: { job: DrawJob; reply: DrawnOutline | null }
}

export type GeometryMessage = {
  [Kind in keyof GeometryMessages]: { kind: Kind; job: GeometryMessages[Kind]['job'] }
}[keyof GeometryMessages]

/** For each ring, the number of its vertices and their coordinates. */
type PackedRings = Float64Array<ArrayBuffer>

/** Packs rings. */
export function packRings(rings: GridRings): PackedRings {
  const packed = new Float64Array(rings.reduce((sum, ring) => sum + 1 + 2 * ring.length, 0))
  let at = 0
  for (const ring of rings) {
    packed[at++] = ring.length
    for (const { x, y } of ring) {
      packed[at++] = x
      packed[at++] = y
    }
  }
  return packed
}

/** Unpacks rings. */
export function unpackRings(packed: PackedRings): GridRings {
  const rings: GridRings = []
  for (let at = 0; at < packed.length;) {
    const ring: GridRings[number] = []
    const end = at + 1 + 2 * packed[at]!
    for (at++; at < end; at += 2) ring.push({ x: packed[at]!, y: packed[at + 1]! })
    rings.push(ring)
  }
  return rings
}
