import Flatbush from 'flatbush'
import { addToExtent, emptyExtent } from '../../src/geo/boxes.ts'
import {
  cellBlockOf,
  blockWidth,
  cellInBlock,
  cellsPerBlock,
  cellShift,
  blockColumns,
  blockRows,
  type CellArrays,
} from '../../src/geo/cell-index.ts'
import { coordinateSteps_perCell, type FlatGeometries } from '../../src/geo/flat-geometries.ts'
import { polygonContains, type RingRows } from '../../src/geo/polygon.ts'

/** A border marks the cells within this many steps, so that rounding cannot hide an edge from a cell. */
const margin_steps = 2
const maxCodes = 2 ** 16

/** Builds the cells of polygons. */
export function buildCells(shapes: FlatGeometries, ringRows: RingRows): CellArrays {
  const bordersOfBlock = findBorders(shapes)
  const polygonsAt = createPolygonSearch(shapes, ringRows)
  const codes = createCodes()
  const blocks = new Int32Array(blockColumns * blockRows)
  const cells = new Uint16Array(bordersOfBlock.size * cellsPerBlock)
  let count = 0
  const codeAt = (x: number, y: number, borders: readonly number[]) =>
    codes.codeOf(
      polygonsAt(x, y).flatMap((polygon) => (borders.includes(polygon) ? [] : [shapes.polygonFeatures[polygon]!])),
      borders,
    )
  for (let block = 0; block < blocks.length; block++) {
    const [west, south] = [(block % blockColumns) - blockColumns / 2, Math.floor(block / blockColumns) - blockRows / 2]
    const borders = bordersOfBlock.get(block)
    if (borders) {
      const begin = count * cellsPerBlock
      for (let cell = 0; cell < cellsPerBlock; cell++) {
        const [x, y] = [cellCenter(west, cell % blockWidth), cellCenter(south, Math.floor(cell / blockWidth))]
        // Two cells without a border that have a side in common are in the same features.
        const hasTwin = cell % blockWidth > 0 && !borders.has(cell) && !borders.has(cell - 1)
        cells[begin + cell] = hasTwin ? cells[begin + cell - 1]! : codeAt(x, y, borders.get(cell) ?? [])
      }
      blocks[block] = ~count++
    } else {
      const before = block % blockColumns > 0 ? blocks[block - 1]! : -1
      blocks[block] = before >= 0 ? before : codeAt(cellCenter(west, 16), cellCenter(south, 16), [])
    }
  }
  return { blocks, cells, ...codes.arrays() }
}

/** The center of cell `i` of the block that begins at this degree, in steps. */
function cellCenter(degree: number, i: number): number {
  return (degree * blockWidth + i + 0.5) * coordinateSteps_perCell
}

/** Creates a search for the polygons that contain a point. */
function createPolygonSearch(
  { coordinates, starts, polygonRings, polygonFeatures }: FlatGeometries,
  ringRows: RingRows,
) {
  if (polygonFeatures.length === 0) return () => []
  const boxes = new Flatbush(polygonFeatures.length, 16, Int32Array)
  for (let polygon = 0; polygon < polygonFeatures.length; polygon++) {
    const end = starts[polygonRings[polygon + 1]!]!
    const extent = emptyExtent()
    for (let i = 2 * starts[polygonRings[polygon]!]!; i < 2 * end; i += 2)
      addToExtent(extent, coordinates[i]!, coordinates[i + 1]!)
    boxes.add(extent.west, extent.south, extent.east, extent.north)
  }
  boxes.finish()
  return (x: number, y: number) =>
    boxes.search(x, y, x, y, (polygon) => polygonContains(coordinates, ringRows, polygon, x, y))
}

/** Numbers each distinct pair of features and polygons. */
function createCodes() {
  const codes = new Map<string, number>()
  const lists = {
    features: { starts: [0], members: [] as number[] },
    polygons: { starts: [0], members: [] as number[] },
  }
  return {
    codeOf(features: readonly number[], polygons: readonly number[]): number {
      const sorted = [...new Set(features)].toSorted((a, b) => a - b)
      const key = `${sorted.join()};${polygons.join()}`
      const known = codes.get(key)
      if (known !== undefined) return known
      if (codes.size === maxCodes) throw new Error(`The polygons form more than ${maxCodes} different cells.`)
      codes.set(key, codes.size)
      for (const [list, members] of [
        [lists.features, sorted],
        [lists.polygons, polygons],
      ] as const)
        list.starts.push(list.members.push(...members))
      return codes.size - 1
    },
    arrays: () => ({
      featureStarts: Uint32Array.from(lists.features.starts),
      features: Uint32Array.from(lists.features.members),
      polygonStarts: Uint32Array.from(lists.polygons.starts),
      polygons: Uint32Array.from(lists.polygons.members),
    }),
  }
}

/** The polygons whose border may touch a cell, by block and cell. */
function findBorders(shapes: FlatGeometries): Map<number, Map<number, number[]>> {
  const { coordinates, starts, polygonRings, polygonFeatures } = shapes
  const bordersOfBlock = new Map<number, Map<number, number[]>>()
  for (let polygon = 0; polygon < polygonFeatures.length; polygon++) {
    for (let ring = polygonRings[polygon]!; ring < polygonRings[polygon + 1]!; ring++) {
      for (let i = 2 * starts[ring]! + 2; i < 2 * starts[ring + 1]!; i += 2)
        visitEdgeCells(coordinates.subarray(i - 2, i + 2), (cx, cy) => addBorder(cx, cy, polygon))
    }
  }
  return bordersOfBlock

  function addBorder(cx: number, cy: number, polygon: number): void {
    const isInGrid =
      Math.abs(cx + 0.5) < (blockColumns / 2) * blockWidth && Math.abs(cy + 0.5) < (blockRows / 2) * blockWidth
    if (!isInGrid) return
    const borders = bordersOfBlock.getOrInsertComputed(cellBlockOf(cx, cy), () => new Map<number, number[]>())
    const polygons = borders.getOrInsertComputed(cellInBlock(cx, cy), () => [])
    if (polygons.at(-1) !== polygon) polygons.push(polygon)
  }
}

/** Visits the cells within the margin of an edge (x, y, x, y). */
function visitEdgeCells(edge: Int32Array, visit: (cx: number, cy: number) => void): void {
  const [x1, y1, x2, y2] = edge as unknown as [number, number, number, number]
  const [lowX, lowY, highX, highY] = y1 < y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1]
  const xAt = (y: number) => lowX + ((highX - lowX) * (y - lowY)) / (highY - lowY)
  for (let cy = (lowY - margin_steps) >> cellShift; cy <= (highY + margin_steps) >> cellShift; cy++) {
    // The part of the edge in this row of cells. A horizontal edge is in it from end to end.
    const from = highY === lowY ? lowX : xAt(Math.max(lowY, (cy << cellShift) - margin_steps))
    const to = highY === lowY ? highX : xAt(Math.min(highY, ((cy + 1) << cellShift) + margin_steps))
    const last = Math.floor(Math.max(from, to) + margin_steps) >> cellShift
    for (let cx = Math.floor(Math.min(from, to) - margin_steps) >> cellShift; cx <= last; cx++) visit(cx, cy)
  }
}
