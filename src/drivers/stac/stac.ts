import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import type { Raster } from '../../raster/raster.ts'
import { fillUrl, pointValues } from '../rest/url-template.ts'
import { absentSchema } from '../rest/absent-reply.ts'
import { defineDriver, t } from '../driver.ts'
import { unexpectedResponse, unexpectedValue } from '../driver-errors.ts'
import { createHttpRasterCache } from '../raster/http-rasters.ts'
import { requireBandFormat, type PixelFormat } from '../raster/pixel-format.ts'
import { createPointReader, type ReadPoint } from './stac-values.ts'
import { numberOf } from '../../geo/attribute.ts'
import { isRecord } from '../../model/record.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { throwStructuredError } from '../rest/structured-error.ts'

/**
 * The satellite scenes of a period at a point, newest first, each with the raw values of its bands there. The key of
 * the query is a search as JSON: `{ from, to, max_items, max_cloud_pct? }`, with dates as YYYY-MM-DD, both included.
 */
export const stacDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    collection: t.String(),
    /** The endpoint for the values of a scene at a point. If undefined, they are read from the scene's files. */
    point_endpoint: t.Optional(t.String()),
    /** The names that expressions use, and the asset of each. */
    assets: t.Record(t.String(), t.String()),
    /** The reply by which the service says that a scene does not cover the point. */
    absent: t.Optional(absentSchema),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, collection, point_endpoint, assets, absent }, _shape, { net, rasters }) {
    if (!net) return null
    const readBands =
      point_endpoint === undefined
        ? bandsFromFiles(createHttpRasterCache(net, rasters, { absent, crs: undefined }), assets)
        : bandsFromEndpoint(createPointReader(net, absent), point_endpoint, assets)
    const source = async ({ at, key }: { at: Point; key?: string }, budget: Budget) => {
      const matches = await searchScenes(net, { endpoint, collection, at, search: parseSceneSearch(key) }, budget)
      const scenes = await Promise.all(
        matches.map(async (match) => {
          const bands = await readBands(match, at, budget)
          return bands && sceneRecordOf(match, bands)
        }),
      )
      return scenes.filter((scene) => scene !== null)
    }
    return { source, vintage: null, remote: { host: new URL(endpoint).host } }
  },
})

/** Reads the bands of a scene at a point; null if the scene does not cover it. */
type ReadBands = (scene: StacScene, at: Point, budget: Budget) => Promise<Record<string, number | null> | null>

function bandsFromEndpoint(readPoint: ReadPoint, point_endpoint: string, assets: Record<string, string>): ReadBands {
  return async ({ id }, at, budget) => {
    const url = fillUrl(point_endpoint, { ...pointValues(at), id })
    const values = await readPoint(url, budget)
    return values && nameValues(url, assets, values)
  }
}

/** Names the values by their order in the URL, because their names in the response depend on the API version. */
function nameValues(
  url: string,
  assets: Record<string, string>,
  values: (number | null)[],
): Record<string, number | null> {
  const order = new URL(url).searchParams.getAll('assets')
  if (values.length !== order.length)
    throw unexpectedResponse(new URL(url).host, `${order.length} values`, `${values.length} values`)
  return Object.fromEntries(Object.entries(assets).map(([name, asset]) => [name, values[order.indexOf(asset)] ?? null]))
}

/** Reads each band from its own file, at the cell that contains the point. */
function bandsFromFiles(
  openFile: (url: string, budget: Budget) => Promise<Raster | null>,
  assets: Record<string, string>,
): ReadBands {
  return async ({ id, assetUrls }, at, budget) => {
    const bands = await Promise.all(
      Object.entries(assets).map(async ([name, asset]) => {
        const url = Object.hasOwn(assetUrls, asset) ? assetUrls[asset] : undefined
        if (url === undefined || !/^https?:\/\//.test(url))
          throw new UpstreamError(
            'bad_response',
            `Scene ${id} has no file for asset ${asset}. Check \`assets\` in the dataset.`,
          )
        const raster = await openFile(url, budget)
        if (!raster) return null
        requireBandFormat(raster, 1, sceneFormat)
        const { width, at_x, at_y, cells } = await raster.window({ at, radius_cells: 0 }, { band: 1 }, budget)
        return [name, cells[Math.floor(at_y) * width + Math.floor(at_x)] ?? null] as const
      }),
    )
    return bands.includes(null) ? null : Object.fromEntries(bands.filter((band) => band !== null))
  }
}

/** The fields scale the stored numbers, so a file must not declare a scale of its own. */
const sceneFormat: PixelFormat = { type: 'integer', bands: 1 }

function sceneRecordOf({ id, datetime, baseline }: StacScene, bands: Record<string, number | null>) {
  return { id, datetime, ...(baseline !== null && { 's2:processing_baseline': baseline }), ...bands }
}

/** A scene that covers the point. `baseline`: the processing baseline as text, such as "05.09", or null. */
type StacScene = { id: string; datetime: string; baseline: string | null; assetUrls: Record<string, string> }

/** A search: first and last day, both included, and the maximum number of scenes. */
type SceneSearch = { from: string; to: string; max_items: number; max_cloud_pct: number | null }

/** Each scene costs one more request, and all are sent at once. */
const scenesMax = 6
/** A scene takes about 20 kB. */
const searchMax_bytes = 4 * 1024 * 1024

/** Parses the key of a query as a search. */
function parseSceneSearch(key: string | undefined): SceneSearch {
  const search: unknown = key === undefined ? null : JSON.parse(key)
  const { from, to, max_items, max_cloud_pct = null } = isRecord(search) ? search : {}
  const isDate = (it: unknown): it is string => typeof it === 'string' && /^\d{4}-\d\d-\d\d$/.test(it)
  const isCloud = max_cloud_pct === null || typeof max_cloud_pct === 'number'
  if (isDate(from) && isDate(to) && typeof max_items === 'number' && isCloud)
    return { from, to, max_items: Math.min(max_items, scenesMax), max_cloud_pct }
  throw new Error(`Invalid scene search ${key}. Use { from, to, max_items, max_cloud_pct }.`)
}

/** The scenes of a search at a point, newest first. For each tile and day, only the newest processing is included. */
async function searchScenes(
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
