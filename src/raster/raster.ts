import type { Point } from '../model/place.ts'
import type { Budget, Grid } from '../model/source.ts'

/**
 * Bytes of one file, wherever it lies. Gives fewer than asked only where the file ends. `id` names this edition of the file:
 * what was read of it is kept by it. `crs` is taken where the file does not name its own.
 */
export type RangeReader = {
  id: string
  crs?: string
  read(offset: number, length: number, budget: Budget): Promise<Uint8Array>
}

export type BoundingBox = { west: number; south: number; east: number; north: number }
export type WindowQuery = { at: Point; radius_cells: number; radius_m?: number }
/** `band` counts from 1. `nodata`: values that say "no data" besides the one the file declares. */
export type WindowOptions = { band?: number; nodata?: number[] }

/** A raster at full resolution. `crs` is `EPSG:5070` or the text of a definition; `bounds` is in degrees on WGS 84. */
export type Raster = {
  width: number
  height: number
  crs: string
  nodata: number | null
  bounds: BoundingBox
  /** The cells round a point: null outside the raster and where it has no data. Throws `too_large` beyond 4 million cells. */
  window(query: WindowQuery, options: WindowOptions, budget: Budget): Promise<Grid>
  covers(at: Point): boolean
  close(): void
}
