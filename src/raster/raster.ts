/**
 * Reads windows of GeoTIFF files, local or by HTTP ranges: directories, tiles, codecs, masks and coordinates. Tiles
 * are decoded in workers.
 */
import type { CellSource, Extent } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import type { Budget, Grid } from '../model/source.ts'

/**
 * Reads ranges of a local or remote file. Returns fewer bytes only at the end of the file. `id` identifies this version
 * of the file and is the cache key. `crs` applies if the file has no coordinate system. /
 */
export type RangeReader = {
  id: string
  crs?: string
  read(offset: number, length: number, budget: Budget): Promise<Uint8Array>
}

/** A window around a point, at least as large as both radii. */
export type WindowQuery = { at: Point; radius_cells: number; radius_m?: number }
/** `band` counts from 1. `nodata`: "no data" values in addition to the one that the file declares. */
export type WindowOptions = { band?: number; nodata?: number[] }

/** How a file stores a band. `type` is a letter (U, S or F) and the bits, such as `U8`. `bands`: how many it has. */
export type BandFormat = { type: string; bands: number; nodata: number | null; scale: number; offset: number }

/** A raster at full resolution. `crs` is a code such as `EPSG:5070`, or a definition. `bounds` is in WGS 84 degrees. */
export type Raster = {
  width: number
  height: number
  crs: string
  nodata: number | null
  bounds: Extent
  /**
   * Reads the cells around a point. Cells outside the raster and without data are null. Throws `too_large` beyond 4
   * million cells.
   */
  window(query: WindowQuery, options: WindowOptions, budget: Budget): Promise<Grid>
  covers(at: Point): boolean
  /** The cells of a band by column and row. */
  cells(options: WindowOptions): CellSource
  formatOf(band: number): BandFormat
  close(): void
}
