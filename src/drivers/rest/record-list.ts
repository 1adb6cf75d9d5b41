import { Type as t, type Static } from '@sinclair/typebox'
import { numberOf } from '../../geo/attribute.ts'
import { compileJsonPath } from '../../model/json-path.ts'
import { isRecord } from '../../model/record.ts'
import type { Position, Value } from '../../model/source.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { mapProperties } from '../imageserver/map-properties.ts'
import type { GeoFeature } from '../features/nearest-features.ts'
import { throwStructuredError } from './structured-error.ts'

/** The settings of a list of records with coordinates. */
export const recordListSettings = {
  /** The path of the list. */
  json_path: t.Optional(t.String({ pattern: '\\[\\*\\]$' })),
  /** The members with the coordinates of a record. */
  lat: t.String(),
  lon: t.String(),
  /** Attribute names to the paths of their members. */
  attribute_map: t.Optional(t.Record(t.String(), t.String())),
  /** The service's maximum number of records. A response with this many may be truncated. */
  cap: t.Optional(t.Integer()),
  /** The path of the total number of records, which may exceed those in the response. */
  total: t.Optional(t.String()),
}
const settings = t.Object(recordListSettings)
/** The format of a list of records. */
export type RecordListFormat = Static<typeof settings>

/** The records with a position. `listed`: the number of all. `total`: the number that the service states, or null. */
type ParsedList = { records: GeoFeature[]; listed: number; isTruncated: boolean; total: number | null }

/**
 * Creates the parser of a list. `isTruncated`: the service may have more records.
 * @throws {UpstreamError} if the document has no such list.
 */
export function createListParser(
  { json_path = '$[*]', lat, lon, attribute_map, cap = Infinity, total }: RecordListFormat,
  host: string,
): (document: unknown) => ParsedList {
  const findList = compileJsonPath(json_path.slice(0, -'[*]'.length))
  const findTotal = total === undefined ? () => [] : compileJsonPath(total)
  return (document) => {
    throwStructuredError(document, host)
    const list = findList(document)[0]
    if (!Array.isArray(list)) throw unexpectedResponse(host, `a document with the list ${json_path}`, document)
    const stated = findTotal(document)[0]
    const statedTotal = typeof stated === 'number' ? stated : null
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
      listed: list.length,
      isTruncated: list.length >= cap || (statedTotal !== null && statedTotal > list.length),
      total: statedTotal,
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
