import { Type, type Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { createIncrementalTask, createYieldToEventLoop } from '../../async/incremental-task.ts'
import { ApiError } from '../../model/error.ts'
import { formatTimestamp } from '../../model/text.ts'
import {
  findFeatureCollection,
  firstPage,
  listFeatureCollections,
  readFeature,
  readFeaturePage,
  type FeatureCollection,
  type PageStart,
} from '../../ogc/feature-collections.ts'
import {
  crs84,
  ogcExtentOf,
  OgcExtent,
  ogcDocumentOperations,
  ogcDocumentRoutes,
  type OgcInterface,
  OgcLink,
  ogcQueryOf,
  parseBbox,
  parseOgcLimit,
  requireDateTime,
} from './ogc-documents.ts'
import { defineOperations } from '../request/operation.ts'

const root = '/ogc'
/** The maximum number of features on a page, and the default. */
export const featurePageLimits = { max: 1_000, default: 100 }
const slice_ms = 5
const geoJsonType = 'application/geo+json'
const featureFormats = ['json', 'GeoJSON']

const Collection = Type.Object({
  id: Type.String({ description: 'The dataset.' }),
  title: Type.String(),
  attribution: Type.String({ description: 'The publisher and the license, as text.' }),
  vintage: Type.Union([Type.String(), Type.Null()], { description: 'Date or edition of the data.' }),
  itemType: Type.Literal('feature'),
  crs: Type.Array(Type.String()),
  extent: OgcExtent,
  links: Type.Array(OgcLink),
})
const Collections = Type.Object({ collections: Type.Array(Collection), links: Type.Array(OgcLink) })
const Features = Type.Object({}, { additionalProperties: true, description: 'GeoJSON (RFC 7946).' })

const featureInterface: OgcInterface = {
  root,
  title: 'Fieldstone features',
  description: 'The embedded layers and packs of this server.',
  conformsTo: ['core', 'geojson'].map((name) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${name}`),
}
const common = { scope: 'fetch', limits: 'minute' } as const
const collectionPath = { collection: 'The dataset, such as `census_counties`.' }

export const ogcFeatureOperations = defineOperations('OGC API – Features', {
  ...ogcDocumentOperations(
    featureInterface,
    common,
    'OGC API – Features, Part 1, for the embedded layers and packs of this server. Read-only.',
  ),
  [`GET ${root}/collections`]: {
    ...common,
    summary: 'List the collections',
    description: 'A collection for each dataset with embedded features or a pack, unless its terms do not allow it.',
    responses: { 200: Collections },
  },
  [`GET ${root}/collections/{collection}`]: {
    ...common,
    summary: 'Describe a collection',
    description: 'Title, license, extent and links.',
    path: collectionPath,
    responses: { 200: Collection },
    errorCodes: ['not_found'],
  },
  [`GET ${root}/collections/{collection}/items`]: {
    ...common,
    summary: 'List features',
    description:
      'A page of features as GeoJSON. The link `next` leads to the next page; the last page has none. A page can have fewer features than `limit`. A large polygon may be listed in the pieces in which its pack stores it.',
    path: collectionPath,
    query: {
      bbox: 'West, south, east, north. Only features that have a point in common with the box.',
      limit: `Maximum number of features on the page, 1 to ${featurePageLimits.max}. Default ${featurePageLimits.default}.`,
      datetime: 'A time or an interval. The features have no time, so all of them match.',
      cursor: 'Of the link `next`.',
      f: 'The format: `json` or `GeoJSON`, which are the same.',
    },
    responses: { 200: Features },
    media: { 200: geoJsonType },
    errorCodes: ['not_found'],
  },
  [`GET ${root}/collections/{collection}/items/{feature}`]: {
    ...common,
    summary: 'Get a feature',
    description: 'One feature as GeoJSON. Its id is valid as long as the pack is not replaced.',
    path: { ...collectionPath, feature: 'The id of the feature.' },
    responses: { 200: Features },
    media: { 200: geoJsonType },
    errorCodes: ['not_found'],
  },
})

export const ogcFeatureRoutes = (app: App) => {
  const { base_url } = app.config
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  return new Elysia()
    .use(ogcDocumentRoutes(featureInterface, ogcFeatureOperations, app))
    .get(`${root}/collections`, async ({ request }) => {
      ogcQueryOf(request, [])
      const found = await createIncrementalTask(() => listFeatureCollections(app.snapshot()), yieldToEventLoop).run()
      return {
        collections: found.map((it) => describeCollection(it, base_url)),
        links: [{ href: `${base_url}${root}/collections`, rel: 'self', type: 'application/json' }],
      }
    })
    .get(`${root}/collections/:collection`, ({ request, params: { collection } }) => {
      ogcQueryOf(request, [])
      return describeCollection(findFeatureCollection(collection, app.snapshot()), base_url)
    })
    .get(`${root}/collections/:collection/items`, async ({ request, params: { collection } }) => {
      const found = findFeatureCollection(collection, app.snapshot())
      const query = ogcQueryOf(request, ['bbox', 'limit', 'datetime', 'cursor'], featureFormats)
      requireDateTime(query)
      const page = {
        box: parseBbox(query),
        limit: parseOgcLimit(query, featurePageLimits),
        start: parseCursor(query.get('cursor')),
      }
      const { features, next } = await createIncrementalTask(() => readFeaturePage(found, page), yieldToEventLoop).run()
      const links = pageLinks(`${collectionUrl(found, base_url)}/items`, query, next)
      const members = { timeStamp: formatTimestamp(app.now()), numberReturned: features.length, links }
      return geoJsonResponse(
        `{"type":"FeatureCollection","features":[${features.join(',\n')}],${JSON.stringify(members).slice(1)}`,
      )
    })
    .get(`${root}/collections/:collection/items/:feature`, ({ request, params: { collection, feature } }) => {
      ogcQueryOf(request, [], featureFormats)
      const found = findFeatureCollection(collection, app.snapshot())
      const url = collectionUrl(found, base_url)
      const links: OgcLink[] = [
        { href: `${url}/items/${feature}`, rel: 'self', type: geoJsonType },
        { href: url, rel: 'collection', type: 'application/json' },
      ]
      return geoJsonResponse(readFeature(found, feature, { links }))
    })
}

function geoJsonResponse(text: string): Response {
  return new Response(text, { headers: { 'content-type': geoJsonType, 'cache-control': 'private, no-store' } })
}

function collectionUrl({ handle }: FeatureCollection, base_url: string): string {
  return `${base_url}${root}/collections/${encodeURIComponent(handle.id)}`
}

function describeCollection(collection: FeatureCollection, base_url: string): Static<typeof Collection> {
  const { handle, option, bounds } = collection
  const { id, dataset } = handle
  const url = collectionUrl(collection, base_url)
  return {
    id,
    title: dataset.title,
    attribution: dataset.attribution ?? `${dataset.publisher}. ${dataset.license}.`,
    vintage: option.vintage ?? dataset.vintage ?? null,
    itemType: 'feature',
    crs: [crs84],
    extent: ogcExtentOf([bounds]),
    links: [
      { href: url, rel: 'self', type: 'application/json' },
      { href: `${url}/items`, rel: 'items', type: geoJsonType },
      { href: dataset.source_url, rel: 'via', title: 'The page of the publisher' },
    ],
  }
}

/** Parses the cursor of a page. @throws {ApiError} `bad_request` */
function parseCursor(text: string | null): PageStart {
  if (text === null) return firstPage
  const [, source, position] = /^(\d{1,6})\.(-?\d{1,16})$/.exec(text) ?? []
  if (source === undefined) throw new ApiError('bad_request', 'cursor is part of the link next of a page. Follow it.')
  return { source: Number(source), position: Number(position) }
}

function pageLinks(url: string, query: URLSearchParams, next: PageStart | null): OgcLink[] {
  const linkTo = (parameters: URLSearchParams, rel: string) => {
    const text = parameters.toString()
    return { href: text === '' ? url : `${url}?${text}`, rel, type: geoJsonType }
  }
  if (!next) return [linkTo(query, 'self')]
  const after = new URLSearchParams(query)
  after.set('cursor', `${next.source}.${next.position}`)
  return [linkTo(query, 'self'), linkTo(after, 'next')]
}
