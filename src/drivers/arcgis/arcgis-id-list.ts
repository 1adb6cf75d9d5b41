import type { QueryBox } from '../../geo/boxes.ts'
import { attributeOf, normalizeAttributeName } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import { parseCount } from './arcgis-count.ts'
import { namesOfFields, parseFeatureSet, type FeatureSet } from './arcgis-feature-set.ts'
import { envelopeParameters } from './arcgis-paging.ts'
import { arcgisNameOf, requestArcgis, type ArcgisParameters } from './arcgis-request.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import type { HarvestDeps } from '../harvest.ts'

/** The description of a layer. `edited_ms`: when its data last changed, null if the service does not state it. */
export type ArcgisLayerDescription = {
  columns: string[]
  idField: string | null
  geometryType: string
  max_records: number
  edited_ms: number | null
}

/** Pages of this many features stay below the limit of a response also for outlines of 10,000 vertices. */
const maxPageSize = 250
const maxPointPageSize = 1_000

/** Describes a layer: its columns, and what its queries are limited to. */
export async function describeArcgisLayer(
  url: string,
  { net }: HarvestDeps,
  budget: Budget,
): Promise<ArcgisLayerDescription> {
  const { fields, objectIdField, geometryType, maxRecordCount, editingInfo } = await requestArcgis(net, url, {}, budget)
  const { dataLastEditDate, lastEditDate } = isRecord(editingInfo) ? editingInfo : {}
  const edited_ms = typeof dataLastEditDate === 'number' ? dataLastEditDate : lastEditDate
  return {
    columns: namesOfFields(fields),
    idField: typeof objectIdField === 'string' ? objectIdField : null,
    geometryType: typeof geometryType === 'string' ? geometryType : '',
    max_records: typeof maxRecordCount === 'number' && maxRecordCount > 0 ? maxRecordCount : maxPageSize,
    edited_ms: typeof edited_ms === 'number' && edited_ms > 0 ? edited_ms : null,
  }
}

/** The number of features that are requested at once. */
export function pageSizeOf({ max_records, geometryType }: ArcgisLayerDescription): number {
  return Math.min(max_records, geometryType === 'esriGeometryPoint' ? maxPointPageSize : maxPageSize)
}

/** The attributes to request: those of the layer that are read, and its object id. */
export function outFieldsOf(requested: string, { columns, idField }: ArcgisLayerDescription): string {
  if (requested === '*') return requested
  const existing = new Set(columns.map(normalizeAttributeName))
  const names = requested.split(',').filter((name) => existing.size === 0 || existing.has(normalizeAttributeName(name)))
  return [...new Set([...names, ...(idField === null ? [] : [idField])])].join(',')
}

/**
 * How a layer is queried, and the attributes to request. `send` sends a query to the layer and returns its JSON.
 * `onFeatures` receives each response with features.
 */
export type QueriedLayer = {
  url: string
  outFields: string
  send: (parameters: ArcgisParameters, budget: Budget) => Promise<Record<string, unknown>>
  onFeatures?: (featureSet: FeatureSet) => void
}

/** The number of features that match a filter. */
export function countFiltered(
  url: string,
  filter: ArcgisParameters,
  { net }: HarvestDeps,
  budget: Budget,
): Promise<number> {
  return countMatches({ url, send: (query, it) => requestArcgis(net, `${url}/query`, query, it) }, filter, budget)
}

async function countMatches(
  { url, send }: Pick<QueriedLayer, 'url' | 'send'>,
  filter: ArcgisParameters,
  budget: Budget,
): Promise<number> {
  return parseCount(await send({ ...filter, returnCountOnly: 'true' }, budget), arcgisNameOf(url))
}

/**
 * The object ids that match a filter, and their number by the count of the service. `refused`: it does not list ids.
 */
export type ListedIds = { refused: boolean; idField: string; ids: number[]; count: number }

/** Lists the object ids of the features that match a filter, and counts them. */
export async function listIds(
  layer: Pick<QueriedLayer, 'url' | 'send'>,
  filter: ArcgisParameters,
  budget: Budget,
): Promise<ListedIds> {
  const count = await countMatches(layer, filter, budget)
  try {
    const response = await layer.send({ ...filter, returnIdsOnly: 'true' }, budget)
    const { objectIdFieldName: idField, objectIds } = response
    const ids: unknown[] = Array.isArray(objectIds) ? objectIds : []
    if (typeof idField !== 'string' || !('objectIds' in response) || !ids.every((id) => Number.isInteger(id)))
      throw unexpectedResponse(arcgisNameOf(layer.url), 'a list of object ids', response)
    return { refused: false, idField, ids: ids as number[], count }
  } catch (error) {
    if (error instanceof UpstreamError && error.code === 'upstream_rejected')
      return { refused: true, idField: '', ids: [], count }
    if (error instanceof UpstreamError && error.code === 'too_large')
      return { refused: false, idField: '', ids: [], count }
    throw error
  }
}

/** The filter of the features that touch a box, and meet a condition if there is one. */
export function boxFilter(box: QueryBox, where = '1=1'): ArcgisParameters {
  return { where, inSR: '4326', spatialRel: 'esriSpatialRelIntersects', ...envelopeParameters(box) }
}

/** The features that match a filter; null if there are too many for one response. A smaller query may succeed. */
export async function queryFeatures(
  { url, outFields, send, onFeatures }: QueriedLayer,
  filter: ArcgisParameters,
  mayDivide: boolean,
  budget: Budget,
): Promise<FeatureSet | null> {
  const parameters = {
    where: '1=1',
    inSR: '4326',
    spatialRel: 'esriSpatialRelIntersects',
    ...filter,
    outFields,
    returnGeometry: 'true',
    outSR: '4326',
    geometryPrecision: String(geometryDecimals),
  }
  try {
    const featureSet = await parseFeatureSet(await send(parameters, budget), arcgisNameOf(url))
    onFeatures?.(featureSet)
    return featureSet.isTruncated && mayDivide ? null : featureSet
  } catch (error) {
    const isDivisible = error instanceof UpstreamError && ['too_large', 'timeout', 'upstream_5xx'].includes(error.code)
    if (isDivisible && mayDivide) return null
    throw error
  }
}

/**
 * The features of some object ids, each exactly once; null if one response has not all of them, so that the list must
 * be divided.
 * @throws {UpstreamError} `bad_response` if the service returns other features, or not the only one.
 */
export async function featuresOfIds(
  layer: QueriedLayer & { idField: string },
  ids: readonly number[],
  budget: Budget,
): Promise<FeatureSet | null> {
  const featureSet = await queryFeatures(layer, { objectIds: ids.join(',') }, ids.length > 1, budget)
  const received = (featureSet?.features ?? []).map(({ properties }) => attributeOf(properties, layer.idField))
  const requested = new Set<unknown>(ids)
  const name = arcgisNameOf(layer.url)
  if (received.some((id) => !requested.has(id)) || new Set(received).size < received.length)
    throw new UpstreamError(
      'bad_response',
      `${name} returned other features than those that were requested by object id. Try again later.`,
    )
  if (featureSet && received.length === ids.length) return featureSet
  if (ids.length > 1) return null
  throw new UpstreamError(
    'bad_response',
    `${name} lists the object id ${ids[0]}, but does not return the feature. Try again later.`,
  )
}

const geometryDecimals = 8
