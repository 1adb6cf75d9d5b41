import type { QueryBox } from '../geo/boxes.ts'
import { projectionOf } from '../geo/projection.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import { tileSide, writeTiledGeotiff } from './tiled-geotiff.ts'
import { cellPositionOf } from '../raster/cell-window.ts'
import { decodeChunk, sampleArrays, type CellArray, type SampleType } from '../raster/decode.ts'
import { chunksOf } from '../raster/grid.ts'
import { readRasterLayout } from '../raster/layout.ts'
import { unexpectedResponse } from './driver-errors.ts'
import type { HarvestDeps, HarvestEstimate, HarvestedRaster } from './harvest.ts'
import { identifyCell } from './imageserver-cells.ts'
import {
  createEditionFinder,
  mosaicParametersOf,
  type EditionYear,
  type MosaicParameters,
} from './imageserver-editions.ts'
import { requestImageServer } from './imageserver-request.ts'
import {
  cellWindowsOf,
  countTiles,
  defaultNodata,
  epsgOf,
  touchesTile,
  type CellGrid,
  type CellWindows,
} from './raster-window.ts'
import { tryParseJson } from './reply.ts'
import { throwStructuredError } from './structured-error.ts'

/** An image service that is copied. The other members are settings of the driver. */
export type ImageServerCopy = {
  service: string
  edition_attribute: string | undefined
  scale: number
  nodata: readonly number[]
  unloaded_code: number | undefined
}

/** The size of the copy of boxes. */
export async function estimateImageServer(
  { service }: ImageServerCopy,
  boxes: readonly QueryBox[],
  { net }: HarvestDeps,
  budget: Budget,
): Promise<HarvestEstimate> {
  const grid = await describeService(service, net, budget)
  const windows = cellWindowsOf(grid, boxes)
  if (!windows) return { requests: 1, features: 0, bytes: 0 }
  const tiles = countTiles(windows)
  const tile_bytes = tileSide ** 2 * sampleArrays[grid.sampleType].BYTES_PER_ELEMENT
  return {
    requests: 2 + probeSide ** 2 + Math.ceil(tiles / blockTiles ** 2),
    features: 0,
    bytes: (tiles * tile_bytes) / 4,
  }
}

/** Copies the cells of boxes into a GeoTIFF in the grid of the service: its newest edition, without resampling. */
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
  const edition = await findNewestEdition(copy, probes, deps, budget)
  const mosaic = mosaicParametersOf(edition ? [edition] : [])
  const nodata = copy.nodata[0] ?? defaultNodata[grid.sampleType]
  const readBlock = createBlockReader({ copy, grid, windows, mosaic, nodata }, deps, budget)
  const { whole } = windows
  const { x, y, step_x, step_y } = grid.geoTransform
  await requireSameCells({ probes, grid, windows, mosaic, copy, nodata }, readBlock, deps, budget)
  await writeTiledGeotiff(
    path,
    {
      width: whole.right - whole.left,
      height: whole.bottom - whole.top,
      sampleType: grid.sampleType,
      nodata,
      scale,
      origin: [x + whole.left * step_x, y + whole.top * step_y],
      step: [step_x, -step_y],
      epsg: grid.epsg,
    },
    async (column, row) => (touchesTile(windows, column, row) ? tileOf(readBlock, column, row, nodata) : null),
  )
  return {
    cells: (whole.right - whole.left) * (whole.bottom - whole.top),
    vintage: edition ? String(edition.year) : null,
  }
}

type ServiceGrid = CellGrid & { sampleType: SampleType; pixelType: string; epsg: number; wkid: number }
type ReadBlock = (column: number, row: number) => Promise<CellArray>
type BlockSource = {
  copy: ImageServerCopy
  grid: ServiceGrid
  windows: CellWindows
  mosaic: MosaicParameters
  nodata: number
}

/** The side of a block that is requested at once, in tiles. */
const blockTiles = 4
const blockSide = blockTiles * tileSide
const cachedBlocks = 24
const probeSide = 4
/** Floats are sent as text by one operation, and as bits by the other. */
const floatTolerance = 1e-4

const sampleTypes: Record<string, SampleType> = {
  U1: 'uint8',
  U2: 'uint8',
  U4: 'uint8',
  U8: 'uint8',
  S8: 'int8',
  U16: 'uint16',
  S16: 'int16',
  U32: 'uint32',
  S32: 'int32',
  F32: 'float32',
  F64: 'float64',
}
/** The grid of a service, from its description. @throws {UpstreamError} if it does not state its grid. */
async function describeService(service: string, net: HarvestDeps['net'], budget: Budget): Promise<ServiceGrid> {
  const description = await requestImageServer(net, { url: `${service}?f=json` }, budget)
  const { extent, pixelSizeX, pixelSizeY, pixelType, bandCount, spatialReference } = description
  const { xmin, ymin, xmax, ymax } = isRecord(extent) ? extent : {}
  const { wkid, latestWkid = wkid } = isRecord(spatialReference) ? spatialReference : {}
  const sampleType = sampleTypes[String(pixelType)]
  const numbers = [xmin, ymin, xmax, ymax, pixelSizeX, pixelSizeY, wkid, latestWkid]
  const { host } = new URL(service)
  if (!numbers.every((it) => typeof it === 'number' && Number.isFinite(it)) || !sampleType || bandCount !== 1)
    throw unexpectedResponse(host, 'a description with an extent, a cell size and one band', description)
  const [west, south, east, north, step_x, step_y, code, latest] = numbers as number[]
  const epsg = epsgOf(`EPSG:${latest}`, host)
  return {
    width: Math.round((east! - west!) / step_x!),
    height: Math.round((north! - south!) / step_y!),
    geoTransform: { x: west!, y: north!, step_x: step_x!, step_y: -step_y! },
    projection: projectionOf(`EPSG:${epsg}`),
    sampleType,
    pixelType: String(pixelType),
    epsg,
    wkid: code!,
  }
}

/** The newest edition that is loaded in the area; null for a service without editions. */
async function findNewestEdition(
  { service, edition_attribute, unloaded_code }: ImageServerCopy,
  probes: readonly Point[],
  { net, now }: HarvestDeps,
  budget: Budget,
): Promise<EditionYear | null> {
  const findEdition = createEditionFinder(edition_attribute, net, now)
  const newest = await findEdition(service, 0, budget)
  if (newest === null || newest === 'single_edition') return null
  if (unloaded_code === undefined) return newest
  for (const at of probes)
    if ((await identifyCell(net, service, { at, mosaic: mosaicParametersOf([newest]) }, budget)) !== unloaded_code)
      return newest
  const earlier = await findEdition(service, -1, budget)
  return earlier === 'single_edition' ? null : earlier
}

/** Creates a function that reads a block, counted from the corner of the copied range. The last blocks are kept. */
function createBlockReader(source: BlockSource, deps: HarvestDeps, budget: Budget): ReadBlock {
  const cache = new Map<string, CellArray>()
  return async (column, row) => {
    const key = `${column} ${row}`
    const block = cache.get(key) ?? (await requestBlock(source, { column, row }, deps, budget))
    cache.delete(key)
    cache.set(key, block)
    for (const oldest of cache.keys()) {
      if (cache.size <= cachedBlocks) break
      cache.delete(oldest)
    }
    return block
  }
}

async function requestBlock(
  { copy, grid, windows, mosaic, nodata }: BlockSource,
  { column, row }: { column: number; row: number },
  { net }: HarvestDeps,
  budget: Budget,
): Promise<CellArray> {
  const { x, y, step_x, step_y } = grid.geoTransform
  const [left, top] = [windows.whole.left + column * blockSide, windows.whole.top + row * blockSide]
  const [west, north] = [x + left * step_x, y + top * step_y]
  const parameters = new URLSearchParams({
    f: 'image',
    format: 'tiff',
    bbox: [west, north + blockSide * step_y, west + blockSide * step_x, north].join(','),
    bboxSR: String(grid.wkid),
    imageSR: String(grid.wkid),
    size: `${blockSide},${blockSide}`,
    pixelType: grid.pixelType,
    noData: String(nodata),
    interpolation: 'RSP_NearestNeighbor',
    adjustAspectRatio: 'false',
    ...mosaic,
  })
  const { host } = new URL(copy.service)
  const { bytes } = await net.send({ url: `${copy.service}/exportImage?${parameters.toString()}` }, budget)
  if (bytes[0] === '{'.charCodeAt(0)) throwStructuredError(tryParseJson(new TextDecoder().decode(bytes)), host)
  const reader = {
    id: '',
    crs: `EPSG:${grid.epsg}`,
    read: (offset: number, length: number) => Promise.resolve(bytes.subarray(offset, offset + length)),
  }
  const layout = await readRasterLayout(reader, budget)
  const isRequested =
    layout.width === blockSide &&
    layout.height === blockSide &&
    layout.sampleType === grid.sampleType &&
    Math.abs(layout.geoTransform.x - west) < step_x / 100 &&
    Math.abs(layout.geoTransform.y - north) < step_x / 100
  if (!isRequested)
    throw unexpectedResponse(host, `the ${blockSide} by ${blockSide} cells that were requested`, 'another image')
  const cells = new sampleArrays[grid.sampleType](blockSide ** 2)
  const isNodata = (cell: number) => cell === layout.nodata || copy.nodata.includes(cell) || Number.isNaN(cell)
  for (const chunk of chunksOf(layout, 1, { left: 0, right: blockSide, top: 0, bottom: blockSide })) {
    const location = await layout.locateChunk(chunk, budget)
    const part = location
      ? decodeChunk(bytes.subarray(location.offset, location.offset + location.length), layout.chunkFormatOf(chunk, 1))
      : null
    const [x0, y0] = [
      (chunk % layout.chunksAcross) * layout.chunkWidth,
      Math.floor(chunk / layout.chunksAcross) * layout.chunkHeight,
    ]
    for (let cellY = y0; cellY < Math.min(blockSide, y0 + layout.chunkHeight); cellY++)
      for (let cellX = x0; cellX < Math.min(blockSide, x0 + layout.chunkWidth); cellX++) {
        const cell = part ? part[(cellY - y0) * layout.chunkWidth + cellX - x0]! : nodata
        cells[cellY * blockSide + cellX] = isNodata(cell) ? nodata : cell
      }
  }
  return cells
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
  { probes, grid, windows, mosaic, copy, nodata }: BlockSource & { probes: readonly Point[] },
  readBlock: ReadBlock,
  { net }: HarvestDeps,
  budget: Budget,
): Promise<void> {
  const { geoTransform, projection } = grid
  for (const probe of probes) {
    const position = cellPositionOf(grid, probe)
    const [column, row] = [Math.floor(position.x), Math.floor(position.y)]
    // The center of a cell is in this cell also for a service whose sources have another grid.
    const at = projection.inverse(
      geoTransform.x + (column + 0.5) * geoTransform.step_x,
      geoTransform.y + (row + 0.5) * geoTransform.step_y,
    )
    const [x, y] = [column - windows.whole.left, row - windows.whole.top]
    const block = await readBlock(Math.floor(x / blockSide), Math.floor(y / blockSide))
    const copied = block[(y % blockSide) * blockSide + (x % blockSide)]!
    const answered = await identifyCell(net, copy.service, { at, mosaic }, budget)
    const expected = answered === null || copy.nodata.includes(answered) ? nodata : answered
    if (Math.abs(copied - expected) > floatTolerance * Math.abs(expected))
      throw new UpstreamError(
        'bad_response',
        `${new URL(copy.service).host} exports ${copied} at ${at.lat},${at.lng}, but answers ${answered ?? 'NoData'} there. A pack of it would answer wrongly.`,
      )
  }
}

/** Points evenly spread over the first box. */
function probePoints([box]: readonly QueryBox[]): Point[] {
  const { w, s, e, n } = box!
  const parts = Array.from({ length: probeSide }, (_, i) => (i + 0.5) / probeSide)
  return parts.flatMap((up) => parts.map((across) => ({ lat: s + (n - s) * up, lng: w + (e - w) * across })))
}
