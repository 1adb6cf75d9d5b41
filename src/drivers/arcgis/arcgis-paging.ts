import { attributeOf } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import type { FeatureSet } from './arcgis-feature-set.ts'
import type { ArcgisParameters } from './arcgis-request.ts'
import { quartersOf, type QueryBox } from '../../geo/boxes.ts'
import { countPositions } from '../../geo/measure.ts'
import type { GeoFeature } from '../features/nearest-features.ts'

/** A layer query over boxes, or, if `boxes` is null, at the point in its parameters. */
export type ArcgisQuery = { parameters: ArcgisParameters; boxes: QueryBox[] | null; needsGeometry: boolean }
type SendQuery = (parameters: ArcgisParameters) => Promise<FeatureSet>

/**
 * Fetches every feature of a query although servers truncate their lists: page by page or, if the server does not
 * support paging, by dividing the box into quarters. Throws `too_large` if the list is still truncated.
 */
export async function fetchAllFeatures(
  sendQuery: SendQuery,
  { parameters, boxes }: ArcgisQuery,
): Promise<GeoFeature[]> {
  const send = withSizeLimit(sendQuery)
  if (!boxes) return fetchFeatures(send, parameters, null)
  const lists = await Promise.all(
    boxes.map((box) => fetchFeatures(send, { ...parameters, ...envelopeParameters(box) }, box)),
  )
  return lists.length === 1 ? lists[0]! : uniqueFeatures(lists.flat(), null)
}

const maxPages = 10
const maxSubdivisions = 3
/** All pages and boxes of a query together can have this many positions and features. They take 100 MB. */
const maxPositions = 1_000_000

/** Returns the function with a limit on the size of all its responses together. */
function withSizeLimit(send: SendQuery): SendQuery {
  let positions = 0
  return async (parameters) => {
    const set = await send(parameters)
    for (const { geometry } of set.features) positions += 1 + countPositions(geometry)
    if (positions <= maxPositions) return set
    throw new UpstreamError(
      'too_large',
      `The features of the layer here have more than ${maxPositions} positions. Add another source of the dataset, such as a pack.`,
    )
  }
}

async function fetchFeatures(
  send: SendQuery,
  parameters: ArcgisParameters,
  box: QueryBox | null,
): Promise<GeoFeature[]> {
  const first = await send(parameters)
  if (!first.isTruncated) return first.features
  const { idField } = first
  const pagedFeatures = await fetchPages(send, parameters, first)
  if (pagedFeatures) return pagedFeatures
  if (!box) throw tooLargeError()
  return uniqueFeatures(
    await fetchQuarters(
      send,
      { ...parameters, ...(idField !== null && { outFields: outFieldsWithId(parameters.outFields, idField) }) },
      box,
      1,
    ),
    idField,
  )
}

/**
 * Fetches page by page. Returns null if the server does not support paging. Unordered pages may repeat rows, so the
 * first page is fetched again with an order.
 */
async function fetchPages(
  send: SendQuery,
  parameters: ArcgisParameters,
  first: FeatureSet,
): Promise<GeoFeature[] | null> {
  const order: ArcgisParameters = first.idField === null ? {} : { orderByFields: first.idField }
  const fetchPage = (from: number) => nullIfRejected(send({ ...parameters, ...order, resultOffset: String(from) }))
  const features: GeoFeature[] = []
  let page = first.idField === null ? first : await fetchPage(0)
  for (let pageCount = 1; page; pageCount++) {
    features.push(...page.features)
    if (!page.isTruncated) return features
    if (pageCount === maxPages) throw tooLargeError()
    const next: FeatureSet | null = await fetchPage(features.length)
    if (!next || repeatsPage(page, next)) return null
    page = next
  }
  return null
}

/** Returns null if the server rejects the query, as old servers reject paging. */
async function nullIfRejected(response: Promise<FeatureSet>): Promise<FeatureSet | null> {
  try {
    return await response
  } catch (error) {
    if (error instanceof UpstreamError && error.code === 'upstream_rejected') return null
    throw error
  }
}

function repeatsPage({ features: [before] }: FeatureSet, { features: [after], isTruncated }: FeatureSet): boolean {
  return after === undefined ? isTruncated : JSON.stringify(before) === JSON.stringify(after)
}

async function fetchQuarters(
  send: SendQuery,
  parameters: ArcgisParameters,
  box: QueryBox,
  depth: number,
): Promise<GeoFeature[]> {
  if (depth > maxSubdivisions) throw tooLargeError()
  const lists = await Promise.all(
    quartersOf(box).map(async (quarter) => {
      const { features, isTruncated } = await send({ ...parameters, ...envelopeParameters(quarter) })
      return isTruncated ? fetchQuarters(send, parameters, quarter, depth + 1) : features
    }),
  )
  return lists.flat()
}

/** The parameters that restrict a query to the features that touch a box. */
export function envelopeParameters({ w, s, e, n }: QueryBox): ArcgisParameters {
  return {
    geometry: [w, s, e, n].join(','),
    geometryType: 'esriGeometryEnvelope',
  }
}

/** Returns the names of the attributes to request, with that of the object id. */
export function outFieldsWithId(outFields = '*', idField: string): string {
  return outFields === '*' || outFields.split(',').includes(idField) ? outFields : `${outFields},${idField}`
}

/** Removes duplicates: a feature that crosses two boxes is in both lists. */
function uniqueFeatures(features: GeoFeature[], idField: string | null): GeoFeature[] {
  return [...new Map(features.map((feature) => [identityOf(feature, idField), feature])).values()]
}

function identityOf(feature: GeoFeature, idField: string | null): string {
  const id = idField === null ? null : attributeOf(feature.properties, idField)
  return id === null || id === undefined ? JSON.stringify(feature) : String(id)
}

function tooLargeError(): UpstreamError {
  return new UpstreamError(
    'too_large',
    `The service cannot list all features of the layer here: the list was still incomplete after ${maxPages} pages or ${maxSubdivisions} subdivisions. Add another source of the dataset, such as a pack.`,
  )
}
