import Flatbush from 'flatbush'
import { coordinateStep_degrees, coordinateSteps_perCell, type FlatGeometries } from './flat-geometries.ts'
import type { Extent } from '../model/area.ts'
import { polygonContains, type RingRows } from './polygon.ts'
import { emptyExtent, addToExtent } from './boxes.ts'

/**
 * Cells of 1/32 of a degree that say which features contain a point. `blocks` has a value for each square degree, from
 * the southwest, row by row: a code for all of its cells, or `~n` if its cells have the codes `cells[1024 n …]`. A code
 * `c` stands for the features `features[featureStarts[c]]` up to `features[featureStarts[c + 1]]` (exclusive), which
 * contain all points of the cell, and for the polygons `polygons[polygonStarts[c]]` up to
 * `polygons[polygonStarts[c + 1]]`, whose border runs through the cell, so that their rings must be tested.
 */
export type CellArrays = {
  blocks: Int32Array
  cells: Uint16Array
  featureStarts: Uint32Array
  features: Uint32Array
  polygonStarts: Uint32Array
  polygons: Uint32Array
}

const columns = 360
const rows = 180
/** The shift from coordinate steps to cells, from cells to blocks, and the number of cells of a block in a row. */
const cellShift = Math.log2(coordinateSteps_perCell)
const blockShift = 5
const blockWidth = 1 << blockShift
const cellsPerBlock = blockWidth ** 2
const maxCellY = (rows / 2) * blockWidth - 1
/** A border marks the cells within this many steps, so that rounding cannot hide an edge from a cell. */
const margin_steps = 2
const maxCodes = 2 ** 16

/** Finds the features whose polygons contain a point. */
export class CellIndex {
  readonly #coordinates: Int32Array
  readonly #polygonFeatures: Uint32Array
  readonly #ringRows: RingRows
  readonly #cells: CellArrays
  /** The features of the codes without polygons, read on first use. */
  readonly #featuresOfCode: (readonly number[] | undefined)[]

  constructor({ coordinates, polygonFeatures }: FlatGeometries, ringRows: RingRows, cells: CellArrays) {
    this.#coordinates = coordinates
    this.#polygonFeatures = polygonFeatures
    this.#ringRows = ringRows
    this.#cells = cells
    this.#featuresOfCode = Array.from({ length: cells.featureStarts.length })
  }

  /** The features that contain a point, in ascending order. */
  featuresContaining(lat: number, lng: number): readonly number[] {
    // Longitudes 180 and -180 are the same meridian.
    const x = (lng === 180 ? -180 : lng) / coordinateStep_degrees
    const y = lat / coordinateStep_degrees
    // The pole belongs to the northernmost cells.
    const code = this.#codeAt(Math.floor(x) >> cellShift, Math.min(Math.floor(y) >> cellShift, maxCellY))
    return this.#featuresOfCode[code] ?? this.#findFeatures(code, x, y)
  }

  /**
   * The features that contain all of a small extent, in ascending order. Null for an extent near the border of a polygon,
   * or one in more than two columns or rows of cells.
   */
  featuresAround({ west, south, east, north }: Extent): readonly number[] | null {
    const [cx1, cy1] = [cellOf(west), cellOf(south)]
    const [cx2, cy2] = [cellOf(east), cellOf(north)]
    const isInGrid = west >= -180 && east < 180 && south >= -90 && north < 90
    if (!isInGrid || cx2 - cx1 > 1 || cy2 - cy1 > 1) return null
    const code = this.#codeAt(cx1, cy1)
    const { polygonStarts } = this.#cells
    const isNearBorder = polygonStarts[code] !== polygonStarts[code + 1]
    const isOneCode =
      this.#codeAt(cx2, cy1) === code && this.#codeAt(cx1, cy2) === code && this.#codeAt(cx2, cy2) === code
    return isOneCode && !isNearBorder ? this.featuresContaining(south, west) : null
  }

  #codeAt(cx: number, cy: number): number {
    const { blocks, cells } = this.#cells
    const block = blocks[blockOf(cx, cy)]!
    return block >= 0 ? block : cells[~block * cellsPerBlock + cellInBlock(cx, cy)]!
  }

  #findFeatures(code: number, x: number, y: number): readonly number[] {
    const { featureStarts, features, polygonStarts, polygons } = this.#cells
    const found: number[] = []
    for (let i = featureStarts[code]!; i < featureStarts[code + 1]!; i++) found.push(features[i]!)
    const end = polygonStarts[code + 1]!
    if (polygonStarts[code] === end) return (this.#featuresOfCode[code] = found)
    for (let i = polygonStarts[code]!; i < end; i++) {
      const feature = this.#polygonFeatures[polygons[i]!]!
      if (polygonContains(this.#coordinates, this.#ringRows, polygons[i]!, x, y) && !found.includes(feature))
        found.push(feature)
    }
    return found.length > 1 ? found.sort((a, b) => a - b) : found
  }
}

/** Builds the cells of polygons. */
export function buildCells(shapes: FlatGeometries, ringRows: RingRows): CellArrays {
  const bordersOfBlock = findBorders(shapes)
  const polygonsAt = createPolygonSearch(shapes, ringRows)
  const codes = createCodes()
  const blocks = new Int32Array(columns * rows)
  const cells = new Uint16Array(bordersOfBlock.size * cellsPerBlock)
  let count = 0
  const codeAt = (x: number, y: number, borders: readonly number[]) =>
    codes.codeOf(
      polygonsAt(x, y).flatMap((polygon) => (borders.includes(polygon) ? [] : [shapes.polygonFeatures[polygon]!])),
      borders,
    )
  for (let block = 0; block < blocks.length; block++) {
    const [west, south] = [(block % columns) - columns / 2, Math.floor(block / columns) - rows / 2]
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
      const before = block % columns > 0 ? blocks[block - 1]! : -1
      blocks[block] = before >= 0 ? before : codeAt(cellCenter(west, 16), cellCenter(south, 16), [])
    }
  }
  return { blocks, cells, ...codes.arrays() }
}

/** The column or the row of the cell with a longitude or a latitude. */
function cellOf(degrees: number): number {
  return Math.floor(degrees / coordinateStep_degrees) >> cellShift
}

function blockOf(cx: number, cy: number): number {
  return ((cy >> blockShift) + rows / 2) * columns + (cx >> blockShift) + columns / 2
}

function cellInBlock(cx: number, cy: number): number {
  return (cy & (blockWidth - 1)) * blockWidth + (cx & (blockWidth - 1))
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
    const isInGrid = Math.abs(cx + 0.5) < (columns / 2) * blockWidth && Math.abs(cy + 0.5) < (rows / 2) * blockWidth
    if (!isInGrid) return
    const borders = bordersOfBlock.getOrInsertComputed(blockOf(cx, cy), () => new Map<number, number[]>())
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
