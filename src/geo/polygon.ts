import { coordinateSteps_perCell, type FlatGeometries } from './flat-geometries.ts'

/**
 * Whether the rings from `first` to `last` (exclusive) contain the point, by the even-odd rule.
 * Ring `r` has its vertices at `coordinates[2 * starts[r] …]` up to `starts[r + 1]`, as x, y.
 * The boundary rule is half-open: a point on a border of two polygons lies in exactly one of them.
 */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
export function ringsContain(
  coordinates: Float64Array | Int32Array,
  starts: Uint32Array,
  first: number,
  last: number,
  x: number,
  y: number,
): boolean {
  let inside = false
  for (let ring = first; ring < last; ring++) {
    const end = 2 * starts[ring + 1]!
    let i = 2 * starts[ring]!
    let x1 = coordinates[end - 2]!
    let y1 = coordinates[end - 1]!
    for (; i < end; i += 2) {
      const x2 = coordinates[i]!
      const y2 = coordinates[i + 1]!
      if (crossesRay(x1, y1, x2, y2, x, y)) inside = !inside
      x1 = x2
      y1 = y2
    }
  }
  return inside
}

/** Whether an edge crosses the ray from the point to the east. */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
export function crossesRay(x1: number, y1: number, x2: number, y2: number, x: number, y: number): boolean {
  if (y1 > y === y2 > y) return false
  return x < (y1 < y2 ? edgeCrossingX(x1, y1, x2, y2, y) : edgeCrossingX(x2, y2, x1, y1, y))
}

/**
 * The x where an edge crosses `y`. Call it with the lower end first, so that both polygons of a shared border get the
 * same number.
 */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
export function edgeCrossingX(x1: number, y1: number, x2: number, y2: number, y: number): number {
  return ((x2 - x1) * (y - y1)) / (y2 - y1) + x1
}

/**
 * The edges of polygons by rows of 1/32 of a degree, so that a test of a ring reads only the edges near the latitude of
 * the point. The edges of polygon `p` in row `firstRows[p] + r` are `edges[rowStarts[rowIndex[p] + r]]` up to
 * `edges[rowStarts[rowIndex[p] + r + 1]]` (exclusive). An edge is the index of its first vertex.
 */
export type RingRows = { firstRows: Int32Array; rowIndex: Uint32Array; rowStarts: Uint32Array; edges: Uint32Array }

const rowShift = Math.log2(coordinateSteps_perCell)

/** Whether a polygon contains a point, in coordinate steps. Gives the same answer as `ringsContain`. */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
export function polygonContains(
  coordinates: Int32Array,
  { firstRows, rowIndex, rowStarts, edges }: RingRows,
  polygon: number,
  x: number,
  y: number,
): boolean {
  const row = rowIndex[polygon]! + (Math.floor(y) >> rowShift) - firstRows[polygon]!
  if (row < rowIndex[polygon]! || row >= rowIndex[polygon + 1]! - 1) return false
  let inside = false
  const end = rowStarts[row + 1]!
  for (let k = rowStarts[row]!; k < end; k++) {
    const i = 2 * edges[k]!
    if (crossesRay(coordinates[i]!, coordinates[i + 1]!, coordinates[i + 2]!, coordinates[i + 3]!, x, y))
      inside = !inside
  }
  return inside
}

/** Builds the rows. @throws Error if a ring does not end where it begins. */
export function buildRingRows(shapes: FlatGeometries): RingRows {
  const { polygonFeatures } = shapes
  const firstRows = new Int32Array(polygonFeatures.length)
  const rowIndex = new Uint32Array(polygonFeatures.length + 1)
  for (let polygon = 0; polygon < polygonFeatures.length; polygon++) {
    let first = Infinity
    let last = -Infinity
    visitEdgeRows(shapes, polygon, (_edge, low, high) => {
      first = Math.min(first, low)
      last = Math.max(last, high)
    })
    firstRows[polygon] = first
    rowIndex[polygon + 1] = rowIndex[polygon]! + Math.max(0, last - first + 1) + 1
  }
  return { firstRows, rowIndex, ...fillRows(shapes, firstRows, rowIndex) }
}

/** Sorts the edges into the rows by counting them first. */
function fillRows(shapes: FlatGeometries, firstRows: Int32Array, rowIndex: Uint32Array) {
  const rowStarts = new Uint32Array(rowIndex.at(-1)! + 1)
  const visitAll = (visit: (row: number, edge: number) => void) => {
    for (let polygon = 0; polygon < firstRows.length; polygon++) {
      const base = rowIndex[polygon]! - firstRows[polygon]!
      visitEdgeRows(shapes, polygon, (edge, low, high) => {
        for (let row = low; row <= high; row++) visit(base + row, edge)
      })
    }
  }
  visitAll((row) => rowStarts[row + 1]!++)
  for (let row = 1; row < rowStarts.length; row++) rowStarts[row]! += rowStarts[row - 1]!
  const edges = new Uint32Array(rowStarts.at(-1)!)
  const next = rowStarts.slice()
  visitAll((row, edge) => {
    edges[next[row]!++] = edge
  })
  return { rowStarts, edges }
}

/** Visits the edges of a polygon with their lowest and highest row. A horizontal edge crosses no latitude. */
function visitEdgeRows(
  { coordinates, starts, polygonRings }: FlatGeometries,
  polygon: number,
  visit: (edge: number, low: number, high: number) => void,
): void {
  for (let ring = polygonRings[polygon]!; ring < polygonRings[polygon + 1]!; ring++) {
    const begin = starts[ring]!
    const end = starts[ring + 1]! - 1
    if (coordinates[2 * begin] !== coordinates[2 * end] || coordinates[2 * begin + 1] !== coordinates[2 * end + 1])
      throw new Error(`Ring ${ring} does not end where it begins.`)
    for (let vertex = begin; vertex < end; vertex++) {
      const y1 = coordinates[2 * vertex + 1]!
      const y2 = coordinates[2 * vertex + 3]!
      if (y1 !== y2) visit(vertex, Math.min(y1, y2) >> rowShift, Math.max(y1, y2) >> rowShift)
    }
  }
}
