import type { Part } from '../../geo/wkb-write.ts'
import type { ToDegrees } from './crs.ts'

/** The parts in degrees, rings closed; `null`, where one is broken: a ring of less than three places, a coordinate that is none or not of the earth. */
export function placed(parts: Part[], toDegrees: ToDegrees): Part[] | null {
  for (const { kind, paths } of parts) {
    for (const path of paths) {
      if (!toEarth(path, toDegrees)) return null
      if (kind === 'polygon' && !closed(path)) return null
      if (kind === 'line' && path.length < 4) return null
    }
  }
  return parts
}

function toEarth(path: number[], toDegrees: ToDegrees): boolean {
  for (let i = 0; i < path.length; i += 2) {
    if (toDegrees) {
      const { lat, lng } = toDegrees(path[i]!, path[i + 1]!)
      // What a projection cuts at the antimeridian goes on beyond it.
      path[i] = i === 0 ? lng : lng + 360 * Math.round((path[i - 2]! - lng) / 360)
      path[i + 1] = lat
    }
    if (!(Math.abs(path[i]!) <= 540 && Math.abs(path[i + 1]!) <= 90.001)) return false
  }
  return path.length > 0
}

function closed(ring: number[]): boolean {
  if (ring.length < 6) return false
  const isClosed = ring[0] === ring.at(-2) && ring[1] === ring.at(-1)
  if (!isClosed) ring.push(ring[0]!, ring[1]!)
  return ring.length >= 8
}
