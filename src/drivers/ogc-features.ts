import type { Static } from '@sinclair/typebox'
import { compileCondition } from '../geo/sql-condition.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { isRecord, plainPropertiesOf } from '../model/record.ts'
import type { Budget, Feature, FeatureQuery, Value } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import { fillUrl, boundingBoxAround } from './url-template.ts'
import { defineDriver, t } from './driver.ts'
import { missingRadiusError, unexpectedResponse } from './driver-errors.ts'
import { parseGeoJsonFeatures } from './geojson-features.ts'
import { nearestFeatures, type GeoFeature } from './nearest-features.ts'
import { endpointHostOf } from './rest-request.ts'
import { throwStructuredError } from './structured-error.ts'

const pagesMax = 5
const cachedMax = 10_000

const config = t.Object({
  /** The URL of a collection's items, with the box `{w},{s},{e},{n}`. */
  endpoint: t.String({ pattern: '^https?://' }),
  /** An SQL condition for the features, if several datasets share the URL. */
  where: t.Optional(t.String()),
  /**
   * Keeps only the newest of the features that are equal in `of`, by the attribute `time`, and none older than the
   * maximum age.
   */
  newest: t.Optional(t.Object({ of: t.String(), time: t.String(), max_age_seconds: t.Integer() })),
  /** An attribute from another document. It is fetched only for the nearest feature; the others get null. */
  join: t.Optional(
    t.Object({ endpoint: t.String({ pattern: '^https?://' }), json_path: t.String(), attribute: t.String() }),
  ),
  note: t.Optional(t.String()),
})
type Config = Static<typeof config>

/** A collection of OGC API Features, queried by box, page by page. Datasets with the same URL share its pages. */
export const ogcFeaturesDriver = defineDriver({
  shapes: ['features'],
  config,
  open({ endpoint, where, newest, join }, _shape, { net, now }) {
    if (net === null) return null
    const host = endpointHostOf(endpoint)
    const isIncluded = where === undefined ? () => true : compileCondition(where)
    const addJoined = join ? createAttributeJoin(join, net) : (features: Feature[]) => features
    const source = async (query: FeatureQuery, budget: Budget) => {
      if (!Number.isFinite(query.radius_m) || query.level !== undefined) throw missingRadiusError(host)
      const items = await fetchItems(fillUrl(endpoint, boundingBoxAround(query.at, query.radius_m)), net, budget)
      const included = items.filter(({ properties }) => isIncluded(properties))
      return addJoined(nearestFeatures(newest ? keepNewest(included, newest, now()) : included, query), budget)
    }
    return { source, vintage: null, remote: { host } }
  },
})

/** Fetches all pages. Throws `too_large` if there are more than the limit. */
async function fetchItems(first: string, net: HttpClient, budget: Budget): Promise<GeoFeature[]> {
  const items: GeoFeature[] = []
  let url: string | null = first
  for (let page = 0; page < pagesMax && url !== null; page++) {
    const document = await net.fetchJson({ url, deduplicate: true }, budget)
    items.push(...parseGeoJsonFeatures(document, endpointHostOf(first), plainPropertiesOf))
    url = nextPageOf(document, first)
  }
  if (url !== null)
    throw new UpstreamError(
      'too_large',
      `${endpointHostOf(first)} has more features here than the limit of ${pagesMax} pages (${items.length} features). Reduce the radius in the definition of the field.`,
    )
  return items
}

/** The URL of the next page, which must be on the same host; null on the last page. */
function nextPageOf(document: unknown, first: string): string | null {
  const links = isRecord(document) && Array.isArray(document.links) ? document.links : []
  const link: unknown = links.find((link) => isRecord(link) && link.rel === 'next')
  if (!isRecord(link)) return null
  const [next, host] = [
    typeof link.href === 'string' && URL.canParse(link.href, first) ? new URL(link.href, first) : null,
    endpointHostOf(first),
  ]
  if (next?.host !== host) throw unexpectedResponse(host, 'a next page on the same host', link.href)
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

/** Adds the joined attribute to the nearest feature. Results are cached. */
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
    const found = find(document)[0]
    if (typeof found !== 'string')
      throw unexpectedResponse(endpointHostOf(endpoint), `a document with ${json_path}`, document)
    if (cache.size >= cachedMax) cache.clear()
    cache.set(url, found)
    return found
  }
}
