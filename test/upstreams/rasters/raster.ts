import type { Point } from '../../../src/model/place.ts'
import { regionAt } from '../documents/place-at.ts'

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

/** The value of a point as the service has it. */
export function valueAt(raster: SimulatedRaster, at: Point, year: number): number | null {
  const region = regionAt(at)
  return region && raster.covers.includes(region) ? raster.value(at, year) : null
}
