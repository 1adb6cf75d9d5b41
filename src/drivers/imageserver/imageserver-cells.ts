import { attributeOf, numberOf } from '../../geo/attribute.ts'
import { unexpectedResponse, unexpectedValue } from '../driver-errors.ts'
import type { Point } from '../../model/place.ts'
import { isRecord, plainPropertiesOf } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { formCall } from '../../net/call.ts'
import { requestImageServer, checkLocation } from './imageserver-request.ts'
import { mosaicParametersOf, type MosaicParameters, type EditionYear } from './imageserver-editions.ts'

/** The value of the cell at a point, by the operation `identify`; null if the service has no data there. */
export async function identifyCell(
  net: HttpClient,
  service: string,
  { at, mosaic }: { at: Point; mosaic: MosaicParameters },
  budget: Budget,
): Promise<number | null> {
  const parameters = new URLSearchParams({
    ...pointParameters(at),
    returnGeometry: 'false',
    returnCatalogItems: 'false',
    ...mosaic,
  })
  const { value, location } = await requestImageServer(
    net,
    { url: `${service}/identify?${parameters.toString()}`, hedge: true },
    budget,
  )
  const cell = parseCell(value, new URL(service).host)
  checkLocation(location, at)
  return cell
}

/**
 * The interpolated values at points, in order, by the operation `getSamples`; null where the service has no data. No
 * sample at all is an error unless it `mayBeEmpty`.
 */
export async function sampleCells(
  net: HttpClient,
  service: string,
  { points, mosaic, mayBeEmpty }: { points: Point[]; mosaic: MosaicParameters; mayBeEmpty: boolean },
  budget: Budget,
): Promise<(number | null)[]> {
  const call = formCall(`${service}/getSamples`, {
    f: 'json',
    geometryType: 'esriGeometryMultipoint',
    geometry: JSON.stringify({ points: points.map(({ lat, lng }) => [lng, lat]), spatialReference }),
    returnFirstValueOnly: 'true',
    interpolation: 'RSP_BilinearInterpolation',
    ...mosaic,
  })
  const { samples } = await requestImageServer(net, call, budget)
  const { host } = new URL(service)
  if (!Array.isArray(samples) || (samples.length === 0 && !mayBeEmpty))
    throw unexpectedResponse(host, 'a list of samples', samples)
  const cells: (number | null)[] = points.map(() => null)
  for (const sample of samples) {
    const { locationId, value, location } = isRecord(sample) ? sample : {}
    const point = points[Number.isInteger(locationId) ? (locationId as number) : -1]
    if (!point)
      throw unexpectedResponse(host, `samples of ${points.length} points`, `a sample of point ${String(locationId)}`)
    checkLocation(location, point)
    cells[locationId as number] = parseCell(value, host)
  }
  return cells
}

/**
 * The values of the cell at a point in several years, by one `getSamples`. Undefined for a year that is missing from
 * the response or has conflicting values.
 */
export async function sampleYears(
  net: HttpClient,
  service: string,
  { at, attribute, years }: { at: Point; attribute: string; years: EditionYear[] },
  budget: Budget,
): Promise<(year: number) => number | null | undefined> {
  const parameters = new URLSearchParams({
    ...pointParameters(at),
    returnFirstValueOnly: 'false',
    interpolation: 'RSP_NearestNeighbor',
    outFields: attribute,
    ...mosaicParametersOf(years),
  })
  const { samples } = await requestImageServer(
    net,
    { url: `${service}/getSamples?${parameters.toString()}`, hedge: true },
    budget,
  )
  const samplesByYear = Map.groupBy((Array.isArray(samples) ? samples : []).filter(isRecord), ({ attributes }) =>
    numberOf(attributeOf(plainPropertiesOf(attributes), attribute) ?? null),
  )
  return (year) => {
    const yearSamples = samplesByYear.get(year) ?? []
    const cells = new Set(
      yearSamples.map(({ value, location }) => {
        checkLocation(location, at)
        return parseCell(value, new URL(service).host)
      }),
    )
    if (cells.size > 1) cells.delete(null)
    return cells.size === 1 ? ([...cells][0] ?? null) : undefined
  }
}

/** Sent with every coordinate. A service that reads degrees as meters answers "NoData". */
const spatialReference = { wkid: 4326 }

/** The parameters of a query at one point. */
function pointParameters({ lat, lng }: Point) {
  return {
    f: 'json',
    geometryType: 'esriGeometryPoint',
    geometry: JSON.stringify({ x: lng, y: lat, spatialReference }),
  }
}

/** The value of a cell; services send even whole numbers as text. */
function parseCell(value: unknown, host: string): number | null {
  if (value === undefined || value === null) throw unexpectedResponse(host, 'a value', value)
  if (typeof value === 'string' && value.toLowerCase() === 'nodata') return null
  const number = typeof value === 'string' || typeof value === 'number' ? numberOf(value) : null
  if (number !== null && Number.isFinite(number)) return number
  throw unexpectedValue(host, 'a number or NoData', value)
}
