import type { Point } from '../../../src/model/place.ts'
import { regionAt } from '../documents/place-at.ts'
import type { SimulatedLayer } from '../layers/layer.ts'
import { degreesOf, mercatorOf } from './imageserver-geometry.ts'

/** A raster behind an ArcGIS ImageServer, made of a function: the value of a point in a year, `null` for no data. */
export type SimulatedRaster = {
  host: string
  /** Down to `/ImageServer`. */
  path: string
  pixelType: 'U8' | 'S16' | 'U16' | 'F32'
  covers: NonNullable<ReturnType<typeof regionAt>>[]
  catalog?: RasterCatalog
  value(at: Point, year: number): number | null
  /** The source models under a point, for who asks for catalogue items. */
  sources?(at: Point): Record<string, string | number | null>[]
  /** The items of a mosaic with their outlines, as its catalog has them. */
  footprints?: SimulatedLayer
}

/**
 * The items of a mosaic, one a year. `attributes` are the names as the host writes them; the year is in the last.
 * `idOf` gives the object id of a year.
 */
export type RasterCatalog = {
  attributes: [id: string, name: string, ...more: string[], year: string]
  first: number
  last: number
  idOf(year: number): number
  nameOf(year: number): string
}

/** The upper left corner of the grid of every service in Web Mercator, and the size of its cells. */
export const rasterGrid = { west: -20_037_000, north: 12_000_000, cell_m: 30 }

/** The value of the cell of a point, which is that of its middle. Cells of elevation models are small. */
export function valueAt(raster: SimulatedRaster, at: Point, year: number): number | null {
  const middle = raster.sources ? at : middleOfCell(at)
  const region = regionAt(middle)
  return region && raster.covers.includes(region) ? raster.value(middle, year) : null
}

/** The middle of the cell of a point. */
function middleOfCell(at: Point): Point {
  const { west, north, cell_m } = rasterGrid
  const [x, y] = mercatorOf(at)
  return degreesOf([
    west + (Math.floor((x - west) / cell_m) + 0.5) * cell_m,
    north - (Math.floor((north - y) / cell_m) + 0.5) * cell_m,
  ])
}
