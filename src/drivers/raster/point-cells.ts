import { ringOfBox, type QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { t } from '../driver.ts'
import { mapInPairs, type FeatureHarvester, type JsonValue, type RasterHarvester } from '../harvest.ts'
import { crsTagsOfEpsg, tileSide, writeTiledGeotiff } from './tiled-geotiff.ts'

/** One axis of a grid in degrees: the size of its cells, and any one of their edges. */
const axis = t.Object({ step: t.Number({ exclusiveMinimum: 0 }), edge: t.Number() })

/**
 * The cell grids of a service that answers one point per request. All points of a cell have the same answer. A copy
 * checks this. With several grids, points have the same answer if they share a cell in every grid.
 */
export const pointGridsSchema = t.Array(t.Object({ lat: axis, lng: axis }), { minItems: 1 })
type Axis = { step: number; edge: number }
type PointGrids = readonly { lat: Axis; lng: Axis }[]

/** A service that answers points. `comparedPart`: the part of an answer that is the same in a cell. */
export type PointService<T> = {
  host: string
  net: HttpClient
  grids: PointGrids
  read(at: Point, net: HttpClient, budget: Budget): Promise<T>
  comparedPart?: (value: T) => unknown
}

/** Creates the harvester of documents: a polygon for each cell, with its document as JSON in the column `document`. */
export function createCellHarvester(service: PointService<JsonValue>): FeatureHarvester {
  const { host, grids, net } = service
  return {
    shape: 'features',
    host,
    estimate: (boxes) => Promise.resolve(estimateOf(cellsOf(grids, boxes).length * requestsPerCheckedCell)),
    async copy(boxes, journal, budget) {
      const recording = journal.recordReplies(net)
      const cells = cellsOf(grids, boxes)
      const pages = await mapInPairs(cells, async (cell, i) => {
        const page = `cell-${i}`
        await journal.page(page, async () => {
          const document = await readCheckedCell(cell, service, recording, budget)
          const properties = { document: JSON.stringify(document) }
          return {
            features: [{ geometry: { points: [], lines: [], polygons: [[ringOfBox(cell)]] }, properties }],
            result: 1,
          }
        })
        return page
      })
      const layer = { level: null, position: 0, packLayer: null, key: null, edited: null }
      const counts = { features: cells.length, service_count: null, hasRepeats: false }
      return [{ ...layer, ...counts, pages, columns: ['document'] }]
    },
  }
}

/** Creates the harvester of numbers: a raster with the grid of the service. Some of its cells are checked. */
export function createCellRasterHarvester(service: PointService<number | null>): RasterHarvester {
  const { host, grids, net } = service
  return {
    shape: 'raster',
    host,
    estimate: (boxes) =>
      Promise.resolve(estimateOf(cellsOf(grids, boxes).length + checkedCells * (requestsPerCheckedCell - 1))),
    async copy(boxes, journal, budget, path) {
      const recording = journal.recordReplies(net)
      const cells = cellsOf(grids, boxes)
      const every = Math.ceil(cells.length / checkedCells)
      const values = await mapInPairs(cells, (cell, i) =>
        i % every === 0
          ? readCheckedCell(cell, service, recording, budget)
          : service.read(centerOf(cell), recording, budget),
      )
      await writeCells(path, grids[0]!, cells, values)
      return { cells: cells.length, vintage: null }
    },
  }
}

const requestsPerCheckedCell = 5
const checkedCells = 16
const maxCells = 50_000
/** For the estimate only. */
const expectedReply_bytes = 4_000
/** How far from the edges of a cell its corners are checked, as a share of its size. */
const inset = 0.02
const nodata = -999_999

function estimateOf(requests: number) {
  return { requests, features: 0, bytes: requests * expectedReply_bytes }
}

/** The cells that touch boxes. @throws {UpstreamError} if there are too many. */
function cellsOf(grids: PointGrids, boxes: readonly QueryBox[]): QueryBox[] {
  const cells = new Map<string, QueryBox>()
  for (const { w, s, e, n } of boxes) {
    const lngs = edgesOf(
      grids.map(({ lng }) => lng),
      [w, e],
      180,
    )
    const lats = edgesOf(
      grids.map(({ lat }) => lat),
      [s, n],
      90,
    )
    if (lngs.length * lats.length > maxCells) throw tooManyCells()
    for (const [row, south] of lats.slice(0, -1).entries())
      for (const [column, west] of lngs.slice(0, -1).entries())
        cells.set(`${west} ${south}`, { w: west, s: south, e: lngs[column + 1]!, n: lats[row + 1]! })
    if (cells.size > maxCells) throw tooManyCells()
  }
  return [...cells.values()]
}

function tooManyCells(): UpstreamError {
  return new UpstreamError(
    'too_large',
    `The area has more than ${maxCells} cells of the service, and each needs a request. Use a smaller area.`,
  )
}

/** The edges of the cells that a range touches, from the first below it to the first above it. */
function edgesOf(axes: readonly Axis[], [from, to]: [number, number], limit: number): number[] {
  const edges = axes.flatMap(({ step, edge }) => {
    const first = Math.floor((from - edge) / step)
    const last = Math.max(first + 1, Math.ceil((to - edge) / step))
    return Array.from({ length: last - first + 1 }, (_, i) => edge + (first + i) * step)
  })
  const sorted = [...new Set(edges.map((it) => Math.max(-limit, Math.min(limit, it))))].toSorted((a, b) => a - b)
  const begin = sorted.findLastIndex((it) => it <= from)
  const end = sorted.findIndex((it) => it >= to)
  return sorted.slice(Math.max(0, begin), end === -1 ? undefined : end + 1)
}

/** @throws {UpstreamError} `bad_response` if the corners of the cell have another answer than its center. */
async function readCheckedCell<T>(
  cell: QueryBox,
  { host, read, comparedPart = (it) => it }: PointService<T>,
  net: HttpClient,
  budget: Budget,
): Promise<T> {
  const value = await read(centerOf(cell), net, budget)
  const expected = JSON.stringify(comparedPart(value))
  for (const corner of cornersOf(cell))
    if (JSON.stringify(comparedPart(await read(corner, net, budget))) !== expected)
      throw new UpstreamError(
        'bad_response',
        `${host} answers differently at ${corner.lat},${corner.lng} than in the middle of the same cell. Its data has another grid than the catalog says, so it cannot be copied.`,
      )
  return value
}

function centerOf({ w, s, e, n }: QueryBox): Point {
  return { lat: (s + n) / 2, lng: (w + e) / 2 }
}

function cornersOf({ w, s, e, n }: QueryBox): Point[] {
  const [x, y] = [inset * (e - w), inset * (n - s)]
  return [s + y, n - y].flatMap((lat) => [w + x, e - x].map((lng) => ({ lat, lng })))
}

/** Writes the values of cells as a GeoTIFF. */
function writeCells(
  path: string,
  { lat, lng }: { lat: Axis; lng: Axis },
  cells: readonly QueryBox[],
  values: readonly (number | null)[],
): Promise<void> {
  const west = Math.min(...cells.map(({ w }) => w))
  const north = Math.max(...cells.map(({ n }) => n))
  const [columnOf, rowOf] = [
    ({ w }: QueryBox) => Math.round((w - west) / lng.step),
    ({ n }: QueryBox) => Math.round((north - n) / lat.step),
  ]
  const raster = {
    width: Math.max(...cells.map(columnOf)) + 1,
    height: Math.max(...cells.map(rowOf)) + 1,
    sampleType: 'float64' as const,
    nodata,
    scale: 1,
    origin: [west, north] as [number, number],
    step: [lng.step, -lat.step] as [number, number],
    crsTags: crsTagsOfEpsg(4326),
  }
  const tiles = new Map<string, Float64Array<ArrayBuffer>>()
  for (const [i, cell] of cells.entries()) {
    const [column, row] = [columnOf(cell), rowOf(cell)]
    const key = `${Math.floor(column / tileSide)} ${Math.floor(row / tileSide)}`
    const tile = tiles.get(key) ?? new Float64Array(tileSide ** 2).fill(nodata)
    tiles.set(key, tile)
    tile[(row % tileSide) * tileSide + (column % tileSide)] = values[i] ?? nodata
  }
  return writeTiledGeotiff(path, raster, (column, row) => Promise.resolve(tiles.get(`${column} ${row}`) ?? null))
}
