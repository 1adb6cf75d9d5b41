import { UpstreamError } from '../model/error.ts'
import type { Budget, Grid } from '../model/source.ts'
import type { CellArray } from './decode.ts'
import { openDecoder, type StartWorker } from './decoder.ts'
import { openFileReader } from './file-reader.ts'
import { rasterBoundsOf, coversPoint, cellWindowOf } from './cell-window.ts'
import { chunksOf, buildGrid, cellRangeOf } from './grid.ts'
import { readRasterLayout, type RasterLayout } from './layout.ts'
import type { RangeReader, Raster, WindowOptions, WindowQuery } from './raster.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import { createTileCache } from './tile-cache.ts'
import { checkComplete } from './check-complete.ts'

/** Opens rasters and caches their headers and decoded tiles. */
export type Rasters = {
  open(reader: RangeReader, budget: Budget): Promise<Raster>
  openFile(path: string, budget?: Budget): Promise<Raster>
  /**
   * Starts the worker before the first tile: immediately with `remote` rasters, otherwise as soon as a file is open.
   */
  warmUp(options: { remote: boolean }): void
  close(): void
}

const headersMax = 256
const chunksMax = 1_024
const concurrentReads = 8
const noDeadline: Budget = { signal: new AbortController().signal }
const emptyTile = new Uint8Array(0)

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
  const cache = createTileCache(cacheMax_bytes)
  const decoder = openDecoder(startWorker)
  const headers = new Map<string, RasterLayout>()
  const headerReads = createSingleFlight<RasterLayout>()
  const tileReads = createSingleFlight<CellArray>()
  const fileClosers = new Set<() => void>()
  let isWarmedUp = false
  let isClosed = false

  async function readHeader(reader: RangeReader, budget: Budget): Promise<RasterLayout> {
    const key = `${reader.id} ${reader.crs ?? ''}`
    const layout =
      headers.get(key) ??
      (await headerReads.join(key, Infinity, budget, (flightBudget) => readRasterLayout(reader, flightBudget)))
    headers.delete(key)
    headers.set(key, layout)
    for (const oldest of headers.keys()) {
      if (headers.size <= headersMax) break
      headers.delete(oldest)
    }
    return layout
  }

  async function readTile(
    reader: RangeReader,
    layout: RasterLayout,
    { chunk, band }: { chunk: number; band: number },
    budget: Budget,
  ): Promise<CellArray> {
    const location = await layout.locateChunk(chunk, budget)
    if (!location) return emptyTile
    const bytes = await reader.read(location.offset, location.length, budget)
    if (bytes.length < location.length)
      throw new UpstreamError(
        'bad_response',
        `The raster is truncated: it ends at byte ${location.offset + bytes.length}, within the tile of ${location.length} bytes at ${location.offset}.`,
      )
    return await decoder.decode(bytes, layout.chunkFormatOf(chunk, band), budget)
  }

  /** Reads and decodes tiles that are not in the cache. */
  async function fetchTiles(
    reader: RangeReader,
    layout: RasterLayout,
    band: number,
    chunks: number[],
    budget: Budget,
  ): Promise<Map<number, CellArray>> {
    if (chunks.length > chunksMax)
      throw new UpstreamError(
        'too_large',
        `The raster window touches ${chunks.length} tiles. The maximum is ${chunksMax}.`,
      )
    const tiles = new Map<number, CellArray>()
    for (let i = 0; i < chunks.length; i += concurrentReads) {
      await Promise.all(
        chunks.slice(i, i + concurrentReads).map(async (chunk) => {
          const key = tileKeyOf(reader, chunk, band)
          const cells = await tileReads.join(key, Infinity, budget, (flightBudget) =>
            readTile(reader, layout, { chunk, band }, flightBudget),
          )
          cache.put(key, cells)
          tiles.set(chunk, cells)
        }),
      )
    }
    return tiles
  }

  async function readWindow(
    reader: RangeReader,
    layout: RasterLayout,
    query: WindowQuery,
    options: WindowOptions,
    budget: Budget,
  ): Promise<Grid> {
    const { band = 1, nodata = [] } = options
    if (band > layout.bands)
      throw new UpstreamError('unsupported_request', `The raster has no band ${band}. It has ${layout.bands} bands.`)
    const cellWindow = cellWindowOf(layout, query)
    const range = cellRangeOf(layout, cellWindow)
    const cached = new Map<number, CellArray>()
    const missing: number[] = []
    for (const chunk of range ? chunksOf(layout, band, range) : []) {
      const cells = cache.get(tileKeyOf(reader, chunk, band))
      if (cells) cached.set(chunk, cells)
      else missing.push(chunk)
    }
    const fetched = missing.length === 0 ? cached : await fetchTiles(reader, layout, band, missing, budget)
    return buildGrid(layout, cellWindow, range, { band, nodata }, (chunk) => cached.get(chunk) ?? fetched.get(chunk)!)
  }

  function createRaster(reader: RangeReader, layout: RasterLayout, close: () => void): Raster {
    const { width, height, crs, nodata } = layout
    const bounds = rasterBoundsOf(layout)
    const covers: Raster['covers'] = (at) => coversPoint(layout, bounds, at)
    return {
      width,
      height,
      crs,
      nodata,
      bounds,
      covers,
      close,
      window: (query, options, budget) => readWindow(reader, layout, query, options, budget),
    }
  }

  return {
    async open(reader, budget) {
      return createRaster(reader, await readHeader(reader, budget), () => {})
    },
    async openFile(path, budget = noDeadline) {
      const reader = await openFileReader(path)
      const close = () => {
        fileClosers.delete(close)
        reader.close()
      }
      fileClosers.add(close)
      try {
        const layout = await readHeader(reader, budget)
        await checkComplete(layout, reader.size_bytes, budget)
        if (isWarmedUp) decoder.start()
        return createRaster(reader, layout, close)
      } catch (error) {
        close()
        throw error
      }
    },
    warmUp({ remote }) {
      isWarmedUp = !isClosed
      if (isWarmedUp && (remote || fileClosers.size > 0)) decoder.start()
    },
    close() {
      isClosed = true
      isWarmedUp = false
      decoder.close()
      for (const closeFile of fileClosers) closeFile()
      cache.clear()
      headers.clear()
    },
  }
}

function tileKeyOf(reader: RangeReader, chunk: number, band: number): string {
  return `${reader.id} ${chunk} ${band}`
}
