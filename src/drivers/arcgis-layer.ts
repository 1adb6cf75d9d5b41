import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import { askArcgis } from './arcgis-ask.ts'

/** Gives the address of a layer, when it is told the one it was last seen at. */
export type LayerFinder = (pinned: string, budget: Budget) => Promise<string>

/**
 * Finds a layer by its name in the list of its service, which is asked once a day, since publishers number their layers anew.
 * Where the list cannot be had or has no such name, the layer is taken to be where it was.
 */
export function layerFinder(net: HttpClient, name: RegExp, now: () => Date): LayerFinder {
  const known = new Map<string, { layer: Promise<string | null>; until_ms: number }>()
  return async (pinned, budget) => {
    const service = pinned.slice(0, pinned.lastIndexOf('/'))
    const time_ms = now().getTime()
    const before = known.get(service)
    if (before && time_ms < before.until_ms) return (await before.layer) ?? pinned
    const layer = looked(net, service, name, budget)
    known.set(service, { layer, until_ms: time_ms + found_ms })
    // A client who went away says nothing of the list: the next who asks has it looked up.
    if ((await layer) === null) known.set(service, { layer, until_ms: budget.signal.aborted ? -Infinity : time_ms + missed_ms })
    return (await layer) ?? pinned
  }
}

const found_ms = 86_400_000
const missed_ms = 600_000
const looking_ms = 3_000

async function looked(net: HttpClient, service: string, name: RegExp, budget: Budget): Promise<string | null> {
  const signal = AbortSignal.any([budget.signal, AbortSignal.timeout(looking_ms)])
  try {
    const { layers } = await askArcgis(net, service, {}, { signal })
    const layer = Array.isArray(layers) ? layers.find((layer) => isNamed(layer, name)) : undefined
    return isRecord(layer) ? `${service}/${String(layer.id)}` : null
  } catch (error) {
    if (error instanceof UpstreamError || signal.aborted) return null
    throw error
  }
}

/** Neither a group nor a raster has features, and the labels of a layer have its name too. */
function isNamed(layer: unknown, wanted: RegExp): boolean {
  if (!isRecord(layer) || !Number.isInteger(layer.id) || typeof layer.name !== 'string') return false
  const hasFeatures = layer.type === undefined || layer.type === 'Feature Layer'
  const isGroup = Array.isArray(layer.subLayerIds) && layer.subLayerIds.length > 0
  return hasFeatures && !isGroup && !/\blabels$/i.test(layer.name) && wanted.test(layer.name)
}
