import { numberOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import { throwStructuredError } from './structured-error.ts'

/** A scene that covers the point: its processing baseline is text such as "05.09", null where it has none; `files` are the addresses of its assets. */
export type StacScene = { id: string; datetime: string; baseline: string | null; assetUrls: Record<string, string> }

/** What is searched: from the first day to the last, at most so many scenes. */
type SceneSearch = { from: string; to: string; max_items: number; max_cloud_pct: number | null }

/** Each scene is a further question to the server, and all of them are asked at once. */
const scenesMax = 6

/** The search that the key of a question says. */
export function parseSceneSearch(key: string | undefined): SceneSearch {
  const search: unknown = key === undefined ? null : JSON.parse(key)
  const { from, to, max_items, max_cloud_pct = null } = isRecord(search) ? search : {}
  const isDate = (it: unknown): it is string => typeof it === 'string' && /^\d{4}-\d\d-\d\d$/.test(it)
  const isCloud = max_cloud_pct === null || typeof max_cloud_pct === 'number'
  if (isDate(from) && isDate(to) && typeof max_items === 'number' && isCloud)
    return { from, to, max_items: Math.min(max_items, scenesMax), max_cloud_pct }
  throw new Error(`A search of scenes is { from, to, max_items, max_cloud_pct }, and this is ${key}.`)
}

/** The newest scenes of a search at a point, newest first. Of one tile and day only that of the newest processing. */
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
    { url: endpoint, method: 'POST', body, headers: { 'content-type': 'application/json' } },
    budget,
  )
  return newestProcessing(parseScenes(response, new URL(endpoint).host)).slice(0, search.max_items)
}

type SearchQuery = { endpoint: string; collection: string; at: Point; search: SceneSearch }
type TiledScene = StacScene & { tile: string }

function parseScenes(response: unknown, host: string): TiledScene[] {
  throwStructuredError(response, host)
  if (isRecord(response) && Array.isArray(response.features))
    return response.features.map((feature) => parseScene(feature, host))
  throw new UpstreamError('bad_response', `${host} was to answer with a list of scenes, and there is none.`)
}

function parseScene(feature: unknown, host: string): TiledScene {
  const { id, properties, assets } = isRecord(feature) ? feature : {}
  const {
    datetime,
    's2:processing_baseline': baseline,
    's2:mgrs_tile': mgrs,
    'grid:code': grid,
  } = isRecord(properties) ? properties : {}
  if (typeof id !== 'string') throw new UpstreamError('bad_response', `${host} gave a scene without an id.`)
  if (typeof datetime !== 'string' || Number.isNaN(Date.parse(datetime)))
    throw new UpstreamError('bad_value', `${host} gave the scene ${id} without its time.`)
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

/** A tile of a day is there again after each reprocessing. */
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
