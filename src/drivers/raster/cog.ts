import { setImmediate } from 'node:timers/promises'
import { unexpectedResponse, unsupportedRead } from '../driver-errors.ts'
import type { RasterPiece, CellQuery, Extent, FlatPath } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget, Grid, RasterQuery } from '../../model/source.ts'
import type { WindowOptions } from '../../raster/raster.ts'
import { fillUrl, boundingBoxAround } from '../rest/url-template.ts'
import { extentContains, type QueryBox } from '../../geo/boxes.ts'
import { absentSchema } from '../rest/absent-reply.ts'
import { copyCog, estimateCog, lastEditOfCog, pointsInSquares, type CogCopy } from './cog-harvest.ts'
import { defineDriver, t } from '../driver.ts'
import { mapInPairs } from '../harvest.ts'
import { createHttpRasterCache, type RemoteRaster } from './http-rasters.ts'
import { pixelFormatSchema, requireBandFormat } from './pixel-format.ts'

/** A remote GeoTIFF, or many as tiles. It is read at full resolution, and only where needed. */
export const cogDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    asset: t.String(),
    vrt: t.Optional(t.String()),
    /**
     * Tiles named after their north-west corner: `{lat} {lon}` without sign (`{lat:2}` padded), `{ns} {ew} {NS} {EW}`
     * the letters.
     */
    tile: t.Optional(t.Object({ degrees: t.Integer(), name: t.String() })),
    band: t.Integer(),
    /** How the file must store its cells. */
    format: t.Optional(pixelFormatSchema),
    /** Values that mean "no data" in addition to the one that the file declares. */
    nodata: t.Optional(t.Array(t.Number())),
    /** The coordinate system, if the file does not declare it. */
    crs: t.Optional(t.String()),
    /** The reply by which the host says that it has no such tile, because nothing is there. */
    absent: t.Optional(absentSchema),
    note: t.Optional(t.String()),
  }),
  open({ asset, tile, band, nodata = [], crs, absent, format }, _shape, { net, rasters }) {
    if (!net) return null
    const openAnyFile = createHttpRasterCache(net, rasters, { absent, crs })
    const openFile = async (url: string, budget: Budget) => {
      const raster = await openAnyFile(url, budget)
      if (raster) requireBandFormat(raster, band, format)
      return raster
    }
    const options = { band, nodata }
    const openFileLater = async (url: string, budget: Budget) =>
      (await Promise.all([openFile(url, budget), yieldToOtherRequests()]))[0]

    const source = async (query: RasterQuery, budget: Budget): Promise<Grid> => {
      if (query.edition || query.level !== undefined)
        throw unsupportedRead(
          'The raster has only one edition and one level, but the field needs a different edition or level.',
        )
      if (!tile) {
        const raster = requireCover(await openFileLater(asset, budget), query.at, asset)
        return readWindow(raster, query, options, budget)
      }
      const urlAt = (at: Point) => fillUrl(asset, { tile: tileNameOf(tile, at) })
      const file = await openFileLater(urlAt(query.at), budget)
      const centerRaster = file && requireCover(file, query.at, asset)
      const grid = centerRaster && (await readWindow(centerRaster, query, options, budget))
      const box = windowBoxOf(query, grid)
      if (grid && (isOneCell(query) || extentContains(centerRaster.bounds, box))) return grid
      // The window extends beyond this file; the adjacent files have the rest.
      const neighborUrls = [...new Set(cornersOf(box).map(urlAt))].filter((url) => url !== urlAt(query.at))
      const neighborGrids = await Promise.all(
        neighborUrls.map(async (url) => {
          const neighbor = await openFile(url, budget)
          return neighbor && readWindow(neighbor, query, options, budget)
        }),
      )
      return (
        [grid, ...neighborGrids].filter((it) => it !== null).reduce<Grid | null>(fillGaps, null) ??
        emptyGridOf(tile, query)
      )
    }
    const rasterPieces = async ({ extent }: CellQuery, budget: Budget): Promise<RasterPiece[]> => {
      if (!tile) return [{ cells: (await openFile(asset, budget))?.cells(options) ?? null, polygons: null }]
      const squares = squaresIn(extent, tile.degrees)
      return mapInPairs(squares, async ({ center, ring }) => {
        const file = await openFile(fillUrl(asset, { tile: tileNameOf(tile, center) }), budget)
        return { cells: file && requireCover(file, center, asset).cells(options), polygons: [[ring]] }
      })
    }
    return { source, rasterPieces, vintage: null, remote: { host: new URL(asset).host } }
  },
  harvest({ asset, tile, band, nodata = [], crs, absent }, deps) {
    const { host } = new URL(asset)
    const urlsIn = (box: QueryBox) =>
      tile ? pointsInSquares(box, tile.degrees).map((at) => fillUrl(asset, { tile: tileNameOf(tile, at) })) : [asset]
    const copy: CogCopy = { host, urlsIn, band, nodata, crs, absent }
    return {
      shape: 'raster',
      host,
      estimate: (boxes, budget) => estimateCog(copy, boxes, deps, budget),
      lastEdit: (boxes, budget) => lastEditOfCog(copy, boxes, deps, budget),
      copy: (boxes, journal, budget, path) =>
        copyCog(copy, { boxes, path }, { ...deps, net: journal.recordReplies(deps.net) }, budget),
    }
  },
})

async function readWindow(
  raster: RemoteRaster,
  query: RasterQuery,
  options: WindowOptions,
  budget: Budget,
): Promise<Grid> {
  const { modified } = raster
  return { ...(await raster.window(query, options, budget)), ...(modified !== null && { modified }) }
}

/** Throws if a file does not cover the point, although its name or its dataset says so. */
function requireCover(raster: RemoteRaster | null, at: Point, asset: string): RemoteRaster {
  if (raster?.covers(at)) return raster
  throw unexpectedResponse(new URL(asset).host, 'a raster that covers the point', 'a raster of another place')
}

/** Tiles of a size in degrees, named after their north-west corner. */
type TileRule = { degrees: number; name: string }

const placeholderPattern = /\{(lat|lon)(?::(\d))?\}|\{(ns|ew|NS|EW)\}/g

/**
 * The name of the tile that holds a point: `{lat} {lon}` without sign, `{lat:2}` padded, `{ns} {ew} {NS} {EW}` the
 * letters. The northern and western edges belong to a tile; the equator is north, Greenwich is east.
 */
export function tileNameOf({ degrees, name }: TileRule, { lat, lng }: Point): string {
  const north = Math.ceil(lat / degrees) * degrees
  const west = Math.floor(lng / degrees) * degrees
  return name.replace(placeholderPattern, (_match, axis?: string, digits?: string, letter?: string) => {
    if (axis !== undefined) return String(Math.abs(axis === 'lat' ? north : west)).padStart(Number(digits ?? 0), '0')
    const ns = north < 0 ? 's' : 'n'
    const ew = west < 0 ? 'w' : 'e'
    const hemisphere = letter!.toLowerCase() === 'ns' ? ns : ew
    return letter === letter!.toUpperCase() ? hemisphere.toUpperCase() : hemisphere
  })
}

/** The squares of tiles that an extent touches. */
function squaresIn({ west, south, east, north }: Extent, degrees: number): { center: Point; ring: FlatPath }[] {
  const squares: { center: Point; ring: FlatPath }[] = []
  for (let s = Math.floor(south / degrees) * degrees; s < north; s += degrees)
    for (let w = Math.floor(west / degrees) * degrees; w < east; w += degrees)
      squares.push({
        center: { lat: s + degrees / 2, lng: w + degrees / 2 },
        ring: [w, s, w + degrees, s, w + degrees, s + degrees, w, s + degrees],
      })
  if (squares.length <= squaresMax) return squares
  throw new UpstreamError(
    'too_large',
    `The area touches ${squares.length} files of the raster. The maximum is ${squaresMax}. Ask about a smaller area.`,
  )
}

const squaresMax = 64

/** Waits two event loop turns, so that requests of the same turn are sent before a cached file is decoded. */
async function yieldToOtherRequests(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** Whether the window is one cell. That cell is always in the same file as the point. */
function isOneCell({ radius_cells, radius_m }: RasterQuery): boolean {
  return radius_cells === 0 && radius_m === undefined
}

/** The bounding box of a window, in degrees. */
function windowBoxOf({ at, radius_m = 0 }: RasterQuery, grid: Grid | null): Extent {
  const reach_m = grid ? Math.max((grid.width + 1) * grid.cell_x_m!, (grid.height + 1) * grid.cell_y_m!) / 2 : radius_m
  const { w, s, e, n } = boundingBoxAround(at, reach_m)
  return { west: w, south: s, east: e, north: n }
}

function cornersOf({ west, south, east, north }: Extent): Point[] {
  return [west, east].flatMap((lng) => [south, north].map((lat) => ({ lat, lng: ((lng + 540) % 360) - 180 })))
}

/** Fills the empty cells of a window from another one. Windows with different cell grids are not combined. */
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

/** A window without data, for a missing tile. */
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
