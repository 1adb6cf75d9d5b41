import type { QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import type { TiffTag } from '../../files/geotiff-writer.ts'
import { decodeChunk, sampleArrays, type CellArray } from '../../raster/decode.ts'
import { chunksOf, type CellRange } from '../../raster/grid.ts'
import type { RasterLayout } from '../../raster/layout.ts'
import type { RangeReader } from '../../raster/raster.ts'
import { cellWindowsOf, defaultNodata, tileRangeOf, touchesTile, type CellWindows } from './raster-window.ts'
import { tileSide, writeTiledGeotiff, type TiledRaster } from './tiled-geotiff.ts'

/** A file whose cells are copied. `cellsOf` returns the cells of a chunk, null for a chunk without data. */
export type MosaicFile = {
  layout: RasterLayout
  cellsOf: (chunk: number, budget: Budget) => Promise<CellArray | null>
}
/** A file, and the position of its first cell in the mosaic. */
type PlacedFile<File extends MosaicFile = MosaicFile> = File & { left: number; top: number }

/** Files with one grid, and the cells of boxes in it. */
export type Mosaic<File extends MosaicFile = MosaicFile> = {
  files: PlacedFile<File>[]
  windows: CellWindows
  layout: RasterLayout
}

/**
 * What is copied: a band, and the numbers for "no data" in addition to the one that the files declare. `name`: what
 * errors call the files. `crsTags`: the tags of their coordinate system.
 */
export type MosaicOptions = { name: string; band: number; nodata: readonly number[]; crsTags: readonly TiffTag[] }

/** A file whose chunks are read with `read`. Adjacent ones are read together, and the last ones are kept. */
export function createMosaicFile(layout: RasterLayout, band: number, read: RangeReader['read']): MosaicFile {
  return { layout, cellsOf: createChunkReader(layout, band, read) }
}

/**
 * Joins files, and finds the cells of boxes in them. Null if they have none.
 * @throws {UpstreamError} if they have different grids.
 */
export function joinFiles<File extends MosaicFile>(
  files: readonly File[],
  boxes: readonly QueryBox[],
  name: string,
): Mosaic<File> | null {
  const [first] = files
  if (!first) return null
  if (files.some((file) => file.layout.mask))
    throw new UpstreamError(
      'unsupported_request',
      `The raster of ${name} has a mask or an alpha band, which the copy would not have.`,
    )
  const base = first.layout
  const placed = files.map((file) => ({ ...file, ...offsetFrom(base, file.layout, name) }))
  const [left, top] = [Math.min(...placed.map((file) => file.left)), Math.min(...placed.map((file) => file.top))]
  const { geoTransform } = base
  const layout: RasterLayout = {
    ...base,
    width: Math.max(...placed.map((file) => file.left + file.layout.width)) - left,
    height: Math.max(...placed.map((file) => file.top + file.layout.height)) - top,
    geoTransform: {
      ...geoTransform,
      x: geoTransform.x + left * geoTransform.step_x,
      y: geoTransform.y + top * geoTransform.step_y,
    },
  }
  const windows = cellWindowsOf(layout, boxes)
  return windows && { windows, layout, files: placed.map((it) => ({ ...it, left: it.left - left, top: it.top - top })) }
}

/** Writes the cells of a mosaic to one GeoTIFF, in the grid of the files. Returns how many cells it has. */
export async function writeMosaic(
  path: string,
  mosaic: Mosaic,
  options: MosaicOptions,
  budget: Budget,
): Promise<number> {
  const { windows } = mosaic
  const { whole } = windows
  const raster = rasterOf(mosaic, options)
  await writeTiledGeotiff(path, raster, async (column, row) =>
    touchesTile(windows, column, row) ? readTile(tileRangeOf(whole, column, row), mosaic, options, budget) : null,
  )
  return raster.width * raster.height
}

/** The bytes that are read at once at most. */
export const groupMax_bytes = 4 * 1024 * 1024
/** Reading a gap is faster than another request. */
const gapMax_bytes = 65_536
const cachedChunks = 64
/** How far the grids of two files may differ, as a share of a cell. */
const gridTolerance = 0.02

/** The position of a file in the grid of another. @throws {UpstreamError} if its grid is another one. */
function offsetFrom(base: RasterLayout, file: RasterLayout, name: string): { left: number; top: number } {
  const { x, y, step_x, step_y } = base.geoTransform
  const [column, row] = [(file.geoTransform.x - x) / step_x, (file.geoTransform.y - y) / step_y]
  const isSameGrid =
    step_y < 0 &&
    file.crs === base.crs &&
    file.sampleType === base.sampleType &&
    Math.abs(file.geoTransform.step_x / step_x - 1) * file.width < gridTolerance &&
    Math.abs(file.geoTransform.step_y / step_y - 1) * file.height < gridTolerance &&
    Math.abs(column - Math.round(column)) < gridTolerance &&
    Math.abs(row - Math.round(row)) < gridTolerance
  if (isSameGrid) return { left: Math.round(column), top: Math.round(row) }
  throw new UpstreamError('unsupported_request', `The files of ${name} have different grids, so they cannot be joined.`)
}

function createChunkReader(layout: RasterLayout, band: number, read: RangeReader['read']): MosaicFile['cellsOf'] {
  const cache = new Map<number, CellArray | null>()
  return async (chunk, budget) => {
    const known = cache.get(chunk)
    if (known !== undefined) return known
    const location = await layout.locateChunk(chunk, budget)
    if (location) await readGroup(chunk, location.offset, budget)
    else cache.set(chunk, null)
    return cache.get(chunk)!
  }

  /** Reads a chunk and those that follow it in the file without a gap. */
  async function readGroup(first: number, offset: number, budget: Budget): Promise<void> {
    const members = [{ chunk: first, offset, length: (await layout.locateChunk(first, budget))!.length }]
    for (let chunk = first + 1; members.length < cachedChunks / 2 && chunk % layout.chunksAcross !== 0; chunk++) {
      const next = await layout.locateChunk(chunk, budget)
      const last = members.at(-1)!
      const gap = next ? next.offset - last.offset - last.length : -1
      if (!next || gap < 0 || gap > gapMax_bytes || next.offset + next.length - offset > groupMax_bytes) break
      members.push({ chunk, ...next })
    }
    const last = members.at(-1)!
    const bytes = await read(offset, last.offset + last.length - offset, budget)
    for (const member of members) {
      const part = bytes.subarray(member.offset - offset, member.offset - offset + member.length)
      cache.set(member.chunk, decodeChunk(part, layout.chunkFormatOf(member.chunk, band)))
    }
    for (const oldest of cache.keys()) {
      if (cache.size <= cachedChunks) break
      cache.delete(oldest)
    }
  }
}

async function readTile(
  tile: CellRange,
  { files, layout }: Mosaic,
  options: MosaicOptions,
  budget: Budget,
): Promise<CellArray | null> {
  const nodata = nodataOf(layout, options)
  const cells = new sampleArrays[layout.sampleType](tileSide ** 2).fill(nodata)
  let hasCells = false
  for (const file of files) {
    const range = intersectionOf(tile, file)
    if (!range) continue
    for (const chunk of chunksOf(file.layout, options.band, range)) {
      const source = await file.cellsOf(chunk, budget)
      if (source) hasCells = copyChunk(source, chunk, file, { tile, cells, options, nodata }) || hasCells
    }
  }
  return hasCells ? cells : null
}

/** The part of a tile that a file has, in the cells of the file. */
function intersectionOf(tile: CellRange, { left, top, layout }: PlacedFile): CellRange | null {
  const range = {
    left: Math.max(0, tile.left - left),
    right: Math.min(layout.width, tile.right - left),
    top: Math.max(0, tile.top - top),
    bottom: Math.min(layout.height, tile.bottom - top),
  }
  return range.left < range.right && range.top < range.bottom ? range : null
}

type Target = { tile: CellRange; cells: CellArray; options: MosaicOptions; nodata: number }

/** Copies the cells of a chunk into a tile. Returns whether one of them has a value. */
function copyChunk(
  source: CellArray,
  chunk: number,
  file: PlacedFile,
  { tile, cells, options, nodata }: Target,
): boolean {
  const { layout } = file
  const local = chunk - layout.firstChunkOfRow(0, options.band)
  const [x0, y0] = [
    (local % layout.chunksAcross) * layout.chunkWidth,
    Math.floor(local / layout.chunksAcross) * layout.chunkHeight,
  ]
  const range = intersectionOf(tile, file)!
  const isNodata = (cell: number) => cell === layout.nodata || options.nodata.includes(cell) || Number.isNaN(cell)
  let hasCells = false
  for (let y = Math.max(range.top, y0); y < Math.min(range.bottom, y0 + layout.chunkHeight); y++)
    for (let x = Math.max(range.left, x0); x < Math.min(range.right, x0 + layout.chunkWidth); x++) {
      const cell = source[(y - y0) * layout.chunkWidth + x - x0]!
      if (isNodata(cell)) continue
      requireNoCollision(cell, nodata, layout)
      cells[(y + file.top - tile.top) * tileSide + x + file.left - tile.left] = cell
      hasCells = true
    }
  return hasCells
}

/** A file without a declared "no data" value gets one, which no cell may have. */
function requireNoCollision(cell: number, nodata: number, layout: RasterLayout): void {
  if (cell === nodata && layout.nodata !== nodata)
    throw new UpstreamError(
      'bad_value',
      `The raster has the value ${nodata}, which a copy needs for cells without data.`,
    )
}

function nodataOf({ nodata, sampleType }: RasterLayout, { nodata: extra }: MosaicOptions): number {
  return nodata ?? extra[0] ?? defaultNodata[sampleType]
}

function rasterOf({ layout, windows: { whole } }: Mosaic, options: MosaicOptions): TiledRaster {
  const { x, y, step_x, step_y } = layout.geoTransform
  const { scale, offset } = layout.scales.get(options.band) ?? { scale: 1, offset: 0 }
  if (offset !== 0)
    throw new UpstreamError('unsupported_request', `The raster of ${options.name} stores its values with an offset.`)
  return {
    width: whole.right - whole.left,
    height: whole.bottom - whole.top,
    sampleType: layout.sampleType,
    nodata: nodataOf(layout, options),
    scale,
    origin: [x + whole.left * step_x, y + whole.top * step_y],
    step: [step_x, -step_y],
    crsTags: options.crsTags,
  }
}
