import type { GeometryPart } from '../../geo/wkb-write.ts'
import { facesOf } from './faces.ts'
import { halvesOf, ringOf, type Ring } from './halves.ts'

const mostVertices = 128
const mostHalvings = 48

/**
 * Polygons with many vertices in pieces of few: the box round them is halved along its longer side, and each half again, until a piece has no more
 * than 128. What has few, or is not only polygons, stays in one piece.
 */
export function piecesOf(parts: GeometryPart[]): GeometryPart[][] {
  if (parts.some(({ kind }) => kind !== 'polygon') || verticesOf(parts.map(({ paths }) => paths)) <= mostVertices) return [parts]
  const pieces: GeometryPart[][] = []
  divide(parts.map(({ paths }) => paths.map(ringOf)), mostHalvings, (piece) => pieces.push(piece))
  return pieces
}

function verticesOf(polygons: readonly number[][][]): number {
  let sum = 0
  for (const paths of polygons) for (const path of paths) sum += path.length / 2
  return sum
}

function divide(polygons: Ring[][], halvings: number, put: (piece: GeometryPart[]) => void): void {
  if (polygons.length === 0) return
  const { low, high } = boxOf(polygons.flat())
  const axis = high[0] - low[0] >= high[1] - low[1] ? 0 : 1
  const cut = (low[axis] + high[axis]) / 2
  const isLast = halvings === 0 || !(low[axis] < cut && cut < high[axis])
  if (isLast || verticesOf(polygons.map((rings) => rings.map(({ path }) => path))) <= mostVertices) {
    const piece = polygons.flatMap(partsOf)
    if (piece.length === 0) return
    // Rings that are closed where they meet have a few more than before.
    if (isLast || verticesOf(piece.map(({ paths }) => paths)) <= mostVertices) return put(piece)
  }
  const halves = polygons.map((rings) => halvesOf(rings, axis, cut))
  for (const side of [0, 1] as const) divide(halves.map((half) => half[side]).filter((rings) => rings.length > 0), halvings - 1, put)
}

function partsOf(rings: Ring[]): GeometryPart[] {
  return facesOf(rings.map(({ path }) => path)) ?? together(rings)
}

/** Of rings that cross: those whose boxes do not touch have nothing to do with each other, and are polygons of their own; the others hold together what an odd number of them holds. */
function together(rings: Ring[]): GeometryPart[] {
  let groups: Ring[][] = []
  for (const ring of rings) {
    const near = groups.filter((group) => group.some((other) => touch(ring, other)))
    groups = [...groups.filter((group) => !near.includes(group)), [...near.flat(), ring]]
  }
  return groups.map((group) => ({ kind: 'polygon', paths: group.toSorted((a, b) => extentOf(b) - extentOf(a)).map(({ path }) => path) }))
}

function touch(a: Ring, b: Ring): boolean {
  return a.low[0] <= b.high[0] && b.low[0] <= a.high[0] && a.low[1] <= b.high[1] && b.low[1] <= a.high[1]
}

/** What lies round others has the greatest box. */
function extentOf({ low, high }: Ring): number {
  return (high[0] - low[0]) * (high[1] - low[1])
}

function boxOf(rings: readonly Ring[]): Pick<Ring, 'low' | 'high'> {
  const box: Pick<Ring, 'low' | 'high'> = { low: [Infinity, Infinity], high: [-Infinity, -Infinity] }
  for (const { low, high } of rings) {
    for (const axis of [0, 1] as const) {
      if (low[axis] < box.low[axis]) box.low[axis] = low[axis]
      if (high[axis] > box.high[axis]) box.high[axis] = high[axis]
    }
  }
  return box
}
