import type { QueryBox } from '../../geo/boxes.ts'
import { regionNear } from '../../geo/us.ts'
import { singlePointError, unsupportedRead } from '../driver-errors.ts'
import type { Point } from '../../model/place.ts'
import type { Budget, Grid, RasterQuery } from '../../model/source.ts'
import { fillUrl } from '../rest/url-template.ts'
import { defineDriver, t } from '../driver.ts'
import { createImageServerCells } from './imageserver-area.ts'
import { identifyCell, sampleCells } from './imageserver-cells.ts'
import { mosaicParametersOf, createEditionFinder, type EditionYear } from './imageserver-editions.ts'
import { fetchHistogram } from './imageserver-histogram.ts'
import { copyImageServer, estimateImageServer, type ImageServerCopy } from './imageserver-harvest.ts'
import { describeService } from './imageserver-export.ts'
import { offsetPoint } from './imageserver-geometry.ts'
import { createYearlyCellReader } from './imageserver-yearly-cells.ts'
import { readNewestLastModified } from '../rest/reply-dates.ts'
import {
  pixelFormatSchema,
  formatInWords,
  missingFormatOf,
  type PixelFormat,
  type StatedFormat,
} from '../raster/pixel-format.ts'
import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { requestImageServer } from './imageserver-request.ts'

/**
 * An ArcGIS image service. It returns the cell of a point, a grid of interpolated points around it, or the counts of
 * codes in a circle.
 */
export const imageserverDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    edition_attribute: t.Optional(t.String()),
    zonal: t.Optional(t.Union([t.Literal('computeHistograms'), t.Literal('computeStatisticsHistograms')])),
    regions: t.Optional(t.Record(t.String(), t.String())),
    /** The distance between the points of a window, in meters. They are interpolated, so this does not suit codes. */
    cell_m: t.Optional(t.Number({ exclusiveMinimum: 0 })),
    /** A factor for the values, if the service uses another scale than the files. */
    scale: t.Optional(t.Number()),
    nodata: t.Optional(t.Array(t.Number())),
    /** How the service must store its cells. */
    format: t.Optional(pixelFormatSchema),
    /** `empty`: the service has no data at points for which it returns no sample at all. */
    absent_when: t.Optional(t.Array(t.Literal('empty'))),
    /**
     * The code of a cell in a year that is listed before its data is loaded. The year before counts as the newest
     * there.
     */
    unloaded_code: t.Optional(t.Integer()),
    note: t.Optional(t.String()),
  }),
  open(settings, _shape, { net, now }) {
    const {
      endpoint,
      edition_attribute,
      zonal,
      regions,
      cell_m,
      scale = 1,
      nodata = [],
      unloaded_code,
      absent_when = [],
      format,
    } = settings
    if (!net) return null
    const requireFormat = createFormatCheck(format, net, now)
    const findEdition = createEditionFinder(edition_attribute, net, now)
    const readYearlyCell = createYearlyCellReader(net)
    const scaleCell = (cell: number | null) => (cell === null || nodata.includes(cell) ? null : cell * scale)
    const source = async (query: RasterQuery, budget: Budget): Promise<Grid> => {
      const service = regions ? fillUrl(endpoint, { region: regions[regionNear(query.at)] }) : endpoint
      const grid = await readGrid(service, query, budget)
      // Not side by side: the description of a service that fails would only add a failure.
      await requireFormat(service)
      return grid
    }
    const readGrid = async (
      service: string,
      { at, radius_cells, radius_m, edition }: RasterQuery,
      budget: Budget,
    ): Promise<Grid> => {
      const isPoint = radius_m === undefined && radius_cells === 0
      const readCell = (year: FoundEdition) => (isYear(year) ? readYearlyCell({ service, at, year }, budget) : null)
      const requested = await findEdition(service, edition, budget)
      const newest = unloaded_code === undefined ? null : await findEdition(service, 0, budget)
      // Both are read in one event loop turn, so they share a request.
      const [cell, newestCell] = await Promise.all([isPoint ? readCell(requested) : null, readCell(newest)])
      const isUnloaded = unloaded_code !== undefined && newestCell === unloaded_code
      const year = isUnloaded ? await findEdition(service, (edition ?? 0) - 1, budget) : requested
      if (year === null) return noDataGrid
      const mosaic = mosaicParametersOf(year === 'single_edition' ? [] : [year])
      if (radius_m !== undefined && zonal)
        return {
          ...noDataGrid,
          counts: await fetchHistogram(net, `${service}/${zonal}`, { at, radius_m, mosaic, nodata }, budget),
          ...(isYear(year) && { year: year.year }),
        }
      if (isPoint && year !== 'single_edition')
        return {
          ...noDataGrid,
          cells: [scaleCell(isUnloaded ? await readCell(year) : cell)],
          year: year.year,
        }
      if (isPoint)
        return { ...noDataGrid, cells: [scaleCell(await identifyCell(net, service, { at, mosaic }, budget))] }
      if (cell_m === undefined) throw singlePointError(new URL(service).host)
      const { points, ...grid } = createLattice(at, cell_m, { radius_cells, radius_m })
      return {
        ...grid,
        cells: (
          await sampleCells(net, service, { points, mosaic, mayBeEmpty: absent_when.includes('empty') }, budget)
        ).map(scaleCell),
      }
    }
    const rasterPieces = createImageServerCells(settings, { net, now, findEdition, requireFormat })
    return { source, rasterPieces, vintage: null, remote: { host: new URL(endpoint).host } }
  },
  harvest({ endpoint, regions, edition_attribute, scale = 1, nodata = [], unloaded_code }, deps, { editions }) {
    const copyOf = ([box]: readonly QueryBox[]): ImageServerCopy => {
      const region = regions?.[regionNear({ lat: (box!.s + box!.n) / 2, lng: (box!.w + box!.e) / 2 })]
      const service = regions ? fillUrl(endpoint, { region }) : endpoint
      return { service, edition_attribute, editions, scale, nodata, unloaded_code }
    }
    return {
      shape: 'raster',
      host: new URL(endpoint).host,
      estimate: async (boxes, budget) => estimateImageServer(copyOf(boxes), boxes, deps, budget),
      lastEdit: (boxes, budget) =>
        readNewestLastModified(deps.net, [(client) => describeService(copyOf(boxes).service, client, budget)]),
      copy: async (boxes, journal, budget, path) =>
        copyImageServer(copyOf(boxes), { boxes, path }, { ...deps, net: journal.recordReplies(deps.net) }, budget),
    }
  },
})

type FoundEdition = EditionYear | 'single_edition' | null

function isYear(edition: FoundEdition): edition is EditionYear {
  return edition !== null && edition !== 'single_edition'
}

/** One cell without data and empty counts: the result for a year that the service lacks. */
const noDataGrid: Grid = { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [null], counts: {} }

/** For 100 points in one request, 3DEP takes 20 s and often returns 504. */
const sideMax = 7

/**
 * A grid of points around a point, row by row from the north-west, and the window they form. They are `cell_m` apart,
 * or farther to span the radius.
 */
function createLattice(at: Point, cell_m: number, { radius_cells, radius_m = 0 }: LatticeSize): Lattice {
  const side = radius_m > 0 ? sideMax : 2 * radius_cells + 1
  if (side > sideMax)
    throw unsupportedRead(
      `The field needs a window of ${side} by ${side} cells; the limit is ${sideMax} by ${sideMax}.`,
    )
  const step_m = Math.max(cell_m, (2 * radius_m) / side)
  const offsets_m = Array.from({ length: side }, (_, i) => (i - (side - 1) / 2) * step_m)
  const points = offsets_m.flatMap((south_m) =>
    offsets_m.map((east_m) => wrapLongitude(offsetPoint(at, east_m, -south_m))),
  )
  return { points, width: side, height: side, at_x: side / 2, at_y: side / 2, cell_x_m: step_m, cell_y_m: step_m }
}

type LatticeSize = { radius_cells: number; radius_m: number | undefined }
type Lattice = Omit<Grid, 'cells'> & { points: Point[] }

function wrapLongitude({ lat, lng }: Point): Point {
  return { lat, lng: lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng }
}

const describedFor_ms = 86_400_000
const failedFor_ms = 600_000
const readTimeout_ms = 3_000

/** Throws `schema_changed` if a service no longer states the format. */
type RequireFormat = (service: string) => Promise<void>

type Description = { stated: Promise<StatedFormat>; expires_ms: number }

/**
 * Creates the check of the format of image services. It reads the description of each service once a day. A description
 * that cannot be read changes nothing.
 */
function createFormatCheck(expected: PixelFormat | undefined, net: HttpClient, now: () => Date): RequireFormat {
  const descriptions = new Map<string, Description>()
  return async (service) => {
    if (!expected) return
    const stated = await formatOf(service)
    const missing = missingFormatOf(expected, stated)
    if (missing.length > 0) throw schemaChangedError(missing, formatInWords(stated))
  }

  function formatOf(service: string): Promise<StatedFormat> {
    const time_ms = now().getTime()
    const known = descriptions.get(service)
    if (known && time_ms < known.expires_ms) return known.stated
    const description: Description = { stated: Promise.resolve({}), expires_ms: time_ms + describedFor_ms }
    description.stated = describe(net, service).catch((error: unknown) => {
      if (!(error instanceof UpstreamError) && (error as Error).name !== 'TimeoutError') throw error
      description.expires_ms = time_ms + failedFor_ms
      return {}
    })
    descriptions.set(service, description)
    return description.stated
  }
}

async function describe(net: HttpClient, service: string): Promise<StatedFormat> {
  const call = { url: `${service}?f=json` }
  const { pixelType, bandCount } = await requestImageServer(net, call, { signal: AbortSignal.timeout(readTimeout_ms) })
  return {
    ...(typeof pixelType === 'string' && { type: pixelType }),
    ...(typeof bandCount === 'number' && { bands: bandCount }),
  }
}
