import type { GeometryPart } from '../geo/text/wkb-write.ts'
import type { ToDegrees } from './crs.ts'

/**
 * Converts parts to degrees and closes rings, in place. Returns `invalid` if a ring has fewer than three vertices or a
 * coordinate is not a number, or the first position (in the file's coordinates) that is not on the earth.
 */
export function normalizeParts(
  parts: GeometryPart[],
  toDegrees: ToDegrees,
): GeometryPart[] | 'invalid' | OutOfRangePosition {
  for (const { kind, paths } of parts) {
    for (const path of paths) {
      const outOfRange = projectPath(path, toDegrees)
      if (outOfRange) return Number.isFinite(outOfRange.x + outOfRange.y) ? outOfRange : 'invalid'
      if (path.length === 0 || (kind === 'line' && path.length < 4)) return 'invalid'
      if (kind === 'polygon' && !closeRing(path)) return 'invalid'
    }
  }
  return parts
}

/** A position that is not on the earth, in the file's coordinates. */
export type OutOfRangePosition = { x: number; y: number }

/** Converts a path in place. Returns the first position that is not on the earth, or null. */
function projectPath(path: number[], toDegrees: ToDegrees): OutOfRangePosition | null {
  for (let i = 0; i < path.length; i += 2) {
    const [x, y] = [path[i]!, path[i + 1]!]
    if (toDegrees) {
      const { lat, lng } = toDegrees(x, y)
      // Unwrap longitudes that the projection cut at the antimeridian.
      path[i] = i === 0 ? lng : lng + 360 * Math.round((path[i - 2]! - lng) / 360)
      path[i + 1] = lat
    }
    if (!(Math.abs(path[i]!) <= 540 && Math.abs(path[i + 1]!) <= 90.001)) return { x, y }
  }
  return null
}

function closeRing(ring: number[]): boolean {
  if (ring.length < 6) return false
  const isClosed = ring[0] === ring.at(-2) && ring[1] === ring.at(-1)
  if (!isClosed) ring.push(ring[0]!, ring[1]!)
  return ring.length >= 8
}
