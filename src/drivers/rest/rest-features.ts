import type { QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Budget, FeatureQuery } from '../../model/source.ts'
import { readJsonBody } from '../../net/content.ts'
import type { HttpClient, Reply } from '../../net/http-client.ts'
import { fillUrl, boundingBoxAround, placeholdersIn, pointValues, type TemplateValues } from './url-template.ts'
import { requireQueriedFeatures } from '../features/queried-features.ts'
import { defineDriver, t } from '../driver.ts'
import { missingRadiusError } from '../driver-errors.ts'
import { createListHarvester } from './list-harvest.ts'
import { nearestFeatures } from '../features/nearest-features.ts'
import { createListParser, recordListSettings } from './record-list.ts'
import { readNewestLastModified } from './reply-dates.ts'
import { openWholeList } from '../features/whole-list.ts'
import { redactKey } from './reply.ts'
import { endpointHostOf } from './rest-request.ts'

const metersPerMile = 1609.344
/** A whole list is parsed in a worker, the records around a place here. */
const wholeListMax_bytes = 8 * 1024 * 1024
const listMax_bytes = 4 * 1024 * 1024

const config = t.Object({
  /**
   * The URL, with the box `{w} {s} {e} {n}`, or `{lat} {lon}` and the radius in `{miles}`. A whole list has none of
   * these.
   */
  endpoint: t.String({ pattern: '^https?://' }),
  ...recordListSettings,
  /** Whether the list is downloaded completely and kept in memory. */
  whole_list: t.Optional(t.Boolean()),
  refresh_seconds: t.Optional(t.Integer()),
  note: t.Optional(t.String()),
})

/** A service that returns a list of records with coordinates. A truncated list is `too_large`, never a count. */
export const restFeaturesDriver = defineDriver({
  shapes: ['features'],
  config,
  open(config, _shape, { net, now, parse }, dataset) {
    const { endpoint, whole_list, refresh_seconds } = config
    if (net === null || (placeholdersIn(endpoint).includes('key') && dataset.key === null)) return null
    const host = endpointHostOf(endpoint)
    const parseList = createListParser(config, host)
    const load = async (url: string, cap_bytes: number, budget: Budget): Promise<Reply> =>
      redactKey(await net.send({ url, cap_bytes }, budget), dataset.key)
    if (whole_list)
      return openWholeList({ host, refresh_seconds, now }, async (budget) => {
        const { bytes, headers } = await load(endpoint, wholeListMax_bytes, budget)
        const contentType = headers.get('content-type') ?? ''
        return parse('records', { bytes, contentType, host, format: config }, budget)
      })
    const source = async (query: FeatureQuery, budget: Budget) => {
      const reply = await load(fillUrl(endpoint, templateValuesOf(query, dataset.key, host)), listMax_bytes, budget)
      const { records, isTruncated } = parseList(await readJsonBody(reply, host))
      const features = await nearestFeatures(await requireQueriedFeatures(records, query, host), query)
      if (isTruncated)
        throw new UpstreamError(
          'too_large',
          `${host} returned only ${records.length} of its records within ${query.radius_m} m. Reduce the radius in the definition of the field.`,
        )
      return features
    }
    return { source, vintage: null, remote: { host } }
  },
  canHarvest: ({ endpoint, whole_list = false }) =>
    whole_list || ['w', 's', 'e', 'n'].every((name) => placeholdersIn(endpoint).includes(name)),
  harvest(config, { net }) {
    const { endpoint, whole_list = false } = config
    const host = endpointHostOf(endpoint)
    const parseList = createListParser(config, host)
    const requestList = async (box: QueryBox, client: HttpClient, budget: Budget) => {
      const list = parseList(await client.fetchJson({ url: fillUrl(endpoint, box) }, budget))
      const { records, listed, isTruncated, total } = list
      // The total counts the records without a position too, which have no place in a pack.
      return { features: records, isTruncated, total: total === null ? null : total - (listed - records.length) }
    }
    return {
      ...createListHarvester(host, (box, budget) => requestList(box, net, budget), {
        isWhole: whole_list,
        isClipped: !whole_list,
      }),
      lastEdit: (boxes, budget) => {
        const lists = whole_list ? boxes.slice(0, 1) : boxes
        return readNewestLastModified(
          net,
          lists.map((box) => (client: HttpClient) => requestList(box, client, budget)),
        )
      },
    }
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
