import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import type { Raster } from '../../raster/raster.ts'
import { fillUrl, pointValues } from '../rest/url-template.ts'
import { absentSchema } from '../rest/absent-reply.ts'
import { defineDriver, t } from '../driver.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { createHttpRasterCache } from '../raster/http-rasters.ts'
import { requireBandFormat, type PixelFormat } from '../raster/pixel-format.ts'
import { searchScenes, parseSceneSearch, type StacScene } from './stac-search.ts'
import { createPointReader, type ReadPoint } from './stac-values.ts'

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
