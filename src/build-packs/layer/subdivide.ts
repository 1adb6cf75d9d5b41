import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import { buildPolygons } from '../polygons/build-polygons.ts'
import { splitRings, closedRingOf, type ClosedRing } from '../polygons/split-rings.ts'

const maxVertices = 128
const maxHalvings = 48

/**
 * Cuts polygons with many vertices into pieces of at most 128. Halves the bounds along the longer side, then each half
 * again. Features with few vertices, or with parts other than polygons, stay in one piece.
 */
export function subdivide(parts: GeometryPart[]): GeometryPart[][] {
  if (parts.some(({ kind }) => kind !== 'polygon') || countVertices(parts.map(({ paths }) => paths)) <= maxVertices)
    return [parts]
  const pieces: GeometryPart[][] = []
  divide(
    parts.map(({ paths }) => paths.map(closedRingOf)),
    maxHalvings,
    (piece) => pieces.push(piece),
  )
  return pieces
}

function countVertices(polygons: readonly number[][][]): number {
  let sum = 0
  for (const paths of polygons) for (const path of paths) sum += path.length / 2
  return sum
}

function divide(polygons: ClosedRing[][], halvings: number, addPiece: (piece: GeometryPart[]) => void): void {
  if (polygons.length === 0) return
  const { low, high } = boxOf(polygons.flat())
  const axis = high[0] - low[0] >= high[1] - low[1] ? 0 : 1
  const cut = (low[axis] + high[axis]) / 2
  const isLast = halvings === 0 || !(low[axis] < cut && cut < high[axis])
  if (isLast || countVertices(polygons.map((rings) => rings.map(({ path }) => path))) <= maxVertices) {
    const piece = polygons.flatMap(buildParts)
    if (piece.length === 0) return
    // Closing rings where they meet adds a few vertices.
    if (isLast || countVertices(piece.map(({ paths }) => paths)) <= maxVertices) return addPiece(piece)
  }
  const halves = polygons.map((rings) => splitRings(rings, axis, cut))
  for (const side of [0, 1] as const)
    divide(
      halves.map((half) => half[side]).filter((rings) => rings.length > 0),
      halvings - 1,
      addPiece,
    )
}

function buildParts(rings: ClosedRing[]): GeometryPart[] {
  return buildPolygons(rings.map(({ path }) => path)) ?? groupOverlapping(rings)
}

/**
 * Groups rings that cross. Rings whose boxes do not touch are independent polygons. The others form one polygon by the
 * even-odd rule.
 */
function groupOverlapping(rings: ClosedRing[]): GeometryPart[] {
  let groups: ClosedRing[][] = []
  for (const ring of rings) {
    const touching = groups.filter((group) => group.some((other) => boxesTouch(ring, other)))
    groups = [...groups.filter((group) => !touching.includes(group)), [...touching.flat(), ring]]
  }
  return groups.map((group) => ({
    kind: 'polygon',
    paths: group.toSorted((a, b) => boxArea(b) - boxArea(a)).map(({ path }) => path),
  }))
}

function boxesTouch(a: ClosedRing, b: ClosedRing): boolean {
  return a.low[0] <= b.high[0] && b.low[0] <= a.high[0] && a.low[1] <= b.high[1] && b.low[1] <= a.high[1]
}

/** Orders rings: an enclosing ring has the largest box. */
function boxArea({ low, high }: ClosedRing): number {
  return (high[0] - low[0]) * (high[1] - low[1])
}

function boxOf(rings: readonly ClosedRing[]): Pick<ClosedRing, 'low' | 'high'> {
  const box: Pick<ClosedRing, 'low' | 'high'> = { low: [Infinity, Infinity], high: [-Infinity, -Infinity] }
  for (const { low, high } of rings) {
    for (const axis of [0, 1] as const) {
      if (low[axis] < box.low[axis]) box.low[axis] = low[axis]
      if (high[axis] > box.high[axis]) box.high[axis] = high[axis]
    }
  }
  return box
}
