import { projectionOf } from '../../geo/projection.ts'
import type { CellRect } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { isRecord, tryParseJson } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { cellPositionOf } from '../../raster/cell-window.ts'
import { decodeChunk, sampleArrays, type CellArray, type SampleType } from '../../raster/decode.ts'
import { chunksOf } from '../../raster/grid.ts'
import { readRasterLayout } from '../../raster/layout.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { identifyCell } from './imageserver-cells.ts'
import type { MosaicParameters } from './imageserver-editions.ts'
import { requestImageServer } from './imageserver-request.ts'
import { epsgOf, type CellGrid } from '../raster/raster-window.ts'
import { throwStructuredError } from '../rest/structured-error.ts'

/** The grid in which an image service stores its cells. */
export type ServiceGrid = CellGrid & { sampleType: SampleType; pixelType: string; epsg: number; wkid: number }
/** An edition of an image service. Cells without data are `nodata`; `otherNodata` are read as that, too. */
export type CellExport = {
  service: string
  grid: ServiceGrid
  mosaic: MosaicParameters
  nodata: number
  otherNodata: readonly number[]
}

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
export async function describeService(service: string, net: HttpClient, budget: Budget): Promise<ServiceGrid> {
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

/** The cells of a rectangle, row by row, in the grid of the service: nothing is resampled. */
export async function exportCells(
  net: HttpClient,
  { service, grid, mosaic, nodata, otherNodata }: CellExport,
  rect: CellRect,
  budget: Budget,
): Promise<CellArray> {
  const { x, y, step_x, step_y } = grid.geoTransform
  const { width, height } = rect
  const [west, north] = [x + rect.column * step_x, y + rect.row * step_y]
  const parameters = new URLSearchParams({
    f: 'image',
    format: 'tiff',
    bbox: [west, north + height * step_y, west + width * step_x, north].join(','),
    bboxSR: String(grid.wkid),
    imageSR: String(grid.wkid),
    size: `${width},${height}`,
    pixelType: grid.pixelType,
    noData: String(nodata),
    interpolation: 'RSP_NearestNeighbor',
    adjustAspectRatio: 'false',
    ...mosaic,
  })
  const { host } = new URL(service)
  const { bytes } = await net.send({ url: `${service}/exportImage?${parameters.toString()}` }, budget)
  if (bytes[0] === '{'.charCodeAt(0)) throwStructuredError(tryParseJson(new TextDecoder().decode(bytes)), host)
  const reader = {
    id: '',
    crs: `EPSG:${grid.epsg}`,
    read: (offset: number, length: number) => Promise.resolve(bytes.subarray(offset, offset + length)),
  }
  const layout = await readRasterLayout(reader, budget)
  const isRequested =
    layout.width === width &&
    layout.height === height &&
    layout.sampleType === grid.sampleType &&
    Math.abs(layout.geoTransform.x - west) < step_x / 100 &&
    Math.abs(layout.geoTransform.y - north) < step_x / 100
  if (layout.mask) throw unexpectedResponse(host, 'cells without a mask', 'a mask or an alpha band')
  if (!isRequested)
    throw unexpectedResponse(host, `the ${width} by ${height} cells that were requested`, 'another image')
  const cells = new sampleArrays[grid.sampleType](width * height)
  const isNodata = (cell: number) => cell === layout.nodata || otherNodata.includes(cell) || Number.isNaN(cell)
  for (const chunk of chunksOf(layout, 1, { left: 0, right: width, top: 0, bottom: height })) {
    const location = await layout.locateChunk(chunk, budget)
    const part = location
      ? decodeChunk(bytes.subarray(location.offset, location.offset + location.length), layout.chunkFormatOf(chunk, 1))
      : null
    const [x0, y0] = [
      (chunk % layout.chunksAcross) * layout.chunkWidth,
      Math.floor(chunk / layout.chunksAcross) * layout.chunkHeight,
    ]
    for (let cellY = y0; cellY < Math.min(height, y0 + layout.chunkHeight); cellY++)
      for (let cellX = x0; cellX < Math.min(width, x0 + layout.chunkWidth); cellX++) {
        const cell = part ? part[(cellY - y0) * layout.chunkWidth + cellX - x0]! : nodata
        cells[cellY * width + cellX] = isNodata(cell) ? nodata : cell
      }
  }
  return cells
}

/**
 * Compares the exported cell of a point with the operation that answers about points. An image can be resampled,
 * rendered in colors, or have other values for cells without data.
 * @throws {UpstreamError} `bad_response` if they differ.
 */
export async function requireSameCell(
  net: HttpClient,
  { service, grid, mosaic, nodata, otherNodata }: CellExport,
  { probe, readCell }: { probe: Point; readCell: (column: number, row: number) => Promise<number> },
  budget: Budget,
): Promise<void> {
  const { geoTransform, projection } = grid
  const position = cellPositionOf(grid, probe)
  const [column, row] = [Math.floor(position.x), Math.floor(position.y)]
  // The center of a cell is in this cell, even if the sources of the service have another grid.
  const at = projection.inverse(
    geoTransform.x + (column + 0.5) * geoTransform.step_x,
    geoTransform.y + (row + 0.5) * geoTransform.step_y,
  )
  const exported = await readCell(column, row)
  const answered = await identifyCell(net, service, { at, mosaic }, budget)
  const expected = answered === null || otherNodata.includes(answered) ? nodata : answered
  if (Math.abs(exported - expected) <= floatTolerance * Math.abs(expected)) return
  throw new UpstreamError(
    'bad_response',
    `${new URL(service).host} exports ${exported} at ${at.lat},${at.lng}, but answers ${answered ?? 'NoData'} there. The exported cells cannot be used.`,
  )
}
