import { regionNear } from '../../geo/us.ts'
import { createSingleFlight } from '../../async/single-flight.ts'
import type { RasterPiece, CellQuery, CellRect } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget, Grid } from '../../model/source.ts'
import { abortableForHost } from '../../net/host-abort.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { cellPositionOf, cellPositions, windowOfRect } from '../../raster/cell-window.ts'
import type { CellArray } from '../../raster/decode.ts'
import type { CellRange } from '../../raster/grid.ts'
import { createTileCache } from '../../raster/tile-cache.ts'
import { identifyCell } from './imageserver-cells.ts'
import { mosaicParametersOf, type EditionYear, type FindEdition } from './imageserver-editions.ts'
import {
  describeService,
  exportCells,
  requireSameCell,
  type CellExport,
  type ServiceGrid,
} from './imageserver-export.ts'
import { defaultNodata } from '../raster/raster-window.ts'
import { fillUrl } from '../rest/url-template.ts'

/** Cells are requested and cached in squares of this side. */
const blockSide = 512
const cacheMax_bytes = 32 * 1_048_576
/** An area or a line can touch this many squares: 17 million cells. */
const blocksMax = 64
const describeMax_ms = 10_000
const describedFor_ms = 86_400_000

type Settings = {
  endpoint: string
  regions?: Record<string, string>
  scale?: number
  nodata?: number[]
  unloaded_code?: number
}
type Deps = {
  net: HttpClient
  now: () => Date
  findEdition: FindEdition
  requireFormat: (service: string) => Promise<void>
}

/**
 * Creates the reader of the cells of an image service near an area, in the grid of the service. It compares one
 * exported cell with the answer about its center.
 */
export function createImageServerCells(
  { endpoint, regions, scale = 1, nodata: otherNodata = [], unloaded_code }: Settings,
  { net, now, findEdition, requireFormat }: Deps,
): (query: CellQuery, budget: Budget) => Promise<RasterPiece[]> {
  const gridOf = createGridFinder(net, now)
  const blocks = createTileCache(cacheMax_bytes)
  const flights = createSingleFlight<CellArray>()
  return async ({ at }, budget) => {
    const service = regions ? fillUrl(endpoint, { region: regions[regionNear(at)] }) : endpoint
    const grid = await gridOf(service, budget)
    const edition = await editionAt(service, at, budget)
    const mosaic = mosaicParametersOf(edition ? [edition] : [])
    const source: CellExport = {
      service,
      grid,
      mosaic,
      nodata: otherNodata[0] ?? defaultNodata[grid.sampleType],
      otherNodata,
    }
    const touched = new Set<string>()
    const blockReader =
      (readBudget: Budget): ReadBlock =>
      async (column, row) => {
        if (touched.add(`${column} ${row}`).size > blocksMax) throw tooManyCellsError(service)
        return blockAt(source, edition?.year ?? null, { column, row }, readBudget)
      }
    await requireFormat(service)
    const readCell = cellReaderOf(blockReader(budget))
    if (isInGrid(grid, at)) await requireSameCell(net, source, { probe: at, readCell }, budget)
    const read = async (rect: CellRect, readBudget: Budget) => readRect(source, rect, blockReader(readBudget), scale)
    return [
      {
        cells: { ...cellPositions(grid), rowsPerChunk: blockSide, read },
        polygons: null,
      },
    ]
  }

  /** The newest edition that is loaded at a place; null for a service with one edition. */
  async function editionAt(service: string, at: Point, budget: Budget): Promise<EditionYear | null> {
    const newest = await findEdition(service, 0, budget)
    if (newest === null || newest === 'single_edition') return null
    if (unloaded_code === undefined) return newest
    const cell = await identifyCell(net, service, { at, mosaic: mosaicParametersOf([newest]) }, budget)
    if (cell !== unloaded_code) return newest
    const earlier = await findEdition(service, -1, budget)
    return earlier === 'single_edition' ? null : earlier
  }

  async function blockAt(
    source: CellExport,
    year: number | null,
    { column, row }: { column: number; row: number },
    budget: Budget,
  ): Promise<CellArray> {
    const key = `${source.service} ${year} ${column} ${row}`
    const cached = blocks.get(key)
    if (cached) return cached
    return flights.join(key, Infinity, budget, async (flightBudget) => {
      const rect = { column: column * blockSide, row: row * blockSide, width: blockSide, height: blockSide }
      const cells = await exportCells(net, source, rect, flightBudget)
      blocks.put(key, cells)
      return cells
    })
  }
}

/** Returns a function that reads the grid of a service from its description, once a day. */
function createGridFinder(net: HttpClient, now: () => Date) {
  const grids = new Map<string, { grid: Promise<ServiceGrid>; expires_ms: number }>()
  return (service: string, { signal }: Budget): Promise<ServiceGrid> => {
    const time_ms = now().getTime()
    const known = grids.get(service)
    // It has its own deadline, so that an aborted caller does not fail the others.
    const isKnown = known !== undefined && time_ms < known.expires_ms
    const entry = isKnown
      ? known
      : {
          grid: describeService(service, net, { signal: AbortSignal.timeout(describeMax_ms) }),
          expires_ms: time_ms + describedFor_ms,
        }
    grids.set(service, entry)
    entry.grid.catch(() => grids.get(service) === entry && grids.delete(service))
    return abortableForHost(entry.grid, signal, new URL(service).host)
  }
}

function tooManyCellsError(service: string): UpstreamError {
  return new UpstreamError(
    'too_large',
    `The area touches more than ${blocksMax} squares of ${blockSide} by ${blockSide} cells of ${new URL(service).host}. Ask about a smaller area, or install a pack of the dataset.`,
  )
}

function isInGrid(grid: ServiceGrid, at: Point): boolean {
  const { x, y } = cellPositionOf(grid, at)
  return x >= 0 && x < grid.width && y >= 0 && y < grid.height
}

type ReadBlock = (column: number, row: number) => Promise<CellArray>

function cellReaderOf(readBlock: ReadBlock) {
  return async (column: number, row: number) => {
    const block = await readBlock(Math.floor(column / blockSide), Math.floor(row / blockSide))
    return block[positionIn(column, row)]!
  }
}

function positionIn(column: number, row: number): number {
  return (
    (row - blockSide * Math.floor(row / blockSide)) * blockSide + column - blockSide * Math.floor(column / blockSide)
  )
}

/** The cells of a rectangle, from the blocks that it touches. */
async function readRect(
  { grid, nodata }: CellExport,
  rect: CellRect,
  readBlock: ReadBlock,
  scale: number,
): Promise<Grid> {
  const { at_x, at_y, cell_x_m, cell_y_m } = windowOfRect(grid, rect)
  const { column, row, width, height } = rect
  const cells: (number | null)[] = Array.from({ length: width * height }, () => null)
  const [top, bottom] = [Math.max(0, row), Math.min(grid.height, row + height)]
  const [left, right] = [Math.max(0, column), Math.min(grid.width, column + width)]
  for (let blockRow = Math.floor(top / blockSide); blockRow * blockSide < bottom; blockRow++)
    for (let blockColumn = Math.floor(left / blockSide); blockColumn * blockSide < right; blockColumn++) {
      const block = await readBlock(blockColumn, blockRow)
      const range = {
        left: Math.max(left, blockColumn * blockSide),
        right: Math.min(right, (blockColumn + 1) * blockSide),
        top: Math.max(top, blockRow * blockSide),
        bottom: Math.min(bottom, (blockRow + 1) * blockSide),
      }
      copyCells(block, range, (x, y, cell) => {
        if (cell !== nodata) cells[(y - row) * width + x - column] = cell * scale
      })
    }
  return { width, height, at_x, at_y, cells, cell_x_m, cell_y_m }
}

function copyCells(
  block: CellArray,
  { left, right, top, bottom }: CellRange,
  put: (x: number, y: number, cell: number) => void,
): void {
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) put(x, y, block[positionIn(x, y)]!)
}
