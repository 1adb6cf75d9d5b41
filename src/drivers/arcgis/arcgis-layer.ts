import { abortable } from '../../async/deadline.ts'
import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import { compilePattern } from '../../model/pattern.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { arcgisNameOf, requestArcgis } from './arcgis-request.ts'

/** Finds the current URL of a layer, given its last known URL. */
type LayerFinder = (lastKnownUrl: string, budget: Budget) => Promise<string>

/** What a layer must have: a name that matches a pattern in any case, and a geometry type if it states one. */
type LayerIdentity = { name: string; geometry: string | undefined; type?: 'Feature Layer' | 'Raster Layer' }
type LayerMatcher = { identity: LayerIdentity; hasName: (name: string) => boolean }

/**
 * Finds a layer by name in the layer list of its service. The list is read once a day, because publishers renumber
 * their layers. If the list is unavailable, the last known URL is used if the layer there has the name. A layer that
 * does not have the name is never queried: throws `schema_changed` if no layer has it, or the error of the list if a
 * retry may help.
 */
export function createLayerFinder(net: HttpClient, identity: LayerIdentity, now: () => Date): LayerFinder {
  const matcher = { identity, hasName: compilePattern(identity.name, 'i') }
  const cache = new Map<string, { url: Promise<string>; expires_ms: number }>()
  return async (lastKnownUrl, budget) => {
    const time_ms = now().getTime()
    const cached = cache.get(lastKnownUrl)
    if (cached && time_ms < cached.expires_ms) return abortable(cached.url, budget.signal)
    const url = findLayerUrl(net, lastKnownUrl, matcher)
    const entry = { url, expires_ms: time_ms + foundTtl_ms }
    cache.set(lastKnownUrl, entry)
    url.catch(() => cache.get(lastKnownUrl) === entry && cache.delete(lastKnownUrl))
    return abortable(url, budget.signal)
  }
}

/**
 * Reads the layer list of a service, and returns a function that finds the URL of a layer by a pattern for its name. Of
 * several layers with the name, the first is the current one. It throws `schema_changed` if there is none.
 */
export async function listLayersOf(
  net: HttpClient,
  serviceUrl: string,
  budget: Budget,
): Promise<(name: string, geometry?: string) => string> {
  const { layers } = await requestArcgis(net, serviceUrl, {}, budget)
  if (!Array.isArray(layers)) throw unexpectedResponse(arcgisNameOf(serviceUrl), 'a list of layers', layers)
  const listed = layers.filter(isRecord)
  return (name, geometry) => {
    const matcher = { identity: { name, geometry }, hasName: compilePattern(name, 'i') }
    const layer = listed.find((it) => isLayer(it, matcher))
    if (layer) return `${serviceUrl}/${String(layer.id)}`
    throw missingLayerError(matcher, listed)
  }
}

const foundTtl_ms = 86_400_000
const lookupTimeout_ms = 3_000

/** It has its own deadline, so that an aborted caller does not fail the others. */
async function findLayerUrl(net: HttpClient, lastKnownUrl: string, matcher: LayerMatcher): Promise<string> {
  const serviceUrl = lastKnownUrl.slice(0, lastKnownUrl.lastIndexOf('/'))
  const layers = await readLayers(net, serviceUrl)
  if (layers instanceof UpstreamError) {
    const lastKnown = await requestArcgis(net, lastKnownUrl, {}, { signal: AbortSignal.timeout(lookupTimeout_ms) })
    if (isLayer(lastKnown, matcher)) return lastKnownUrl
    throw layers.retryable || typeof lastKnown.name !== 'string' ? layers : missingLayerError(matcher, [lastKnown])
  }
  const layer = layers.find((it) => isLayer(it, matcher))
  if (layer) return `${serviceUrl}/${String(layer.id)}`
  throw missingLayerError(matcher, layers)
}

/** The layer list of a service, or why it is unavailable. */
async function readLayers(net: HttpClient, serviceUrl: string): Promise<Record<string, unknown>[] | UpstreamError> {
  const signal = AbortSignal.timeout(lookupTimeout_ms)
  try {
    const { layers } = await requestArcgis(net, serviceUrl, {}, { signal })
    if (Array.isArray(layers) && layers.length > 0) return layers.filter(isRecord)
    return unexpectedResponse(arcgisNameOf(serviceUrl), 'a list of layers', layers)
  } catch (error) {
    if (error instanceof UpstreamError) return error
    if (signal.aborted) return new UpstreamError('timeout', `${arcgisNameOf(serviceUrl)} did not list its layers.`)
    throw error
  }
}

function missingLayerError({ identity }: LayerMatcher, layers: Record<string, unknown>[]): UpstreamError {
  return schemaChangedError(
    [`layer ${identity.name}`],
    layers.map((layer) => String(layer.name)),
  )
}

/** Whether a layer has this identity; it is a feature layer by default. Groups and label layers are excluded. */
function isLayer(
  layer: Record<string, unknown>,
  { identity: { geometry, type = 'Feature Layer' }, hasName }: LayerMatcher,
): boolean {
  if (!Number.isInteger(layer.id) || typeof layer.name !== 'string') return false
  const hasType = layer.type === undefined || layer.type === type
  const hasGeometry = geometry === undefined || [geometry, undefined, null].includes(layer.geometryType as string)
  const isGroup = Array.isArray(layer.subLayerIds) && layer.subLayerIds.length > 0
  return hasType && hasGeometry && !isGroup && !/\blabels$/i.test(layer.name) && hasName(layer.name)
}
