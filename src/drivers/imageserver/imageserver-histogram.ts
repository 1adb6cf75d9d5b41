import { unexpectedResponse } from '../driver-errors.ts'
import type { Point } from '../../model/place.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { formCall } from '../../net/call.ts'
import { requestImageServer } from './imageserver-request.ts'
import type { MosaicParameters } from './imageserver-editions.ts'
import { toWebMercator, offsetPoint } from './imageserver-geometry.ts'

/** The number of cells of each code in a circle, as counted by the service. */
export async function fetchHistogram(
  net: HttpClient,
  url: string,
  { at, radius_m, mosaic, nodata }: HistogramQuery,
  budget: Budget,
): Promise<Record<string, number>> {
  const call = formCall(url, {
    f: 'json',
    geometryType: 'esriGeometryPolygon',
    geometry: JSON.stringify({ rings: [ringOf(at, radius_m)], spatialReference }),
    pixelSize: JSON.stringify({ x: cell_m, y: cell_m, spatialReference }),
    ...mosaic,
  })
  const { histograms } = await requestImageServer(net, call, budget)
  const counts = parseCounts(Array.isArray(histograms) ? histograms[0] : undefined)
  if (!counts) throw unexpectedResponse(new URL(url).host, 'counts of the codes 0 to 255', histograms)
  return Object.fromEntries([...counts.entries()].filter(([code, count]) => count > 0 && !nodata.includes(code)))
}

type HistogramQuery = { at: Point; radius_m: number; mosaic: MosaicParameters; nodata: number[] }

const spatialReference = { wkid: 3857 }
const cell_m = 30
const corners = 128
const codeCount = 256

/**
 * A circle on the ground as a clockwise ring, as ArcGIS requires for outer rings. In Web Mercator it is wider by
 * 1/cos(latitude).
 */
function ringOf(at: Point, radius_m: number): [x: number, y: number][] {
  return Array.from({ length: corners + 1 }, (_, i) => {
    const bearing = (2 * Math.PI * (i % corners)) / corners
    return toWebMercator(offsetPoint(at, radius_m * Math.sin(bearing), radius_m * Math.cos(bearing)))
  })
}

/**
 * The counts, or null. The bins are codes only if there are 256, the first centered on 0. For an absurd pixel size the
 * service returns no histogram.
 */
function parseCounts(histogram: unknown): number[] | null {
  if (
    !isRecord(histogram) ||
    histogram.size !== codeCount ||
    histogram.min !== -0.5 ||
    !Array.isArray(histogram.counts) ||
    histogram.counts.length !== codeCount
  )
    return null
  return histogram.counts.every(
    (count: unknown): count is number => typeof count === 'number' && Number.isFinite(count) && count >= 0,
  )
    ? histogram.counts
    : null
}
