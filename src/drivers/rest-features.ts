import type { Static } from '@sinclair/typebox'
import { numberOf } from '../geo/attribute.ts'
import type { Position } from '../geo/geometry.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, FeatureQuery, Value } from '../model/source.ts'
import { readJsonBody } from '../net/content.ts'
import { fillUrl, boundingBoxAround, placeholdersIn, pointValues, type TemplateValues } from './url-template.ts'
import { defineDriver, t } from './driver.ts'
import { missingRadiusError, unexpectedResponse } from './driver-errors.ts'
import { createFeatureIndex } from './feature-index.ts'
import { mapProperties } from './map-properties.ts'
import { nearestFeatures, type GeoFeature } from './nearest-features.ts'
import { staleWhileRevalidate } from './stale-while-revalidate.ts'
import { redactKey } from './reply.ts'
import { endpointHostOf } from './rest-request.ts'
import { throwStructuredError } from './structured-error.ts'

const metersPerMile = 1609.344
const day_s = 86_400
const wholeListMax_bytes = 16 * 1024 * 1024

const config = t.Object({
  /**
   * The URL, with the box `{w} {s} {e} {n}`, or `{lat} {lon}` and the radius in `{miles}`. A whole list has none of
   * these.
   */
  endpoint: t.String({ pattern: '^https?://' }),
  /** The path of the list. */
  json_path: t.Optional(t.String({ pattern: '\\[\\*\\]$' })),
  /** The members with the coordinates of a record. */
  lat: t.String(),
  lon: t.String(),
  /** Attribute names to the paths of their members. */
  attribute_map: t.Optional(t.Record(t.String(), t.String())),
  /** Whether the list is downloaded completely and kept in memory. */
  whole_list: t.Optional(t.Boolean()),
  refresh_seconds: t.Optional(t.Integer()),
  /** The service's maximum number of records. A response with this many may be truncated. */
  cap: t.Optional(t.Integer()),
  /** The path of the total number of records, which may exceed those in the response. */
  total: t.Optional(t.String()),
  note: t.Optional(t.String()),
})
type Config = Static<typeof config>

/** A service that returns a list of records with coordinates. A truncated list is `too_large`, never a count. */
export const restFeaturesDriver = defineDriver({
  shapes: ['features'],
  config,
  open(config, _shape, { net, now }, dataset) {
    const { endpoint, whole_list, refresh_seconds = day_s } = config
    if (net === null || (placeholdersIn(endpoint).includes('key') && dataset.key === null)) return null
    const host = endpointHostOf(endpoint)
    const parseList = createListParser(config, host)
    const load = async (url: string, budget: Budget, cap_bytes?: number) =>
      parseList(
        await readJsonBody(
          redactKey(await net.send({ url, ...(cap_bytes && { cap_bytes }) }, budget), dataset.key),
          host,
        ),
      )
    if (whole_list) {
      const loadIndex = staleWhileRevalidate(
        async (budget) => createFeatureIndex((await load(endpoint, budget, wholeListMax_bytes)).records),
        refresh_seconds,
        now,
      )
      const source = async (query: FeatureQuery, budget: Budget) => (await loadIndex(budget))(query)
      return { source, vintage: null, remote: { host, cachesItself: true } }
    }
    const source = async (query: FeatureQuery, budget: Budget) => {
      const { records, isTruncated } = await load(fillUrl(endpoint, templateValuesOf(query, dataset.key, host)), budget)
      const features = await nearestFeatures(records, query)
      if (isTruncated)
        throw new UpstreamError(
          'too_large',
          `${host} returned only ${records.length} of its records within ${query.radius_m} m. Reduce the radius in the definition of the field.`,
        )
      return features
    }
    return { source, vintage: null, remote: { host } }
  },
})

function templateValuesOf({ at, radius_m, level }: FeatureQuery, key: string | null, host: string): TemplateValues {
  if (!Number.isFinite(radius_m) || level !== undefined) throw missingRadiusError(host)
  return {
    ...pointValues(at),
    ...boundingBoxAround(at, radius_m),
    miles: Math.ceil((radius_m / metersPerMile) * 1000) / 1000,
    key,
  }
}

function createListParser(
  { json_path = '$[*]', lat, lon, attribute_map, cap = Infinity, total }: Config,
  host: string,
): (document: unknown) => { records: GeoFeature[]; isTruncated: boolean } {
  const findList = compileJsonPath(json_path.slice(0, -'[*]'.length))
  const findTotal = total === undefined ? () => [] : compileJsonPath(total)
  return (document) => {
    throwStructuredError(document, host)
    const list = findList(document)[0]
    if (!Array.isArray(list)) throw unexpectedResponse(host, `a document with the list ${json_path}`, document)
    const reportedTotal = findTotal(document)[0]
    const records = list.flatMap((record) => {
      const position = parsePosition(record, lat, lon, host)
      return position
        ? [
            {
              geometry: { points: [position], lines: [], polygons: [] },
              properties: mapProperties(record, attribute_map),
            },
          ]
        : []
    })
    if (list.length > 0 && records.length === 0)
      throw unexpectedResponse(host, `a record with a position in ${lat} and ${lon}`, list[0])
    return {
      records,
      isTruncated: list.length >= cap || (typeof reportedTotal === 'number' && reportedTotal > list.length),
    }
  }
}

/** The position of a record; null if its coordinates are empty or invalid. Throws if the members are missing. */
function parsePosition(record: unknown, lat: string, lon: string, host: string): Position | null {
  if (!isRecord(record) || !Object.hasOwn(record, lat) || !Object.hasOwn(record, lon))
    throw unexpectedResponse(host, `a record with ${lat} and ${lon}`, record)
  const [y, x] = [parseDegrees(record[lat], 90), parseDegrees(record[lon], 180)]
  return x === null || y === null ? null : [x, y]
}

function parseDegrees(value: unknown, max: number): number | null {
  const number = numberOf(value as Value)
  return number !== null && Math.abs(number) <= max ? number : null
}
