import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { Raster } from '../raster/raster.ts'
import { addressOf, pointValues } from './address.ts'
import { driver, t } from './driver.ts'
import { openHttpRasters } from './http-rasters.ts'
import { foundScenes, searchOf, type Item } from './stac-search.ts'
import { valuesAt } from './stac-values.ts'

/**
 * The satellite scenes of a period at a point, newest first, each with the raw values of its bands there. The key of the question is a
 * search as JSON: `{ from, to, max_items, max_cloud_pct? }`, dates as YYYY-MM-DD, both of them in it.
 */
export const stac = driver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    collection: t.String(),
    /** Where the values of a scene at a point are asked for; without it they are read from the files of the scene. */
    point_endpoint: t.Optional(t.String()),
    /** The names that expressions use, each with the asset it stands for. */
    assets: t.Record(t.String(), t.String()),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, collection, point_endpoint, assets }, _shape, { net, rasters }) {
    if (!net) return null
    const bandsOf = point_endpoint === undefined
      ? readFrom(openHttpRasters(net, rasters, { mayMiss: true, crs: undefined }), assets)
      : askedFrom(net, point_endpoint, assets)
    const source = async ({ at, key }: { at: Point; key?: string }, budget: Budget) => {
      const items = await foundScenes(net, { endpoint, collection, at, search: searchOf(key) }, budget)
      const scenes = await Promise.all(items.map(async (item) => {
        const bands = await bandsOf(item, at, budget)
        return bands && sceneOf(item, bands)
      }))
      return scenes.filter((scene) => scene !== null)
    }
    return { source, vintage: null, remote: { host: new URL(endpoint).host } }
  },
})

/** The bands of a scene at a point; null when the scene does not reach it. */
type BandsOf = (item: Item, at: Point, budget: Budget) => Promise<Record<string, number | null> | null>

function askedFrom(net: HttpClient, point_endpoint: string, assets: Record<string, string>): BandsOf {
  return async ({ id }, at, budget) => {
    const url = addressOf(point_endpoint, { ...pointValues(at), id })
    const values = await valuesAt(net, url, budget)
    return values && namedValues(url, assets, values)
  }
}

/** The values come in the order in which the address names the assets; what the answer calls them differs by version. */
function namedValues(url: string, assets: Record<string, string>, values: (number | null)[]): Record<string, number | null> {
  const order = new URL(url).searchParams.getAll('assets')
  if (values.length !== order.length) throw new UpstreamError('bad_response', `${new URL(url).host} was to give ${order.length} values, and gave ${values.length}.`)
  return Object.fromEntries(Object.entries(assets).map(([name, asset]) => [name, values[order.indexOf(asset)] ?? null]))
}

/** Each band is a file of its own, with the cell that holds the point. */
function readFrom(fileAt: (url: string, budget: Budget) => Promise<Raster | null>, assets: Record<string, string>): BandsOf {
  return async ({ id, files }, at, budget) => {
    const bands = await Promise.all(Object.entries(assets).map(async ([name, asset]) => {
      const url = Object.hasOwn(files, asset) ? files[asset] : undefined
      if (url === undefined || !/^https?:\/\//.test(url)) throw new UpstreamError('bad_response', `The scene ${id} names no file for ${asset}.`)
      const raster = await fileAt(url, budget)
      if (!raster) return null
      const { width, at_x, at_y, cells } = await raster.window({ at, radius_cells: 0 }, { band: 1 }, budget)
      return [name, cells[Math.floor(at_y) * width + Math.floor(at_x)] ?? null] as const
    }))
    return bands.includes(null) ? null : Object.fromEntries(bands.filter((band) => band !== null))
  }
}

function sceneOf({ id, datetime, baseline }: Item, bands: Record<string, number | null>) {
  return { id, datetime, ...(baseline !== null && { 's2:processing_baseline': baseline }), ...bands }
}
