import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import { requestArcgis } from './arcgis-request.ts'

/** Finds the current URL of a layer, given its last known URL. */
export type LayerFinder = (lastKnownUrl: string, budget: Budget) => Promise<string>

/**
 * Finds a layer by name in the layer list of its service. The list is read once a day, because publishers renumber
 * their layers. If the list is unavailable or lacks the name, the last known URL is used.
 */
export function createLayerFinder(net: HttpClient, name: RegExp, now: () => Date): LayerFinder {
  const cache = new Map<string, { layer: Promise<string | null>; expires_ms: number }>()
  return async (lastKnownUrl, budget) => {
    const serviceUrl = lastKnownUrl.slice(0, lastKnownUrl.lastIndexOf('/'))
    const time_ms = now().getTime()
    const cached = cache.get(serviceUrl)
    if (cached && time_ms < cached.expires_ms) return (await cached.layer) ?? lastKnownUrl
    const layer = findLayer(net, serviceUrl, name, budget)
    cache.set(serviceUrl, { layer, expires_ms: time_ms + foundTtl_ms })
    // An aborted request says nothing about the list, so the next one looks it up again.
    if ((await layer) === null)
      cache.set(serviceUrl, { layer, expires_ms: budget.signal.aborted ? -Infinity : time_ms + missingTtl_ms })
    return (await layer) ?? lastKnownUrl
  }
}

const foundTtl_ms = 86_400_000
const missingTtl_ms = 600_000
const lookupTimeout_ms = 3_000

async function findLayer(net: HttpClient, serviceUrl: string, name: RegExp, budget: Budget): Promise<string | null> {
  const signal = AbortSignal.any([budget.signal, AbortSignal.timeout(lookupTimeout_ms)])
  try {
    const { layers } = await requestArcgis(net, serviceUrl, {}, { signal })
    const layer = Array.isArray(layers) ? layers.find((layer) => isFeatureLayerNamed(layer, name)) : undefined
    return isRecord(layer) ? `${serviceUrl}/${String(layer.id)}` : null
  } catch (error) {
    if (error instanceof UpstreamError || signal.aborted) return null
    throw error
  }
}

/** Whether an entry is a feature layer with this name. Groups, rasters and label layers are excluded. */
function isFeatureLayerNamed(layer: unknown, name: RegExp): boolean {
  if (!isRecord(layer) || !Number.isInteger(layer.id) || typeof layer.name !== 'string') return false
  const hasFeatures = layer.type === undefined || layer.type === 'Feature Layer'
  const isGroup = Array.isArray(layer.subLayerIds) && layer.subLayerIds.length > 0
  return hasFeatures && !isGroup && !/\blabels$/i.test(layer.name) && name.test(layer.name)
}
