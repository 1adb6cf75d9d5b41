import type { Budget } from '../../model/source.ts'
import type { ArcgisLayerCopy } from './arcgis-harvest.ts'
import { listLayersOf } from './arcgis-layer.ts'
import { fillUrl } from '../rest/url-template.ts'

/** The settings that say which layers answer online. */
type CopiedLayers = {
  endpoint: string
  layers?: (number | string)[]
  set?: Record<string, string>[]
  layer_name?: string
  layer_geometry?: string
}

/** What the copies of all layers of a dataset have in common. */
type CommonCopy = Pick<ArcgisLayerCopy, 'outFields' | 'where' | 'deps'>

/** The layers that answer online: of each level, and of each member of `layers`. */
export async function copiesByLevel(
  { endpoint, layers, set = [], layer_name, layer_geometry }: CopiedLayers,
  levels: readonly number[],
  common: CommonCopy,
  budget: Budget,
): Promise<ArcgisLayerCopy[]> {
  const byLevel = (endpoint.includes('{level}') ? levels : [null]).map(async (level) => {
    const url = layerUrlOf(endpoint, level ?? undefined)
    const found =
      layer_name === undefined
        ? url
        : (await listLayersOf(common.deps.net, url.slice(0, url.lastIndexOf('/')), budget))(layer_name, layer_geometry)
    return (layers ?? [null]).map((layer, position) => ({
      url: layer === null ? found : layerUrlBelow(found, layer),
      set: set[position] ?? {},
      name: `${level ?? 0}-${position}`,
      level,
      position,
      packLayer: null,
      ...common,
    }))
  })
  return (await Promise.all(byLevel)).flat()
}

/** The layers with these names, for each layer of the pack. */
export async function copiesByName(
  endpoint: string,
  copiedLayers: Record<string, string[]>,
  common: CommonCopy,
  budget: Budget,
): Promise<ArcgisLayerCopy[]> {
  const findLayer = await listLayersOf(common.deps.net, endpoint, budget)
  return Object.entries(copiedLayers).flatMap(([packLayer, names]) =>
    names.map((name, position) => ({
      url: findLayer(name),
      set: {},
      name: `${packLayer}-${position}`,
      level: null,
      position,
      packLayer,
      ...common,
    })),
  )
}

/** The URL of a layer at a path below that of a service. */
export function layerUrlBelow(url: string, layer: number | string): string {
  return [url, ...String(layer).split('/').map(encodeURIComponent)].join('/')
}

/** The URL of the layer of a level. */
export function layerUrlOf(endpoint: string, level: number | undefined): string {
  return fillUrl(endpoint, { level }).replaceAll('(', '%28').replaceAll(')', '%29')
}
