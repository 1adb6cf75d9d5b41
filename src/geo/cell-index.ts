import { coordinateStep_degrees, coordinateSteps_perCell, type FlatGeometries } from './flat-geometries.ts'
import type { Extent } from '../model/area.ts'
import { polygonContains, type RingRows } from './polygon.ts'

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

/** The columns and rows of blocks, one for each square degree. */
export const blockColumns = 360
export const blockRows = 180
/** The shift from coordinate steps to cells, from cells to blocks, and the number of cells of a block in a row. */
export const cellShift = Math.log2(coordinateSteps_perCell)
const blockShift = 5
export const blockWidth = 1 << blockShift
export const cellsPerBlock = blockWidth ** 2
const maxCellY = (blockRows / 2) * blockWidth - 1

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
    const block = blocks[cellBlockOf(cx, cy)]!
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

/** The column or the row of the cell with a longitude or a latitude. */
function cellOf(degrees: number): number {
  return Math.floor(degrees / coordinateStep_degrees) >> cellShift
}

/** The number of the block of a cell. */
export function cellBlockOf(cx: number, cy: number): number {
  return ((cy >> blockShift) + blockRows / 2) * blockColumns + (cx >> blockShift) + blockColumns / 2
}

/** The number of a cell in its block. */
export function cellInBlock(cx: number, cy: number): number {
  return (cy & (blockWidth - 1)) * blockWidth + (cx & (blockWidth - 1))
}
