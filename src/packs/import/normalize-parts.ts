import type { GeometryPart } from '../../geo/wkb-write.ts'
import type { ToDegrees } from './crs.ts'

/** The parts in degrees, rings closed; `invalid`: a ring of less than three places, or a coordinate that is no number; or the first place, as the file has it, that is none of the earth. */
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

/** A place that does not lie on the earth. */
export type OutOfRangePosition = { x: number; y: number }

/** The first place that cannot be brought to the earth. */
function projectPath(path: number[], toDegrees: ToDegrees): OutOfRangePosition | null {
  for (let i = 0; i < path.length; i += 2) {
    const [x, y] = [path[i]!, path[i + 1]!]
    if (toDegrees) {
      const { lat, lng } = toDegrees(x, y)
      // What a projection cuts at the antimeridian goes on beyond it.
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
