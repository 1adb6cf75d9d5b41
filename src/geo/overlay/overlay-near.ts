import type { Path64, Paths64 } from 'clipper2-ts'
import type { Extent, FlatPath } from '../../model/area.ts'
import { cutRingAtExtent, growExtent } from './cut-at-extent.ts'
import { verticesOf } from './overlay-steps.ts'

/** The rings that may touch others, and those beside the box of the others. */
export function ringsNear(others: Paths64, rings: Paths64): { near: Paths64; far: Paths64 } {
  const box = gridBoxOf(others)
  const near: Paths64 = []
  const far: Paths64 = []
  for (const ring of rings) {
    const own = box && gridBoxOf([ring])
    const isNear = own && own.left < box.right && own.right > box.left && own.bottom < box.top && own.top > box.bottom
    ;(isNear ? near : far).push(ring)
  }
  return { near, far }
}

/** Whether a cut of rings saves more than it takes. */
export function hasManyVertices(rings: Paths64): boolean {
  return verticesOf(rings) > manyVertices
}

const manyVertices = 500

/**
 * The part of rings in a box around a polygon; null if the box contains them. An outline of 10,000 vertices has few of
 * them near each feature.
 */
export function cutNearPolygon({ rings, at }: { rings: Paths64; at: Paths64 }): Paths64 | null {
  const [box, all] = [gridBoxOf(at), gridBoxOf(rings)]
  if (!box || !all) return null
  const margin = Math.ceil((box.right - box.left + box.top - box.bottom) / marginOfBox)
  const near = growExtent({ west: box.left, south: box.bottom, east: box.right, north: box.top }, margin)
  if (surroundsBox(near, all)) return null
  const cut = rings.map((ring) => {
    const coordinates: FlatPath = []
    for (const { x, y } of ring) coordinates.push(x, y)
    return cutRingAtExtent({ coordinates, begin: 0, end: ring.length }, near)
  })
  return cut.filter((ring) => ring.length > 0).map(gridRingOf)
}

function surroundsBox({ west, south, east, north }: Extent, box: GridBox): boolean {
  return west <= box.left && south <= box.bottom && east >= box.right && north >= box.top
}

/** Vertices are cut off this part of the size of a box away from it. */
const marginOfBox = 16

function gridRingOf(path: FlatPath): Path64 {
  const ring: Path64 = []
  for (let i = 0; i < path.length; i += 2) ring.push({ x: Math.round(path[i]!), y: Math.round(path[i + 1]!) })
  return ring
}

type GridBox = { left: number; right: number; bottom: number; top: number }

/** The box around rings; null if it has no area. */
export function gridBoxOf(rings: Paths64): GridBox | null {
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity }
  for (const ring of rings)
    for (const { x, y } of ring) {
      if (x < box.left) box.left = x
      if (x > box.right) box.right = x
      if (y < box.bottom) box.bottom = y
      if (y > box.top) box.top = y
    }
  return box.left < box.right && box.bottom < box.top ? box : null
}
