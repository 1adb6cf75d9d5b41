import type { Static } from '@sinclair/typebox'
import { parseGeoJsonGeometry } from '../geo/geometry.ts'
import { compileCondition } from '../geo/sql-condition.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { isRecord, plainPropertiesOf } from '../model/record.ts'
import type { Budget, Feature, FeatureQuery, Value } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import { fillUrl, boundingBoxAround } from './url-template.ts'
import { defineDriver, t } from './driver.ts'
import { nearestFeatures, type GeoFeature } from './nearest-features.ts'
import { excerptOf } from './reply.ts'
import { endpointHostOf } from './rest-request.ts'
import { throwStructuredError } from './structured-error.ts'

const pagesMax = 5
const cachedMax = 10_000

const config = t.Object({
  /** The items of a collection, in the box `{w},{s},{e},{n}`. */
  endpoint: t.String({ pattern: '^https?://' }),
  /** A condition in SQL form for the features that count, of an address that asks for more than one dataset needs. */
  where: t.Optional(t.String()),
  /** Of the features that are the same in one attribute, only the newest by another, and no older than the age. */
  newest: t.Optional(t.Object({ of: t.String(), time: t.String(), max_age_seconds: t.Integer() })),
  /** An attribute that another document holds, fetched for the nearest feature only; the others have null. */
  join: t.Optional(
    t.Object({ endpoint: t.String({ pattern: '^https?://' }), json_path: t.String(), attribute: t.String() }),
  ),
  note: t.Optional(t.String()),
})
type Config = Static<typeof config>

/** A collection of OGC API Features, asked for a box, page by page. Datasets with one address share its pages. */
export const ogcFeaturesDriver = defineDriver({
  shapes: ['features'],
  config,
  open({ endpoint, where, newest, join }, _shape, { net, now }) {
    if (net === null) return null
    const host = endpointHostOf(endpoint)
    const isIncluded = where === undefined ? () => true : compileCondition(where)
    const addJoined = join ? createAttributeJoin(join, net) : (features: Feature[]) => features
    const source = async (query: FeatureQuery, budget: Budget) => {
      if (!Number.isFinite(query.radius_m) || query.level !== undefined)
        throw new UpstreamError('unsupported_request', `${host} is asked within a radius, and this question has none.`)
      const items = await fetchItems(fillUrl(endpoint, boundingBoxAround(query.at, query.radius_m)), net, budget)
      const included = items.filter(({ properties }) => isIncluded(properties))
      return addJoined(nearestFeatures(newest ? keepNewest(included, newest, now()) : included, query), budget)
    }
    return { source, vintage: null, remote: { host } }
  },
})

/** All items, page after page; a list of more pages is too long to be the answer. */
async function fetchItems(first: string, net: HttpClient, budget: Budget): Promise<GeoFeature[]> {
  const items: GeoFeature[] = []
  let url: string | null = first
  for (let page = 0; page < pagesMax && url !== null; page++) {
    const document = await net.fetchJson({ url, deduplicate: true }, budget)
    items.push(...parseFeatures(document, endpointHostOf(first)))
    url = nextPageOf(document, first)
  }
  if (url !== null)
    throw new UpstreamError(
      'too_large',
      `${endpointHostOf(first)} has more than the ${items.length} features of ${pagesMax} pages.`,
    )
  return items
}

function parseFeatures(document: unknown, host: string): GeoFeature[] {
  throwStructuredError(document, host)
  if (!isRecord(document) || !Array.isArray(document.features))
    throw new UpstreamError(
      'bad_response',
      `${host} answered with ${excerptOf(document)}, where a list of features was expected.`,
    )
  return document.features.map((feature: unknown) => {
    if (!isRecord(feature))
      throw new UpstreamError('bad_response', `${host} gave ${excerptOf(feature)}, where a feature was expected.`)
    return { geometry: parseGeoJsonGeometry(feature.geometry), properties: plainPropertiesOf(feature.properties) }
  })
}

/** The address of the next page, on the same host; `null` on the last. */
function nextPageOf(document: unknown, first: string): string | null {
  const links = isRecord(document) && Array.isArray(document.links) ? document.links : []
  const link: unknown = links.find((link) => isRecord(link) && link.rel === 'next')
  if (!isRecord(link)) return null
  const [next, host] = [
    typeof link.href === 'string' && URL.canParse(link.href, first) ? new URL(link.href, first) : null,
    endpointHostOf(first),
  ]
  if (next?.host !== host) throw new UpstreamError('bad_response', `${host} gave a next page that is not its own.`)
  return new URL(next.pathname + next.search, first).href
}

function keepNewest(
  items: GeoFeature[],
  { of, time, max_age_seconds }: NonNullable<Config['newest']>,
  now: Date,
): GeoFeature[] {
  const oldest = now.getTime() - 1000 * max_age_seconds
  const newest = new Map<Value, { item: GeoFeature; time_ms: number }>()
  for (const item of items) {
    const time_ms = Date.parse(String(item.properties[time]))
    const key = item.properties[of] ?? null
    if (time_ms >= oldest && time_ms > (newest.get(key)?.time_ms ?? -Infinity)) newest.set(key, { item, time_ms })
  }
  return [...newest.values()].map(({ item }) => item)
}

/** Puts the attribute in, for the nearest feature; what was found once is not asked again. */
function createAttributeJoin(
  { endpoint, json_path, attribute }: NonNullable<Config['join']>,
  net: HttpClient,
): (features: Feature[], budget: Budget) => Promise<Feature[]> {
  const find = compileJsonPath(json_path)
  const cache = new Map<string, Value>()
  return async (features, budget) => {
    const nearest = features[0]
      ? await fetchValue(fillUrl(endpoint, features[0].properties as Record<string, string>), budget)
      : null
    return features.map((feature, i) => ({
      ...feature,
      properties: { ...feature.properties, [attribute]: i === 0 ? nearest : null },
    }))
  }

  async function fetchValue(url: string, budget: Budget): Promise<Value> {
    if (cache.has(url)) return cache.get(url)!
    const document = await net.fetchJson({ url }, budget)
    throwStructuredError(document, endpointHostOf(endpoint))
    const found = find(document)?.[0]
    if (typeof found !== 'string')
      throw new UpstreamError(
        'bad_response',
        `${endpointHostOf(endpoint)} answered without ${json_path}: ${excerptOf(document)}`,
      )
    if (cache.size >= cachedMax) cache.clear()
    cache.set(url, found)
    return found
  }
}
