import type { QueryBox } from '../geo/boxes.ts'
import { normalizeAttributeName } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import { parseCount } from './arcgis-count.ts'
import { namesOfFields } from './arcgis-feature-set.ts'
import { envelopeParameters } from './arcgis-paging.ts'
import { arcgisNameOf, requestArcgis, type ArcgisParameters } from './arcgis-request.ts'
import { unexpectedResponse } from './driver-errors.ts'
import type { HarvestDeps } from './harvest.ts'

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

/** The number of features that touch a box. */
export async function countInBox(url: string, box: QueryBox, { net }: HarvestDeps, budget: Budget): Promise<number> {
  const parameters = { ...boxParameters(box), returnCountOnly: 'true' }
  return parseCount(await requestArcgis(net, `${url}/query`, parameters, budget), arcgisNameOf(url))
}

/** The object ids of a box, and their number by the count of the service. `refused`: the service does not list ids. */
export type ListedIds = { refused: boolean; idField: string; ids: number[]; count: number }

/** Lists the object ids of the features that touch a box, and counts them. */
export async function listIdsInBox(
  { url, deps }: { url: string; deps: HarvestDeps },
  box: QueryBox,
  budget: Budget,
): Promise<ListedIds> {
  const count = await countInBox(url, box, deps, budget)
  try {
    const parameters = { ...boxParameters(box), returnIdsOnly: 'true' }
    const response = await requestArcgis(deps.net, `${url}/query`, parameters, budget)
    const { objectIdFieldName: idField, objectIds } = response
    const ids: unknown[] = Array.isArray(objectIds) ? objectIds : []
    if (typeof idField !== 'string' || !('objectIds' in response) || !ids.every((id) => Number.isInteger(id)))
      throw unexpectedResponse(arcgisNameOf(url), 'a list of object ids', response)
    return { refused: false, idField, ids: ids as number[], count }
  } catch (error) {
    if (error instanceof UpstreamError && error.code === 'upstream_rejected')
      return { refused: true, idField: '', ids: [], count }
    if (error instanceof UpstreamError && error.code === 'too_large')
      return { refused: false, idField: '', ids: [], count }
    throw error
  }
}

function boxParameters(box: QueryBox): ArcgisParameters {
  return { where: '1=1', inSR: '4326', spatialRel: 'esriSpatialRelIntersects', ...envelopeParameters(box) }
}
