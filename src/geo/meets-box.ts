import type { Geometry, Position } from '../model/source.ts'
import type { Extent } from '../model/area.ts'
import { ringsContain } from './polygon.ts'
import { boundsOfGeometry } from './overlay/simplify.ts'

/** Longitudes repeat after a turn, and geometries may extend beyond 180 degrees. */
const turns_degrees = [0, -360, 360]

/** Whether a geometry and a box have a point in common. The box may extend beyond 180 degrees. */
export function geometryMeetsBox(geometry: Geometry, box: Extent): boolean {
  const bounds = boundsOfGeometry(geometry)
  return turns_degrees.some((turn) => {
    const shifted = { ...box, west: box.west + turn, east: box.east + turn }
    if (bounds.west > shifted.east || bounds.east < shifted.west) return false
    if (bounds.south > shifted.north || bounds.north < shifted.south) return false
    const isInside = isIn([bounds.west, bounds.south], shifted) && isIn([bounds.east, bounds.north], shifted)
    return isInside || partsMeetBox(geometry, shifted)
  })
}

function partsMeetBox({ points, lines, polygons }: Geometry, box: Extent): boolean {
  return (
    points.some((point) => isIn(point, box)) ||
    [...lines, ...polygons.flat()].some((path) => pathMeetsBox(path, box)) ||
    polygons.some((rings) => polygonContains(rings, box.west, box.south))
  )
}

function isIn([x, y]: Position, { west, east, south, north }: Extent): boolean {
  return x >= west && x <= east && y >= south && y <= north
}

function pathMeetsBox(path: readonly Position[], box: Extent): boolean {
  return path.some((to, i) => segmentMeetsBox(path[Math.max(0, i - 1)]!, to, box))
}

/** Whether a part of the segment is in the box (Liang and Barsky). */
function segmentMeetsBox([x, y]: Position, [toX, toY]: Position, { west, east, south, north }: Extent): boolean {
  let [from, to] = [0, 1]
  for (const [delta, low, high] of [
    [toX - x, west - x, east - x],
    [toY - y, south - y, north - y],
  ] as const) {
    if (delta === 0) {
      if (low > 0 || high < 0) return false
      continue
    }
    from = Math.max(from, Math.min(low / delta, high / delta))
    to = Math.min(to, Math.max(low / delta, high / delta))
  }
  return from <= to
}

function polygonContains(rings: readonly (readonly Position[])[], x: number, y: number): boolean {
  const starts = new Uint32Array(rings.length + 1)
  for (const [i, ring] of rings.entries()) starts[i + 1] = starts[i]! + ring.length
  return ringsContain(Float64Array.from(rings.flat(2)), starts, 0, rings.length, x, y)
}
