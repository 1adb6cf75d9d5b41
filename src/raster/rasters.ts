import { UpstreamError } from '../model/error.ts'
import type { Budget, Grid } from '../model/source.ts'
import type { CellArray } from './decode.ts'
import { openDecoder, type Decoder, type StartWorker } from './decoder.ts'
import { openFileReader } from './file-reader.ts'
import {
  rasterBoundsOf,
  cellPositions,
  coversPoint,
  cellWindowOf,
  windowOfRect,
  type CellWindow,
} from './cell-window.ts'
import { chunksOf, buildGrid, cellRangeOf } from './grid.ts'
import { readRasterLayout, type RasterLayout } from './layout.ts'
import type { RangeReader, Raster, WindowOptions, BandFormat } from './raster.ts'
import { noDeadline } from '../async/deadline.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import { createTileCache, type TileCache } from './tile-cache.ts'
import { corruptTiffError } from './tiff-directory.ts'

const headersMax = 256
const chunksMax = 1_024
/** The decompressed tiles of one window. A file can have tiles of 64 MiB that are one cell wide. */
const windowMax_bytes = 128 * 1_048_576
const concurrentReads = 8
/** Large tiles are read one after the other. */
const concurrentMax_bytes = 32 * 1_048_576
const lastChunksChecked = 16
const sampledChunksChecked = 16
const emptyTile = new Uint8Array(0)

type RasterFile = { reader: RangeReader; layout: RasterLayout }

/**
 * Opens the raster reader. `cacheMax_bytes` limits the decoded tiles in memory. The worker starts with the first tile,
 * or after `warmUp`.
 */
export function openRasters({
  startWorker,
  cacheMax_bytes = 64 * 1_048_576,
}: {
  startWorker: StartWorker
  cacheMax_bytes?: number
}): Rasters {
  return new Rasters(startWorker, cacheMax_bytes)
}

/**
 * Opens rasters and caches their headers and decoded tiles. Concurrent reads of the same header or tile share one
 * read.
 */
export class Rasters {
  readonly #cache: TileCache
  readonly #decoder: Decoder
  readonly #headers = new Map<string, RasterLayout>()
  readonly #headerReads = createSingleFlight<RasterLayout>()
  readonly #tileReads = createSingleFlight<CellArray>()
  readonly #fileClosers = new Set<() => void>()
  #isWarmedUp = false
  #isClosed = false

  constructor(startWorker: StartWorker, cacheMax_bytes: number) {
    this.#cache = createTileCache(cacheMax_bytes)
    this.#decoder = openDecoder(startWorker)
  }

  async open(reader: RangeReader, budget: Budget): Promise<Raster> {
    return this.#createRaster({ reader, layout: await this.#readHeader(reader, budget) }, () => {})
  }

  async openFile(path: string, budget: Budget = noDeadline): Promise<Raster> {
    const reader = await openFileReader(path)
    const close = () => {
      this.#fileClosers.delete(close)
      reader.close()
    }
    this.#fileClosers.add(close)
    try {
      const layout = await this.#readHeader(reader, budget)
      await checkComplete(layout, reader.size_bytes, budget)
      if (layout.mask) await checkComplete(layout.mask.layout, reader.size_bytes, budget)
      if (this.#isWarmedUp) this.#decoder.start()
      return this.#createRaster({ reader, layout }, close)
    } catch (error) {
      close()
      throw error
    }
  }

  /**
   * Starts the worker before the first tile: immediately with `remote` rasters, otherwise as soon as a file is open.
   */
  warmUp({ remote }: { remote: boolean }): void {
    this.#isWarmedUp = !this.#isClosed
    if (this.#isWarmedUp && (remote || this.#fileClosers.size > 0)) this.#decoder.start()
  }

  close(): void {
    this.#isClosed = true
    this.#isWarmedUp = false
    this.#decoder.close()
    for (const closeFile of this.#fileClosers) closeFile()
    this.#cache.clear()
    this.#headers.clear()
  }

  #createRaster(file: RasterFile, close: () => void): Raster {
    const { width, height, crs, nodata } = file.layout
    const bounds = rasterBoundsOf(file.layout)
    return {
      width,
      height,
      crs,
      nodata,
      bounds,
      covers: (at) => coversPoint(file.layout, bounds, at),
      formatOf: (band) => bandFormatOf(file.layout, band),
      close,
      window: async (query, options, budget) =>
        this.#readWindow(file, cellWindowOf(file.layout, query), options, budget),
      cells: (options) => ({
        ...cellPositions(file.layout),
        rowsPerChunk: file.layout.chunkHeight,
        read: async (rect, budget) => this.#readWindow(file, windowOfRect(file.layout, rect), options, budget),
      }),
    }
  }

  async #readHeader(reader: RangeReader, budget: Budget): Promise<RasterLayout> {
    const headers = this.#headers
    const key = `${reader.id} ${reader.crs ?? ''}`
    const read = (flightBudget: Budget) => readRasterLayout(reader, flightBudget)
    const layout = headers.get(key) ?? (await this.#headerReads.join(key, Infinity, budget, read))
    headers.delete(key)
    headers.set(key, layout)
    for (const oldest of headers.keys()) {
      if (headers.size <= headersMax) break
      headers.delete(oldest)
    }
    return layout
  }

  async #readWindow(
    { reader, layout }: RasterFile,
    cellWindow: CellWindow,
    { band = 1, nodata = [] }: WindowOptions,
    budget: Budget,
  ): Promise<Grid> {
    const { bands, mask } = layout
    if (band > bands)
      throw new UpstreamError('unsupported_request', `The raster has no band ${band}. It has ${bands} bands.`)
    const readGrid = this.#readGrid({ reader, layout }, cellWindow, { band, nodata }, budget)
    if (!mask) return readGrid
    const maskOptions = { band: mask.bandOf(band), nodata: [] }
    const [grid, valid] = await Promise.all([
      readGrid,
      this.#readGrid({ reader, layout: mask.layout }, cellWindow, maskOptions, budget),
    ])
    const isValid = (i: number) => (valid.cells[i] ?? 0) !== 0
    return { ...grid, cells: grid.cells.map((cell, i) => (isValid(i) ? cell : null)) }
  }

  async #readGrid(
    { reader, layout }: RasterFile,
    cellWindow: CellWindow,
    { band, nodata }: Required<WindowOptions>,
    budget: Budget,
  ): Promise<Grid> {
    const range = cellRangeOf(layout, cellWindow)
    const cached = new Map<number, CellArray>()
    const missing: number[] = []
    for (const chunk of range ? chunksOf(layout, band, range) : []) {
      const cells = this.#cache.get(tileKeyOf({ reader, layout }, chunk, band))
      if (cells) cached.set(chunk, cells)
      else missing.push(chunk)
    }
    const fetched = missing.length === 0 ? cached : await this.#fetchTiles({ reader, layout }, band, missing, budget)
    const tileOf = (chunk: number) => cached.get(chunk) ?? fetched.get(chunk)!
    return buildGrid(layout, cellWindow, range, { band, nodata, tileOf })
  }

  /** Reads and decodes tiles that are not in the cache. */
  async #fetchTiles(file: RasterFile, band: number, chunks: number[], budget: Budget): Promise<Map<number, CellArray>> {
    if (chunks.length > chunksMax)
      throw new UpstreamError(
        'too_large',
        `The raster window touches ${chunks.length} tiles. The maximum is ${chunksMax}.`,
      )
    const { chunk_bytes } = file.layout
    if (chunks.length * chunk_bytes > windowMax_bytes)
      throw new UpstreamError(
        'too_large',
        `The raster window touches ${chunks.length} tiles of ${chunk_bytes} bytes. The maximum is ${windowMax_bytes} bytes.`,
      )
    const tiles = new Map<number, CellArray>()
    const step = Math.max(1, Math.min(concurrentReads, Math.floor(concurrentMax_bytes / chunk_bytes)))
    for (let i = 0; i < chunks.length; i += step) {
      await Promise.all(
        chunks.slice(i, i + step).map(async (chunk) => {
          const key = tileKeyOf(file, chunk, band)
          const read = (flightBudget: Budget) => this.#readTile(file, chunk, band, flightBudget)
          const cells = await this.#tileReads.join(key, Infinity, budget, read)
          this.#cache.put(key, cells)
          tiles.set(chunk, cells)
        }),
      )
    }
    return tiles
  }

  async #readTile({ reader, layout }: RasterFile, chunk: number, band: number, budget: Budget): Promise<CellArray> {
    const location = await layout.locateChunk(chunk, budget)
    if (!location) return emptyTile
    const { offset, length } = location
    const bytes = await reader.read(offset, length, budget)
    if (bytes.length < length)
      throw new UpstreamError(
        'bad_response',
        `The raster is truncated: it ends at byte ${offset + bytes.length}, within the tile of ${length} bytes at ${offset}.`,
      )
    return await this.#decoder.decode(bytes, layout.chunkFormatOf(chunk, band), budget)
  }
}

function tileKeyOf({ reader, layout }: RasterFile, chunk: number, band: number): string {
  return `${reader.id} ${layout.image} ${chunk} ${band}`
}

/**
 * Throws `bad_response` if the file is truncated. Checks the last tiles, which all common programs write last, and a
 * sample of the others: checking every tile of a large file takes too long. /
 */
async function checkComplete(layout: RasterLayout, size_bytes: number, budget: Budget): Promise<void> {
  for (const chunk of chunksToCheck(layout)) {
    const location = await layout.locateChunk(chunk, budget)
    if (location && location.offset + location.length > size_bytes)
      throw corruptTiffError(
        `is truncated: it has ${size_bytes} bytes, but one of its tiles ends at byte ${location.offset + location.length}`,
      )
  }
}

function chunksToCheck({ height, chunkHeight, chunksAcross, bands, firstChunkOfRow }: RasterLayout): Set<number> {
  const chunkCount = firstChunkOfRow(Math.ceil(height / chunkHeight) - 1, bands) + chunksAcross
  const last = Array.from({ length: Math.min(lastChunksChecked, chunkCount) }, (_, i) => chunkCount - 1 - i)
  return new Set([
    ...last,
    ...Array.from({ length: sampledChunksChecked }, (_, i) => Math.floor((i * chunkCount) / sampledChunksChecked)),
  ])
}

function bandFormatOf({ sampleType, bands, nodata, scales }: RasterLayout, band: number): BandFormat {
  const letter = { u: 'U', i: 'S', f: 'F' }[sampleType[0]!]!
  return { type: letter + sampleType.replace(/\D/g, ''), bands, nodata, scale: 1, offset: 0, ...scales.get(band) }
}
