import { UpstreamError } from '../model/error.ts'
import type { Budget, Grid } from '../model/source.ts'
import type { Cells } from './decode.ts'
import { openDecoder, type StartWorker } from './decoder.ts'
import { openFileReader } from './file-reader.ts'
import { boundsOf, coversPoint, frameOf } from './frame.ts'
import { chunksOf, gridOf, partOf } from './grid.ts'
import { readLayout, type Layout } from './layout.ts'
import type { RangeReader, Raster, WindowOptions, WindowQuery } from './raster.ts'
import { openShared } from './shared-work.ts'
import { openTileCache } from './tile-cache.ts'
import { checkWhole } from './whole.ts'

/** Opens rasters, and keeps their headers and what was decoded of them. */
export type Rasters = {
  open(reader: RangeReader, budget: Budget): Promise<Raster>
  openFile(path: string, budget?: Budget): Promise<Raster>
  /** From now on the worker is started before the first tile: at once, where rasters of other servers may be asked, else when a file is open. */
  prepare(of: { others: boolean }): void
  close(): void
}

const headersMax = 256
const chunksMax = 1_024
const readsAtOnce = 8
const noHurry: Budget = { signal: new AbortController().signal }
const hole = new Uint8Array(0)

/** The decoded tiles that are kept take at most `cacheMax_bytes`. The worker is started with the first tile, or when it is prepared for. */
export function openRasters({ startWorker, cacheMax_bytes = 64 * 1_048_576 }: { startWorker: StartWorker; cacheMax_bytes?: number }): Rasters {
  const cache = openTileCache(cacheMax_bytes)
  const decoder = openDecoder(startWorker)
  const headers = new Map<string, Layout>()
  const headersUnderWay = openShared<Layout>()
  const tilesUnderWay = openShared<Cells>()
  const files = new Set<() => void>()
  let isPrepared = false
  let isClosed = false

  async function headerOf(reader: RangeReader, budget: Budget): Promise<Layout> {
    const key = `${reader.id} ${reader.crs ?? ''}`
    const layout = headers.get(key) ?? (await headersUnderWay(key, budget, () => readLayout(reader, budget)))
    headers.delete(key)
    headers.set(key, layout)
    for (const oldest of headers.keys()) {
      if (headers.size <= headersMax) break
      headers.delete(oldest)
    }
    return layout
  }

  async function tileOf(reader: RangeReader, layout: Layout, { chunk, band }: { chunk: number; band: number }, budget: Budget): Promise<Cells> {
    const place = await layout.bytesOf(chunk, budget)
    if (!place) return hole
    const bytes = await reader.read(place.offset, place.length, budget)
    if (bytes.length < place.length) throw new UpstreamError('bad_response', `The raster ends at byte ${place.offset + bytes.length}, within a tile of ${place.length} bytes at ${place.offset}.`)
    return await decoder.decode(bytes, layout.formOf(chunk, band), budget)
  }

  /** Those tiles of the list that are not at hand. */
  async function fetchTiles(reader: RangeReader, layout: Layout, band: number, chunks: number[], budget: Budget): Promise<Map<number, Cells>> {
    if (chunks.length > chunksMax) throw new UpstreamError('too_large', `The window touches ${chunks.length} tiles of the raster, more than ${chunksMax}.`)
    const tiles = new Map<number, Cells>()
    for (let i = 0; i < chunks.length; i += readsAtOnce) {
      await Promise.all(
        chunks.slice(i, i + readsAtOnce).map(async (chunk) => {
          const key = keyOf(reader, chunk, band)
          const cells = await tilesUnderWay(key, budget, () => tileOf(reader, layout, { chunk, band }, budget))
          cache.put(key, cells)
          tiles.set(chunk, cells)
        }),
      )
    }
    return tiles
  }

  async function windowOf(reader: RangeReader, layout: Layout, query: WindowQuery, options: WindowOptions, budget: Budget): Promise<Grid> {
    const { band = 1, nodata = [] } = options
    if (band > layout.bands) throw new UpstreamError('unsupported_request', `Band ${band} was asked for, and the raster has ${layout.bands}.`)
    const frame = frameOf(layout, query)
    const part = partOf(layout, frame)
    const held = new Map<number, Cells>()
    const missing: number[] = []
    for (const chunk of part ? chunksOf(layout, band, part) : []) {
      const cells = cache.get(keyOf(reader, chunk, band))
      if (cells) held.set(chunk, cells)
      else missing.push(chunk)
    }
    const fetched = missing.length === 0 ? held : await fetchTiles(reader, layout, band, missing, budget)
    return gridOf(layout, frame, part, { band, nodata }, (chunk) => held.get(chunk) ?? fetched.get(chunk)!)
  }

  function rasterOf(reader: RangeReader, layout: Layout, close: () => void): Raster {
    const { width, height, crs, nodata } = layout
    const bounds = boundsOf(layout)
    const covers: Raster['covers'] = (at) => coversPoint(layout, bounds, at)
    return { width, height, crs, nodata, bounds, covers, close, window: (query, options, budget) => windowOf(reader, layout, query, options, budget) }
  }

  return {
    async open(reader, budget) {
      return rasterOf(reader, await headerOf(reader, budget), () => {})
    },
    async openFile(path, budget = noHurry) {
      const reader = await openFileReader(path)
      const close = () => {
        files.delete(close)
        reader.close()
      }
      files.add(close)
      try {
        const layout = await headerOf(reader, budget)
        await checkWhole(layout, reader.size_bytes, budget)
        if (isPrepared) decoder.start()
        return rasterOf(reader, layout, close)
      } catch (error) {
        close()
        throw error
      }
    },
    prepare({ others }) {
      isPrepared = !isClosed
      if (isPrepared && (others || files.size > 0)) decoder.start()
    },
    close() {
      isClosed = true
      isPrepared = false
      decoder.close()
      for (const closeFile of files) closeFile()
      cache.clear()
      headers.clear()
    },
  }
}

function keyOf(reader: RangeReader, chunk: number, band: number): string {
  return `${reader.id} ${chunk} ${band}`
}
