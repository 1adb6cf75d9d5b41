import type { Static } from '@sinclair/typebox'
import { numberOf } from '../geo/attribute.ts'
import type { Position } from '../geo/geometry.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, FeatureQuery, Value } from '../model/source.ts'
import { parseJsonBody } from '../net/content.ts'
import { addressOf, boxValues, namesIn, pointValues, type Values } from './address.ts'
import { driver, t } from './driver.ts'
import { holdFeatures } from './held-features.ts'
import { mapped } from './mapped.ts'
import { nearestFirst, type Located } from './nearest-first.ts'
import { refreshed } from './refreshed.ts'
import { shown, withoutKey } from './reply.ts'
import { hostOf } from './rest-question.ts'
import { refuseError } from './structured-error.ts'

const metresOfMile = 1609.344
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
export const restFeatures = driver({
  shapes: ['features'],
  config,
  open(config, _shape, { net, now }, about) {
    const { endpoint, whole_list, refresh_seconds = day_s } = config
    if (net === null || (namesIn(endpoint).includes('key') && about.key === null)) return null
    const host = hostOf(endpoint)
    const listOf = reader(config, host)
    const load = async (url: string, budget: Budget, cap_bytes?: number) => listOf(parseJsonBody(withoutKey(await net.send({ url, ...(cap_bytes && { cap_bytes }) }, budget), about.key), host))
    if (whole_list) {
      const held = refreshed(async (budget) => holdFeatures((await load(endpoint, budget, wholeListMax_bytes)).located), refresh_seconds, now)
      const source = async (query: FeatureQuery, budget: Budget) => (await held(budget))(query)
      return { source, vintage: null, remote: { host, keepsItself: true } }
    }
    const source = async (query: FeatureQuery, budget: Budget) => {
      const { located, isCut } = await load(addressOf(endpoint, valuesOf(query, about.key, host)), budget)
      const features = nearestFirst(located, query)
      if (isCut) throw new UpstreamError('too_large', `${host} has more within ${query.radius_m} m than the ${located.length} it gave.`)
      return features
    }
    return { source, vintage: null, remote: { host } }
  },
})

function valuesOf({ at, radius_m, level }: FeatureQuery, key: string | null, host: string): Values {
  if (!Number.isFinite(radius_m) || level !== undefined) throw new UpstreamError('unsupported_request', `${host} is asked within a radius, and this question has none.`)
  return { ...pointValues(at), ...boxValues(at, radius_m), miles: Math.ceil((radius_m / metresOfMile) * 1000) / 1000, key }
}

function reader({ json_path = '$[*]', lat, lon, attribute_map, cap = Infinity, total }: Config, host: string): (document: unknown) => { located: Located[]; isCut: boolean } {
  const findList = compileJsonPath(json_path.slice(0, -'[*]'.length))
  const findTotal = total === undefined ? () => [] : compileJsonPath(total)
  return (document) => {
    refuseError(document, host)
    const list = findList(document)?.[0]
    if (!Array.isArray(list)) throw new UpstreamError('bad_response', `${host} answered without the list ${json_path}: ${shown(document)}`)
    const all = findTotal(document)?.[0]
    const located = list.flatMap((record) => {
      const position = positionOf(record, lat, lon, host)
      return position ? [{ geometry: { points: [position], lines: [], polygons: [] }, properties: mapped(record, attribute_map) }] : []
    })
    return { located, isCut: list.length >= cap || (typeof all === 'number' && all > list.length) }
  }
}

/** The place of a record; `null` for one that has none. One without the members is of another form than was agreed. */
function positionOf(record: unknown, lat: string, lon: string, host: string): Position | null {
  if (!isRecord(record) || !Object.hasOwn(record, lat) || !Object.hasOwn(record, lon)) throw new UpstreamError('bad_response', `${host} gave a record without ${lat} and ${lon}: ${shown(record)}`)
  const [y, x] = [degreesOf(record[lat], 90), degreesOf(record[lon], 180)]
  return x === null || y === null ? null : [x, y]
}

function degreesOf(value: unknown, most: number): number | null {
  const number = numberOf(value as Value)
  return number !== null && Math.abs(number) <= most ? number : null
}
