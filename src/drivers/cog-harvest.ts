import type { QueryBox } from '../geo/boxes.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import { tileSide, writeTiledGeotiff, type TiledRaster } from './tiled-geotiff.ts'
import { decodeChunk, sampleArrays, type CellArray, type SampleType } from '../raster/decode.ts'
import { chunksOf, type CellRange } from '../raster/grid.ts'
import { readRasterLayout, type RasterLayout } from '../raster/layout.ts'
import { createAbsentMatcher, type AbsentReply } from './absent-reply.ts'
import { mapInPairs, newestTime, type HarvestDeps, type HarvestEstimate, type HarvestedRaster } from './harvest.ts'
import { createHttpReader } from './http-reader.ts'
import {
  cellWindowsOf,
  countTiles,
  defaultNodata,
  epsgOf,
  tileRangeOf,
  touchesTile,
  type CellWindows,
} from './raster-window.ts'

/** The files of a raster that is copied. `urlsIn` returns the files that can have cells of a box. */
export type CogCopy = {
  host: string
  urlsIn: (box: QueryBox) => string[]
  band: number
  nodata: readonly number[]
  crs: string | undefined
  absent: AbsentReply | undefined
}

/** The size of the copy of boxes, from the headers of the files. */
export async function estimateCog(
  copy: CogCopy,
  boxes: readonly QueryBox[],
  deps: HarvestDeps,
  budget: Budget,
): Promise<HarvestEstimate> {
  const mosaic = await openMosaic(copy, boxes, deps, budget)
  if (!mosaic) return { requests: 1, features: 0, bytes: 0 }
  const bytes = countTiles(mosaic.windows) * tileSide ** 2 * sampleArrays[mosaic.sampleType].BYTES_PER_ELEMENT
  return { requests: mosaic.files.length * 4 + Math.ceil(bytes / groupMax_bytes), features: 0, bytes: bytes / 2 }
}

/** When the newest file of the boxes was last changed, by the header Last-Modified. Null if one does not have it. */
export async function lastEditOfCog(
  { urlsIn, absent }: CogCopy,
  boxes: readonly QueryBox[],
  { net }: HarvestDeps,
  budget: Budget,
): Promise<Date | null> {
  const { acceptedStatuses, isAbsent } = createAbsentMatcher(absent)
  const replies = await mapInPairs([...new Set(boxes.flatMap(urlsIn))], (url) =>
    net.send({ url, headers: { range: 'bytes=0-0' }, acceptedStatuses }, budget),
  )
  const times_ms = replies
    .filter((reply) => !isAbsent(reply))
    .map(({ headers }) => Date.parse(headers.get('last-modified') ?? ''))
  return newestTime(times_ms.map((time_ms) => (Number.isNaN(time_ms) ? null : time_ms)))
}

/** Copies the cells of boxes from files into one GeoTIFF, in the grid of the files. */
export async function copyCog(
  copy: CogCopy,
  { boxes, path }: { boxes: readonly QueryBox[]; path: string },
  deps: HarvestDeps,
  budget: Budget,
): Promise<HarvestedRaster> {
  const mosaic = await openMosaic(copy, boxes, deps, budget)
  if (!mosaic)
    throw new UpstreamError('unsupported_request', `${copy.host} has no file for the area. There is nothing to copy.`)
  const { windows, files } = mosaic
  const { whole } = windows
  await writeTiledGeotiff(path, rasterOf(mosaic, copy), async (column, row) =>
    touchesTile(windows, column, row) ? readTile(tileRangeOf(whole, column, row), mosaic, copy, budget) : null,
  )
  const days = files.flatMap(({ modified }) => modified ?? [])
  return { cells: (whole.right - whole.left) * (whole.bottom - whole.top), vintage: days.toSorted()[0] ?? null }
}

/** One file, and the position of its first cell in the mosaic. */
type CogFile = {
  layout: RasterLayout
  left: number
  top: number
  modified: string | null
  cellsOf: (chunk: number, budget: Budget) => Promise<CellArray | null>
}

/** Files with one grid. */
type Mosaic = { files: CogFile[]; windows: CellWindows; sampleType: SampleType; layout: RasterLayout }

const groupMax_bytes = 4 * 1024 * 1024
/** Reading a gap is faster than another request. */
const gapMax_bytes = 65_536
const cachedChunks = 64
/** How far the grids of two files may differ, as a share of a cell. */
const gridTolerance = 0.02

async function openMosaic(
  copy: CogCopy,
  boxes: readonly QueryBox[],
  deps: HarvestDeps,
  budget: Budget,
): Promise<Mosaic | null> {
  const files: CogFile[] = []
  let base: RasterLayout | null = null
  for (const url of new Set(boxes.flatMap(copy.urlsIn))) {
    const file = await openFile(url, copy, deps, budget)
    if (!file) continue
    base ??= file.layout
    files.push({ ...file, ...offsetFrom(base, file.layout, copy.host) })
  }
  if (!base) return null
  const [left, top] = [Math.min(...files.map((file) => file.left)), Math.min(...files.map((file) => file.top))]
  const { geoTransform } = base
  const layout: RasterLayout = {
    ...base,
    width: Math.max(...files.map((file) => file.left + file.layout.width)) - left,
    height: Math.max(...files.map((file) => file.top + file.layout.height)) - top,
    geoTransform: {
      ...geoTransform,
      x: geoTransform.x + left * geoTransform.step_x,
      y: geoTransform.y + top * geoTransform.step_y,
    },
  }
  const windows = cellWindowsOf(layout, boxes)
  const moved = files.map((file) => ({ ...file, left: file.left - left, top: file.top - top }))
  return windows && { files: moved, windows, sampleType: base.sampleType, layout }
}

async function openFile(
  url: string,
  { absent, crs, band }: CogCopy,
  { net }: HarvestDeps,
  budget: Budget,
): Promise<Omit<CogFile, 'left' | 'top'> | null> {
  const reader = await createHttpReader(net, url, { absent, onChange() {} }, budget)
  if (!reader) return null
  if (crs !== undefined) reader.crs = crs
  const layout = await readRasterLayout(reader, budget)
  return { layout, modified: reader.modified, cellsOf: createChunkReader(layout, band, reader.read) }
}

/** The position of a file in the grid of another. @throws {UpstreamError} if its grid is another one. */
function offsetFrom(base: RasterLayout, file: RasterLayout, host: string): { left: number; top: number } {
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
  throw new UpstreamError('unsupported_request', `The files of ${host} have different grids, so they cannot be joined.`)
}

/** Reads the chunks of a file. Adjacent ones are read together, and the last ones are kept. */
function createChunkReader(
  layout: RasterLayout,
  band: number,
  read: (offset: number, length: number, budget: Budget) => Promise<Uint8Array>,
): (chunk: number, budget: Budget) => Promise<CellArray | null> {
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
  copy: CogCopy,
  budget: Budget,
): Promise<CellArray | null> {
  const { nodata } = rasterNodata(layout, copy)
  const cells = new sampleArrays[layout.sampleType](tileSide ** 2).fill(nodata)
  let hasCells = false
  for (const file of files) {
    const range = intersectionOf(tile, file)
    if (!range) continue
    for (const chunk of chunksOf(file.layout, copy.band, range)) {
      const source = await file.cellsOf(chunk, budget)
      if (source) hasCells = copyChunk(source, chunk, file, { tile, cells, copy, nodata }) || hasCells
    }
  }
  return hasCells ? cells : null
}

/** The part of a tile that a file has, in the cells of the file. */
function intersectionOf(tile: CellRange, { left, top, layout }: CogFile): CellRange | null {
  const range = {
    left: Math.max(0, tile.left - left),
    right: Math.min(layout.width, tile.right - left),
    top: Math.max(0, tile.top - top),
    bottom: Math.min(layout.height, tile.bottom - top),
  }
  return range.left < range.right && range.top < range.bottom ? range : null
}

type Target = { tile: CellRange; cells: CellArray; copy: CogCopy; nodata: number }

/** Copies the cells of a chunk into a tile. Returns whether one of them has a value. */
function copyChunk(source: CellArray, chunk: number, file: CogFile, { tile, cells, copy, nodata }: Target): boolean {
  const { layout } = file
  const local = chunk - layout.firstChunkOfRow(0, copy.band)
  const [x0, y0] = [
    (local % layout.chunksAcross) * layout.chunkWidth,
    Math.floor(local / layout.chunksAcross) * layout.chunkHeight,
  ]
  const range = intersectionOf(tile, file)!
  const isNodata = (cell: number) => cell === layout.nodata || copy.nodata.includes(cell) || Number.isNaN(cell)
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

function rasterNodata({ nodata, sampleType }: RasterLayout, { nodata: extra }: CogCopy): { nodata: number } {
  return { nodata: nodata ?? extra[0] ?? defaultNodata[sampleType] }
}

function rasterOf({ layout, windows: { whole } }: Mosaic, copy: CogCopy): TiledRaster {
  const { x, y, step_x, step_y } = layout.geoTransform
  const { scale, offset } = layout.scales.get(copy.band) ?? { scale: 1, offset: 0 }
  if (offset !== 0)
    throw new UpstreamError('unsupported_request', `The raster of ${copy.host} stores its values with an offset.`)
  return {
    width: whole.right - whole.left,
    height: whole.bottom - whole.top,
    sampleType: layout.sampleType,
    nodata: rasterNodata(layout, copy).nodata,
    scale,
    origin: [x + whole.left * step_x, y + whole.top * step_y],
    step: [step_x, -step_y],
    epsg: epsgOf(layout.crs, copy.host),
  }
}

/** Points in the corners of all squares of a size that a box touches. */
export function pointsInSquares({ w, s, e, n }: QueryBox, degrees: number): Point[] {
  const steps = (from: number, to: number) => [
    ...Array.from({ length: Math.ceil((to - from) / degrees) }, (_, i) => from + i * degrees),
    to,
  ]
  return steps(s, n).flatMap((lat) => steps(w, e).map((lng) => ({ lat, lng })))
}
