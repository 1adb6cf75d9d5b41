import { numberOf } from '../../geo/attribute.ts'
import { unexpectedResponse, unexpectedValue } from '../driver-errors.ts'
import type { Point } from '../../model/place.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { throwStructuredError } from '../rest/structured-error.ts'

/** A scene that covers the point. `baseline`: the processing baseline as text, such as "05.09", or null. */
export type StacScene = { id: string; datetime: string; baseline: string | null; assetUrls: Record<string, string> }

/** A search: first and last day, both included, and the maximum number of scenes. */
type SceneSearch = { from: string; to: string; max_items: number; max_cloud_pct: number | null }

/** Each scene costs one more request, and all are sent at once. */
const scenesMax = 6
/** A scene takes about 20 kB. */
const searchMax_bytes = 4 * 1024 * 1024

/** Parses the key of a query as a search. */
export function parseSceneSearch(key: string | undefined): SceneSearch {
  const search: unknown = key === undefined ? null : JSON.parse(key)
  const { from, to, max_items, max_cloud_pct = null } = isRecord(search) ? search : {}
  const isDate = (it: unknown): it is string => typeof it === 'string' && /^\d{4}-\d\d-\d\d$/.test(it)
  const isCloud = max_cloud_pct === null || typeof max_cloud_pct === 'number'
  if (isDate(from) && isDate(to) && typeof max_items === 'number' && isCloud)
    return { from, to, max_items: Math.min(max_items, scenesMax), max_cloud_pct }
  throw new Error(`Invalid scene search ${key}. Use { from, to, max_items, max_cloud_pct }.`)
}

/** The scenes of a search at a point, newest first. For each tile and day, only the newest processing is included. */
export async function searchScenes(
  net: HttpClient,
  { endpoint, collection, at, search }: SearchQuery,
  budget: Budget,
): Promise<StacScene[]> {
  const body = JSON.stringify({
    collections: [collection],
    intersects: { type: 'Point', coordinates: [at.lng, at.lat] },
    datetime: `${search.from}T00:00:00Z/${search.to}T23:59:59Z`,
    ...(search.max_cloud_pct !== null && { query: { 'eo:cloud_cover': { lt: search.max_cloud_pct } } }),
    sortby: [{ field: 'properties.datetime', direction: 'desc' }],
    limit: 2 * search.max_items,
  })
  const response = await net.fetchJson(
    {
      url: endpoint,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      cap_bytes: searchMax_bytes,
    },
    budget,
  )
  return newestProcessing(parseScenes(response, new URL(endpoint).host)).slice(0, search.max_items)
}

type SearchQuery = { endpoint: string; collection: string; at: Point; search: SceneSearch }
type TiledScene = StacScene & { tile: string }

function parseScenes(response: unknown, host: string): TiledScene[] {
  throwStructuredError(response, host)
  if (isRecord(response) && response.type === 'FeatureCollection' && Array.isArray(response.features))
    return response.features.map((feature) => parseScene(feature, host))
  throw unexpectedResponse(host, 'a list of scenes', response)
}

function parseScene(feature: unknown, host: string): TiledScene {
  const { id, properties, assets } = isRecord(feature) ? feature : {}
  const {
    datetime,
    's2:processing_baseline': baseline,
    's2:mgrs_tile': mgrs,
    'grid:code': grid,
  } = isRecord(properties) ? properties : {}
  if (typeof id !== 'string') throw unexpectedResponse(host, 'a scene with an id', feature)
  if (typeof datetime !== 'string' || Number.isNaN(Date.parse(datetime)))
    throw unexpectedValue(host, `the time of scene ${id}`, datetime)
  if (baseline !== undefined && baseline !== null && !(typeof baseline === 'string' && /^\d\d\.\d\d$/.test(baseline)))
    throw unexpectedValue(host, `the processing baseline of scene ${id}`, baseline)
  const tile = [mgrs, grid, id].find((it) => typeof it === 'string')!
  return {
    id,
    datetime,
    baseline: typeof baseline === 'string' ? baseline : null,
    assetUrls: assetUrlsOf(assets),
    tile,
  }
}

function assetUrlsOf(assets: unknown): Record<string, string> {
  const urls = Object.entries(isRecord(assets) ? assets : {}).map(
    ([name, asset]) => [name, isRecord(asset) ? asset.href : null] as const,
  )
  return Object.fromEntries(urls.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** The newest processing of each tile and day. Reprocessing adds a scene to the catalog. */
function newestProcessing(scenes: TiledScene[]): StacScene[] {
  const best = new Map<string, TiledScene>()
  for (const scene of scenes) {
    const tileDay = `${scene.tile} ${scene.datetime.slice(0, 10)}`
    const previous = best.get(tileDay)
    if (!previous || baselineNumberOf(scene) > baselineNumberOf(previous)) best.set(tileDay, scene)
  }
  return [...best.values()].toSorted((a, b) => Date.parse(b.datetime) - Date.parse(a.datetime))
}

function baselineNumberOf({ baseline }: StacScene): number {
  return numberOf(baseline) ?? 0
}
