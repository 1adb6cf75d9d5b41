import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { ApiError } from '../../model/error.ts'
import { basemapId } from '../../tiles/basemap.ts'
import { TileJson, TileList } from '../../tiles/tile-json.ts'
import { TileLayers } from '../../tiles/tile-layers.ts'
import type { TilePosition } from '../../tiles/vector-tile.ts'
import { defineOperations } from '../request/operation.ts'
import { hasEtag } from '../pages/static-body.ts'

const description =
  'Tiles are made of the embedded layers and the packs of this server: clipped, and simplified for their zoom. At low zooms, a small feature may stand for its neighbors.'

export const tileOperations = defineOperations('Tiles', {
  'GET /tiles': {
    scope: 'fetch',
    limits: 'minute',
    summary: 'List the datasets with vector tiles',
    description,
    responses: { 200: TileList },
  },
  'GET /tiles/{dataset}': {
    scope: 'fetch',
    limits: 'minute',
    summary: 'Describe the vector tiles of a dataset (TileJSON)',
    description,
    path: { dataset: 'The dataset, such as `census_counties`, or `basemap`.' },
    responses: { 200: TileJson },
    errorCodes: ['not_found', 'basemap_unavailable'],
  },
  'GET /tiles/{dataset}/{z}/{x}/{tile}': {
    scope: 'fetch',
    limits: 'none',
    summary: 'Get a vector tile',
    description: `A Mapbox vector tile with one layer, which has the name of the dataset. A tile of \`basemap\` has the layers of its file. ${description}`,
    path: {
      dataset: 'The dataset, or `basemap`.',
      z: 'The zoom.',
      x: 'The column.',
      tile: 'The row and `.mvt`, such as `12.mvt`.',
    },
    headers: { 'If-None-Match': 'The ETag of your copy of the tile.' },
    responses: { 200: Type.String({ format: 'binary' }), 204: null, 304: null },
    media: { 200: 'application/vnd.mapbox-vector-tile' },
    errorCodes: ['not_found', 'basemap_unavailable'],
  },
})

/** A pack may be replaced at any time, so a browser asks again after this time. */
const maxAge_s = 300

export const tileRoutes = (app: App) => {
  const layers = new TileLayers(() => app.snapshot())
  const { base_url } = app.config
  return new Elysia()
    .get('/tiles', async ({ request }) => ({
      items: layers.list(base_url),
      ...(await listedBasemap(app, request.signal)),
    }))
    .get('/tiles/:dataset', async ({ request, params: { dataset } }) => {
      const basemap = dataset === basemapId ? await app.basemap.describe(base_url, request.signal) : null
      return basemap ?? layers.describe(dataset, base_url)
    })
    .get('/tiles/:dataset/:z/:x/:tile', async ({ request, params: { dataset, z, x, tile } }) => {
      const position = parsePosition(z, x, tile)
      const isBasemap = dataset === basemapId
      const bytes = isBasemap ? await app.basemap.tile(position, request.signal) : layers.tile(dataset, position)
      return tileResponse(bytes, request)
    })
}

/** The base map in the list. A damaged file does not hide the datasets. */
async function listedBasemap({ basemap, config }: App, signal: AbortSignal): Promise<Omit<TileList, 'items'>> {
  try {
    return { basemap: await basemap.describe(config.base_url, signal), basemap_error: null }
  } catch (error) {
    if (error instanceof ApiError) return { basemap: null, basemap_error: error.message }
    throw error
  }
}

function tileResponse(bytes: Uint8Array, { headers: requestHeaders }: Request): Response {
  const etag = `"${Bun.hash(bytes).toString(36)}"`
  const headers = { etag, 'cache-control': `private, max-age=${maxAge_s}`, vary: 'authorization, cookie' }
  if (hasEtag(requestHeaders, [etag])) return new Response(null, { status: 304, headers })
  return bytes.length === 0
    ? new Response(null, { status: 204, headers })
    : new Response(new Uint8Array(bytes), {
        headers: { ...headers, 'content-type': 'application/vnd.mapbox-vector-tile' },
      })
}

function parsePosition(z: string, x: string, tile: string): TilePosition {
  const numbers = [z, x, tile.replace(/\.mvt$/, '')]
  const [zoom, column, row] = numbers.map(Number) as [number, number, number]
  if (!tile.endsWith('.mvt') || !numbers.every((it) => /^\d{1,6}$/.test(it)) || column >= 2 ** zoom || row >= 2 ** zoom)
    throw new ApiError('not_found', `There is no tile ${z}/${x}/${tile}. Its path ends with {z}/{x}/{y}.mvt.`)
  return { z: zoom, x: column, y: row }
}
