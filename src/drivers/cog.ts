import { setImmediate } from 'node:timers/promises'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Budget, Grid, RasterQuery } from '../model/source.ts'
import type { BoundingBox } from '../raster/raster.ts'
import { fillUrl, boundingBoxAround } from './url-template.ts'
import { defineDriver, t } from './driver.ts'
import { createHttpRasterCache } from './http-rasters.ts'
import { tileNameOf, type TileRule } from './tile-name.ts'

/** A GeoTIFF of another server, or many of them as tiles: read at full resolution, and only where it is needed. */
export const cogDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    asset: t.String(),
    vrt: t.Optional(t.String()),
    /** Named after their north-west corner: `{lat} {lon}` are without sign (`{lat:2}` padded), `{ns} {ew} {NS} {EW}` the letters. */
    tile: t.Optional(t.Object({ degrees: t.Integer(), name: t.String() })),
    band: t.Integer(),
    /** Values that say "no data" besides the one that the file declares. */
    nodata: t.Optional(t.Array(t.Number())),
    /** Its coordinate system, where the file does not name it. */
    crs: t.Optional(t.String()),
    note: t.Optional(t.String()),
  }),
  open({ asset, tile, band, nodata = [], crs }, _shape, { net, rasters }) {
    if (!net) return null
    const openFile = createHttpRasterCache(net, rasters, { allowMissing: tile !== undefined, crs })
    const options = { band, nodata }
    const openFileLater = async (url: string, budget: Budget) =>
      (await Promise.all([openFile(url, budget), yieldToOtherRequests()]))[0]

    const source = async (query: RasterQuery, budget: Budget): Promise<Grid> => {
      if (query.edition || query.level !== undefined)
        throw new UpstreamError(
          'unsupported_request',
          'The raster has one edition and one level, and another was asked for.',
        )
      if (!tile) return await (await openFileLater(asset, budget))!.window(query, options, budget)
      const urlAt = (at: Point) => fillUrl(asset, { tile: tileNameOf(tile, at) })
      const centerRaster = await openFileLater(urlAt(query.at), budget)
      const grid = centerRaster && (await centerRaster.window(query, options, budget))
      const box = windowBoxOf(query, grid)
      if (grid && (isOneCell(query) || contains(centerRaster.bounds, box))) return grid
      // The window reaches beyond its file: what it lacks lies in the files beside it.
      const neighborUrls = [...new Set(cornersOf(box).map(urlAt))].filter((url) => url !== urlAt(query.at))
      const neighborGrids = await Promise.all(
        neighborUrls.map(async (url) => (await openFile(url, budget))?.window(query, options, budget) ?? null),
      )
      return (
        [grid, ...neighborGrids].filter((it) => it !== null).reduce<Grid | null>(fillGaps, null) ??
        emptyGridOf(tile, query)
      )
    }
    return { source, vintage: null, remote: { host: new URL(asset).host } }
  },
})

/** What else is asked in this moment goes out first, in the first turn of the loop: a window of a file at hand is worked out while that is under way. */
async function yieldToOtherRequests(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** The one cell that holds the point lies in the file that holds the point. */
function isOneCell({ radius_cells, radius_m }: RasterQuery): boolean {
  return radius_cells === 0 && radius_m === undefined
}

/** The box of a window in degrees. */
function windowBoxOf({ at, radius_m = 0 }: RasterQuery, grid: Grid | null): BoundingBox {
  const reach_m = grid ? Math.max((grid.width + 1) * grid.cell_x_m!, (grid.height + 1) * grid.cell_y_m!) / 2 : radius_m
  const { w, s, e, n } = boundingBoxAround(at, reach_m)
  return { west: w, south: s, east: e, north: n }
}

function contains(outer: BoundingBox, inner: BoundingBox): boolean {
  return (
    inner.west >= outer.west && inner.east <= outer.east && inner.south >= outer.south && inner.north <= outer.north
  )
}

function cornersOf({ west, south, east, north }: BoundingBox): Point[] {
  return [west, east].flatMap((lng) => [south, north].map((lat) => ({ lat, lng: ((lng + 540) % 360) - 180 })))
}

/** The cells of both windows, where they are of one net of lines; else the first alone. */
function fillGaps(grid: Grid | null, other: Grid): Grid {
  if (!grid) return other
  const isAligned =
    grid.width === other.width &&
    grid.height === other.height &&
    isNear(grid.at_x, other.at_x, 0.01) &&
    isNear(grid.at_y, other.at_y, 0.01)
  return isAligned ? { ...grid, cells: grid.cells.map((cell, i) => cell ?? other.cells[i]!) } : grid
}

function isNear(a: number, b: number, tolerance: number): boolean {
  return Math.abs(a - b) <= tolerance
}

/** Where there is no file there is no data. The hole is as large as a file. */
function emptyGridOf({ degrees }: TileRule, { at, radius_cells }: RasterQuery): Grid {
  const side = 2 * radius_cells + 1
  const cell_y_m = degrees * 111_000
  const cells = Array.from({ length: side * side }, () => null)
  return {
    width: side,
    height: side,
    at_x: radius_cells + 0.5,
    at_y: radius_cells + 0.5,
    cells,
    cell_x_m: cell_y_m * Math.cos((at.lat * Math.PI) / 180),
    cell_y_m,
  }
}
