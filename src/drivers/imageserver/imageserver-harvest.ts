import type { QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { crsTagsOfEpsg, tileSide, writeTiledGeotiff } from '../raster/tiled-geotiff.ts'
import { sampleArrays, type CellArray } from '../../raster/decode.ts'
import type { HarvestDeps, HarvestEstimate, HarvestedRaster } from '../harvest.ts'
import { identifyCell } from './imageserver-cells.ts'
import {
  createEditionFinder,
  mosaicParametersOf,
  type EditionYear,
  type MosaicParameters,
} from './imageserver-editions.ts'
import { describeService, exportCells, requireSameCell, type CellExport } from './imageserver-export.ts'
import { createTileCache } from '../../raster/tile-cache.ts'
import { cellWindowsOf, countTiles, defaultNodata, touchesTile } from '../raster/raster-window.ts'

/** An image service that is copied. The other members are settings of the driver. */
export type ImageServerCopy = {
  service: string
  edition_attribute: string | undefined
  /** The editions to copy, the newest (0) first. */
  editions: readonly number[]
  scale: number
  nodata: readonly number[]
  unloaded_code: number | undefined
}

/** The size of the copy of boxes. */
export async function estimateImageServer(
  { service, edition_attribute, editions }: ImageServerCopy,
  boxes: readonly QueryBox[],
  { net }: HarvestDeps,
  budget: Budget,
): Promise<HarvestEstimate> {
  const grid = await describeService(service, net, budget)
  const windows = cellWindowsOf(grid, boxes)
  if (!windows) return { requests: 1, features: 0, bytes: 0 }
  const tiles = countTiles(windows)
  const tile_bytes = tileSide ** 2 * sampleArrays[grid.sampleType].BYTES_PER_ELEMENT
  const bands = edition_attribute === undefined ? 1 : editions.length
  return {
    requests: 2 + bands * (probeSide ** 2 + Math.ceil(tiles / blockTiles ** 2)),
    features: 0,
    bytes: (bands * tiles * tile_bytes) / 4,
  }
}

/**
 * Copies the cells of boxes into a GeoTIFF in the grid of the service, without resampling. Each edition is a band. An
 * edition that the service lacks is a band without data, as the service answers it.
 */
export async function copyImageServer(
  copy: ImageServerCopy,
  { boxes, path }: { boxes: readonly QueryBox[]; path: string },
  deps: HarvestDeps,
  budget: Budget,
): Promise<HarvestedRaster> {
  const { service, scale } = copy
  const grid = await describeService(service, deps.net, budget)
  const windows = cellWindowsOf(grid, boxes)
  const { host } = new URL(service)
  if (!windows)
    throw new UpstreamError('unsupported_request', `${host} has no cells in the area. There is nothing to copy.`)
  const probes = probePoints(boxes)
  const editions = await findEditions(copy, probes, deps, budget)
  const nodata = copy.nodata[0] ?? defaultNodata[grid.sampleType]
  const readers: (ReadBlock | null)[] = []
  for (const { mosaic } of editions) {
    const cells = { service, grid, mosaic: mosaic ?? {}, nodata, otherNodata: copy.nodata }
    const readBlock = mosaic && createBlockReader(cells, windows.whole, deps, budget)
    if (readBlock) await requireSameCells(cells, { ...windows.whole, probes, readBlock }, deps, budget)
    readers.push(readBlock)
  }
  const { whole } = windows
  const { x, y, step_x, step_y } = grid.geoTransform
  const raster = {
    width: whole.right - whole.left,
    height: whole.bottom - whole.top,
    bands: editions.length,
    sampleType: grid.sampleType,
    nodata,
    scale,
    origin: [x + whole.left * step_x, y + whole.top * step_y] as [number, number],
    step: [step_x, -step_y] as [number, number],
    crsTags: crsTagsOfEpsg(grid.epsg),
  }
  await writeTiledGeotiff(path, raster, async (column, row, band) => {
    const readBlock = readers[band]
    return readBlock && touchesTile(windows, column, row) ? tileOf(readBlock, column, row, nodata) : null
  })
  const years = editions.flatMap(({ year }) => year ?? [])
  return {
    cells: raster.width * raster.height * raster.bands,
    vintage: years.length === 0 ? null : String(years[0]),
    ...(years.length > 1 && { editions: years }),
  }
}

/** An edition to copy. `year` is null for a service without years, `mosaic` for a year that the service lacks. */
type CopiedEdition = { year: number | null; mosaic: MosaicParameters | null }

type ReadBlock = (column: number, row: number) => Promise<CellArray>
/** The corner of the copied range, from which blocks are counted. */
type Corner = { left: number; top: number }

/** The side of a block that is requested at once, in tiles. */
const blockTiles = 4
const blockSide = blockTiles * tileSide
const cachedBlocks = 25
const probeSide = 4

/** The editions to copy. They count from the newest one that is loaded in the area. */
async function findEditions(
  { service, edition_attribute, editions, unloaded_code }: ImageServerCopy,
  probes: readonly Point[],
  { net, now }: HarvestDeps,
  budget: Budget,
): Promise<CopiedEdition[]> {
  // A deadline of its own would end while the request waits for its turn.
  const findEdition = createEditionFinder(edition_attribute, net, now, () => budget)
  const newest = await findEdition(service, 0, budget)
  if (newest === null || newest === 'single_edition') return [{ year: null, mosaic: {} }]
  const isLoaded =
    unloaded_code === undefined || (await isLoadedAt(probes, { service, newest, unloaded_code }, net, budget))
  const first = isLoaded ? 0 : -1
  const copied: CopiedEdition[] = []
  for (const edition of editions) {
    const found = await findEdition(service, first + edition, budget)
    const mosaic = found === null || found === 'single_edition' ? null : mosaicParametersOf([found])
    copied.push({ year: newest.year + first + edition, mosaic })
  }
  return copied
}

/** Whether the data of the newest edition is loaded at one of the points. */
async function isLoadedAt(
  probes: readonly Point[],
  { service, newest, unloaded_code }: { service: string; newest: EditionYear; unloaded_code: number },
  net: HttpClient,
  budget: Budget,
): Promise<boolean> {
  for (const at of probes)
    if ((await identifyCell(net, service, { at, mosaic: mosaicParametersOf([newest]) }, budget)) !== unloaded_code)
      return true
  return false
}

/** Creates a function that reads a block. The last blocks are kept. */
function createBlockReader(cells: CellExport, { left, top }: Corner, { net }: HarvestDeps, budget: Budget): ReadBlock {
  const cell_bytes = sampleArrays[cells.grid.sampleType].BYTES_PER_ELEMENT
  const blocks = createTileCache(cachedBlocks * blockSide ** 2 * cell_bytes)
  return async (column, row) => {
    const key = `${column} ${row}`
    const cached = blocks.get(key)
    if (cached) return cached
    const rect = { column: left + column * blockSide, row: top + row * blockSide, width: blockSide, height: blockSide }
    const block = await exportCells(net, cells, rect, budget)
    blocks.put(key, block)
    return block
  }
}

/** A tile of a block; null if it has no cell with a value. */
async function tileOf(readBlock: ReadBlock, column: number, row: number, nodata: number): Promise<CellArray | null> {
  const block = await readBlock(Math.floor(column / blockTiles), Math.floor(row / blockTiles))
  const [left, top] = [(column % blockTiles) * tileSide, (row % blockTiles) * tileSide]
  const tile = block.slice(0, tileSide ** 2)
  for (let y = 0; y < tileSide; y++)
    tile.set(block.subarray((top + y) * blockSide + left, (top + y) * blockSide + left + tileSide), y * tileSide)
  return tile.every((cell) => cell === nodata) ? null : tile
}

/**
 * Compares some cells with the operation that answers online. An image can be resampled, rendered in colors, or have
 * other values for cells without data.
 */
async function requireSameCells(
  cells: CellExport,
  { left, top, probes, readBlock }: Corner & { probes: readonly Point[]; readBlock: ReadBlock },
  { net }: HarvestDeps,
  budget: Budget,
): Promise<void> {
  for (const probe of probes) {
    const readCell = async (column: number, row: number) => {
      const [x, y] = [column - left, row - top]
      const block = await readBlock(Math.floor(x / blockSide), Math.floor(y / blockSide))
      return block[(y % blockSide) * blockSide + (x % blockSide)]!
    }
    await requireSameCell(net, cells, { probe, readCell }, budget)
  }
}

/** Points evenly spread over the first box. */
function probePoints([box]: readonly QueryBox[]): Point[] {
  const { w, s, e, n } = box!
  const parts = Array.from({ length: probeSide }, (_, i) => (i + 0.5) / probeSide)
  return parts.flatMap((up) => parts.map((across) => ({ lat: s + (n - s) * up, lng: w + (e - w) * across })))
}
