import type { Static } from '@sinclair/typebox'
import type { QueryBox } from '../../geo/boxes.ts'
import { requireConditionAttributes, compileCondition } from '../../geo/text/sql-condition.ts'
import { placeholderError } from '../../model/placeholder.ts'
import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import { isRecord, plainPropertiesOf } from '../../model/record.ts'
import type { Budget, FeatureQuery, Value } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { fillUrl, boundingBoxAround } from '../rest/url-template.ts'
import { requireQueriedFeatures } from './queried-features.ts'
import { defineDriver, t } from '../driver.ts'
import { missingRadiusError, unexpectedResponse } from '../driver-errors.ts'
import { matchedNumberOf, parseGeoJsonFeatures } from './geojson-features.ts'
import { createListHarvester, type RecordList } from '../rest/list-harvest.ts'
import { nearestFeatures, type GeoFeature } from './nearest-features.ts'
import { endpointHostOf } from '../rest/rest-request.ts'

const pagesMax = 5
/** A page of 2,000 points takes about 1 MB. */
const pageMax_bytes = 4 * 1024 * 1024

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
  note: t.Optional(t.String()),
})
type Config = Static<typeof config>

/** A collection of OGC API Features, queried by box, page by page. Datasets with the same URL share its pages. */
export const ogcFeaturesDriver = defineDriver({
  shapes: ['features'],
  config,
  open({ endpoint, where, newest }, _shape, { net, now }) {
    if (net === null) return null
    const host = endpointHostOf(endpoint)
    const isIncluded = where === undefined ? () => true : compileCondition(where)
    const source = async (query: FeatureQuery, budget: Budget) => {
      if (!Number.isFinite(query.radius_m) || query.level !== undefined) throw missingRadiusError(host)
      const found = await fetchItems(fillUrl(endpoint, boundingBoxAround(query.at, query.radius_m)), net, budget)
      const { isTruncated, counts } = found
      const items = await requireQueriedFeatures(found.items, query, host)
      requireSelectedCodes(items, endpoint)
      if (isTruncated)
        throw new UpstreamError(
          'too_large',
          `${host} has more features here than the limit of ${pagesMax} pages (${items.length} features). Reduce the radius in the definition of the field.`,
        )
      const count = counts[0] ?? 0
      if (found.items.length < count)
        throw new UpstreamError(
          'bad_response',
          `${host} counts ${pluralize(count, 'feature')} here, but returned ${found.items.length}. Try again later.`,
        )
      const properties = items.map((item) => item.properties)
      for (const condition of [where, query.where])
        if (condition !== undefined) requireConditionAttributes(properties, condition)
      const included = items.filter((item) => isIncluded(item.properties))
      return nearestFeatures(newest ? keepNewest(included, newest, now()) : included, query)
    }
    return { source, vintage: null, remote: { host } }
  },
  canHarvest: ({ newest }) => newest === undefined,
  harvest({ endpoint, where }, { net }) {
    const host = endpointHostOf(endpoint)
    const isIncluded = where === undefined ? () => true : compileCondition(where)
    const requestList = async (box: QueryBox, budget: Budget): Promise<RecordList> => {
      const found = await fetchItems(fillUrl(endpoint, box), net, budget)
      requireConsistentPages(found, host)
      const { items, isTruncated, counts } = found
      return where === undefined
        ? { features: items, isTruncated, total: counts[0]! }
        : { features: items.filter(({ properties }) => isIncluded(properties)), isTruncated, total: null }
    }
    return createListHarvester(host, requestList, { isClipped: true })
  },
})

/**
 * The features of all pages, as the service returns them in `pages`, and the number of matching features that each page
 * states. `isTruncated`: there are more pages than the limit.
 */
type FetchedItems = {
  items: GeoFeature[]
  pages: { id?: unknown }[][]
  counts: (number | null)[]
  isTruncated: boolean
}

/** Fetches all pages up to the limit. */
async function fetchItems(first: string, net: HttpClient, budget: Budget): Promise<FetchedItems> {
  const items: GeoFeature[] = []
  const pages: FetchedItems['pages'] = []
  const counts: (number | null)[] = []
  let url: string | null = first
  for (let page = 0; page < pagesMax && url !== null; page++) {
    const document = await net.fetchJson({ url, deduplicate: true, cap_bytes: pageMax_bytes }, budget)
    items.push(...parseGeoJsonFeatures(document, endpointHostOf(first), plainPropertiesOf))
    pages.push((document as { features: { id?: unknown }[] }).features)
    counts.push(matchedNumberOf(document))
    url = nextPageOf(document, first)
  }
  return { items, pages, counts, isTruncated: url !== null }
}

/** @throws {UpstreamError} if pages repeat a feature, miss one, or belong to different states of the data. */
function requireConsistentPages({ items, pages, counts, isTruncated }: FetchedItems, host: string): void {
  const reject = (what: string) => {
    throw new UpstreamError('bad_response', `${host} ${what}. No pack was built. Run the same command again.`)
  }
  const ids = pages.flat().flatMap(({ id }) => id ?? [])
  const repeats = ids.length - new Set(ids).size
  if (repeats > 0) reject(`returned ${pluralize(repeats, 'feature')} twice`)
  const texts = pages.filter((page) => page.length > 0).map((page) => JSON.stringify(page))
  if (new Set(texts).size < texts.length) reject('returned the same page twice')
  const other = counts.find((count) => count !== counts[0])
  if (other !== undefined) reject(`counted ${counts[0]} features on the first page and ${other} on a later one`)
  if (!isTruncated && counts[0] !== null && counts[0] !== items.length)
    reject(`counts ${counts[0]} features in a box, but returned ${items.length}`)
}

/**
 * Throws `bad_value` if a feature has no code of the same form where the URL selects by codes of digits, such as
 * `parameter_code=00060,72019`: then nothing says whether a condition holds for it.
 */
function requireSelectedCodes(items: readonly GeoFeature[], endpoint: string): void {
  for (const [name, codes] of new URL(endpoint).searchParams) {
    const lengths = /^[\d,]+$/.test(codes) ? codes.split(',').map(({ length }) => length) : []
    for (const { properties } of lengths.length > 0 ? items : []) {
      const code = properties[name]
      const isCode = typeof code === 'string' && /^\d+$/.test(code) && lengths.includes(code.length)
      if (code !== undefined && !isCode) throw placeholderError(code)
    }
  }
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
    const missing = [of, time].filter((name) => !Object.hasOwn(item.properties, name))
    if (missing.length > 0) throw schemaChangedError(missing, Object.keys(item.properties))
    const time_ms = parseTime(item.properties[time] ?? null, now)
    const key = item.properties[of]!
    if (time_ms >= oldest && time_ms > (newest.get(key)?.time_ms ?? -Infinity)) newest.set(key, { item, time_ms })
  }
  return [...newest.values()].map(({ item }) => item)
}

const day_ms = 86_400_000

/** A time in milliseconds. @throws {UpstreamError} `bad_value` for no time, for 1970, and for the future. */
function parseTime(value: Value, now: Date): number {
  const time_ms = Date.parse(String(value))
  if (!(time_ms > 0 && time_ms <= now.getTime() + day_ms)) throw placeholderError(value)
  return time_ms
}
