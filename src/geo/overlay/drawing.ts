import type { FlatPath } from '../../model/area.ts'
import type { Geometry, Position } from '../../model/source.ts'
import { metersPerDegree } from '../ecef.ts'
import { geoJsonOf, roundCoordinates, type GeoJsonGeometry } from '../text/geojson.ts'
import { simplifyForDrawing } from './simplify.ts'

/** A GeoJSON geometry for a map. Its outline differs from the original by at most `simplified_m` meters. */
export type DrawnOutline = { geometry: GeoJsonGeometry; simplified_m: number }

/** A geometry to draw with about so many positions. Its rings may be open. */
export type DrawJob = { geometry: FlatGeometry; positionsMax: number }

/** A geometry whose paths are lists of longitude and latitude in turn, which are quick to copy to another thread. */
type FlatGeometry = { points: FlatPath; lines: readonly FlatPath[]; polygons: readonly FlatPath[][] }

/** Returns a geometry with flat paths. */
export function flatGeometryOf({ points, lines, polygons }: Geometry): FlatGeometry {
  return {
    points: points.flat(),
    lines: lines.map((line) => line.flat()),
    polygons: polygons.map((rings) => rings.map((ring) => ring.flat())),
  }
}

/** Simplifies a geometry for a map. Returns null if nothing is left of it. */
export function draw({ geometry: { points, lines, polygons }, positionsMax }: DrawJob): DrawnOutline | null {
  const exact: Geometry = {
    points: positionsOfPath(points),
    lines: lines.map(positionsOfPath),
    polygons: polygons.map((rings) => rings.map(closedRingOf)),
  }
  const { geometry, tolerance_degrees } = simplifyForDrawing(exact, positionsMax)
  const drawn = geoJsonOf(geometry)
  return (
    drawn && {
      geometry: roundCoordinates(drawn),
      simplified_m: Math.ceil(tolerance_degrees * metersPerDegree * 10) / 10,
    }
  )
}

/** Whether a geometry is drawn in a few milliseconds, whatever its shape. */
export function isQuickToDraw({ geometry: { points, lines, polygons } }: DrawJob): boolean {
  const numbers = [...lines, ...polygons.flat()].reduce((sum, path) => sum + path.length, points.length)
  return numbers <= 2 * quickPositions
}

const quickPositions = 1_000

function closedRingOf(ring: FlatPath): Position[] {
  const positions = positionsOfPath(ring)
  const isClosed = ring[0] === ring[ring.length - 2] && ring[1] === ring[ring.length - 1]
  return isClosed ? positions : [...positions, positions[0]!]
}

/** Returns the positions of a path. */
export function positionsOfPath(path: FlatPath): Position[] {
  return Array.from({ length: path.length / 2 }, (_, i): Position => [path[2 * i]!, path[2 * i + 1]!])
}
