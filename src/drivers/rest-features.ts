import type { Static } from '@sinclair/typebox'
import { numberOf } from '../geo/attribute.ts'
import type { Position } from '../geo/geometry.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, FeatureQuery, Value } from '../model/source.ts'
import { parseJsonBody } from '../net/content.ts'
import { fillUrl, boundingBoxAround, placeholdersIn, pointValues, type TemplateValues } from './url-template.ts'
import { defineDriver, t } from './driver.ts'
import { createFeatureIndex } from './feature-index.ts'
import { mapProperties } from './map-properties.ts'
import { nearestFeatures, type GeoFeature } from './nearest-features.ts'
import { staleWhileRevalidate } from './stale-while-revalidate.ts'
import { excerptOf, redactKey } from './reply.ts'
import { endpointHostOf } from './rest-request.ts'
import { throwStructuredError } from './structured-error.ts'

const metersPerMile = 1609.344
const day_s = 86_400
const wholeListMax_bytes = 16 * 1024 * 1024

const config = t.Object({
  /** Names the box `{w} {s} {e} {n}`, or `{lat} {lon}` and the radius in `{miles}`; a whole list names none. */
  endpoint: t.String({ pattern: '^https?://' }),
  /** Where the list stands. */
  json_path: t.Optional(t.String({ pattern: '\\[\\*\\]$' })),
  /** The members that are the place of a record. */
  lat: t.String(),
  lon: t.String(),
  /** Attributes by the path of the member they are taken from. */
  attribute_map: t.Optional(t.Record(t.String(), t.String())),
  /** It is downloaded as a whole, and held. */
  whole_list: t.Optional(t.Boolean()),
  refresh_seconds: t.Optional(t.Integer()),
  /** The most records that an answer has: so many may be a part of more. */
  cap: t.Optional(t.Integer()),
  /** Where the number of all records stands, of which the answer may be a part. */
  total: t.Optional(t.String()),
  note: t.Optional(t.String()),
})
type Config = Static<typeof config>

/** A service that answers with a list of records, each with its place. A list that is cut short is `too_large`, and never a count. */
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
        parseJsonBody(redactKey(await net.send({ url, ...(cap_bytes && { cap_bytes }) }, budget), dataset.key), host),
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
      const features = nearestFeatures(records, query)
      if (isTruncated)
        throw new UpstreamError(
          'too_large',
          `${host} has more within ${query.radius_m} m than the ${records.length} it gave.`,
        )
      return features
    }
    return { source, vintage: null, remote: { host } }
  },
})

function templateValuesOf({ at, radius_m, level }: FeatureQuery, key: string | null, host: string): TemplateValues {
  if (!Number.isFinite(radius_m) || level !== undefined)
    throw new UpstreamError('unsupported_request', `${host} is asked within a radius, and this question has none.`)
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
    const list = findList(document)?.[0]
    if (!Array.isArray(list))
      throw new UpstreamError('bad_response', `${host} answered without the list ${json_path}: ${excerptOf(document)}`)
    const reportedTotal = findTotal(document)?.[0]
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
    return {
      records,
      isTruncated: list.length >= cap || (typeof reportedTotal === 'number' && reportedTotal > list.length),
    }
  }
}

/** The place of a record; `null` for one that has none. One without the members is of another form than was agreed. */
function parsePosition(record: unknown, lat: string, lon: string, host: string): Position | null {
  if (!isRecord(record) || !Object.hasOwn(record, lat) || !Object.hasOwn(record, lon))
    throw new UpstreamError('bad_response', `${host} gave a record without ${lat} and ${lon}: ${excerptOf(record)}`)
  const [y, x] = [parseDegrees(record[lat], 90), parseDegrees(record[lon], 180)]
  return x === null || y === null ? null : [x, y]
}

function parseDegrees(value: unknown, max: number): number | null {
  const number = numberOf(value as Value)
  return number !== null && Math.abs(number) <= max ? number : null
}
