import { buildGeotiff } from '../../raster/build-geotiff.ts'
import type { ServiceAnswer } from '../service.ts'
import { arcgisErrorAnswer, requestedItem } from './imageserver-catalog.ts'
import { degreesOf, mercatorOf, type RasterPosition } from './imageserver-geometry.ts'
import { valueAt, type SimulatedRaster } from './raster.ts'

const types = { U8: 'uint8', S16: 'int16', U16: 'uint16', F32: 'float32' } as const

/**
 * A picture of a box as a TIFF in Web Mercator; a cell without data is the requested value or 255. Errors are JSON with
 * status 200.
 */
export function exportImage(raster: SimulatedRaster, query: URLSearchParams): ServiceAnswer {
  const corners = query.get('bbox')?.split(',').map(Number) ?? []
  const [width, height] = query.get('size')?.split(',').map(Number) ?? []
  const year = requestedItem(raster, query)
  const system = query.get('bboxSR')
  if (
    query.get('f') !== 'image' ||
    query.get('format') !== 'tiff' ||
    corners.length !== 4 ||
    !corners.every(Number.isFinite) ||
    !(width! > 0 && width! <= 4_096) ||
    !(height! > 0 && height! <= 4_096) ||
    year === null
  ) {
    return arcgisErrorAnswer(400, 'Unable to complete operation.')
  }
  const [x0, y0, x1, y1] = corners as [number, number, number, number]
  const [[west, south], [east, north]] =
    system === '4326'
      ? [mercatorOf({ lat: y0, lng: x0 }), mercatorOf({ lat: y1, lng: x1 })]
      : [[x0, y0] as RasterPosition, [x1, y1] as RasterPosition]
  const nodata = query.get('noData') ?? '255'
  const step: [number, number] = [(east - west) / width!, (south - north) / height!]
  const value = (x: number, y: number) =>
    valueAt(raster, degreesOf([west + (x + 0.5) * step[0], north + (y + 0.5) * step[1]]), year) ?? Number(nodata)
  return {
    type: 'image/tiff',
    body: buildGeotiff({
      width: width!,
      height: height!,
      value,
      type: types[raster.pixelType],
      epsg: 3857,
      nodata,
      origin: [west, north],
      step,
    }),
  }
}
