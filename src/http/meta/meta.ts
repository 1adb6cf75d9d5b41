import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { computeOnce } from '../../async/compute-once.ts'
import { createRoundRobin } from '../../async/round-robin.ts'
import { CatalogDocument } from '../../catalog/catalog-document.ts'
import {
  CoverageDocument,
  LimitsDocument,
  SourcesDocument,
  type EmbeddedLayerStatus,
} from '../../catalog/meta-documents.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { sourceStatusesOf } from '../../fetch/sources/source-statuses.ts'
import type { CatalogSnapshot } from '../../fetch/catalog/catalog-state.ts'
import { fieldDoubtsOf } from '../../fetch/catalog/answered-here.ts'
import { catalogDocumentOf } from '../../fetch/catalog/describe-catalog.ts'
import { createStaticBody, staticResponse, taggedResponse } from '../pages/static-body.ts'
import { limitsDocument } from './limits.ts'
import { defineOperations } from '../request/operation.ts'
import { createViolationError } from '../request/violations.ts'

const queryMax_characters = 300
const searchResultsMax = 50

export const metaOperations = defineOperations('Catalog', {
  'GET /v1/meta/fields': {
    scope: null,
    summary: 'List all fields and presets',
    description:
      'Ordered by layer. The ETag changes only when the response changes. To check for changes, send it in If-None-Match, at most once per hour. With `q` or `layer`: only the matching fields, without an ETag; with `q`, the best match comes first.',
    query: {
      q: `Search words, such as "flood" or "distance to a river". Returns at most ${searchResultsMax} fields.`,
      layer: 'Only the fields of this layer, such as `terrain`.',
    },
    headers: { 'If-None-Match': 'The ETag of your copy of the catalog.' },
    responses: { 200: CatalogDocument, 304: null },
  },
  'GET /v1/meta/sources': {
    scope: null,
    summary: 'List all datasets',
    description:
      'Publisher, license, attribution and vintage. `drivers` lists what can read the dataset, such as `pack` for a local file, and whether it can answer here now (`available`). `failing` has the last error of a source, since when it fails, and when it is tried again. Includes the manifest of the embedded data. To check for changes, send the ETag in If-None-Match.',
    query: { state: '`failing` lists only the datasets whose source fails.' },
    headers: { 'If-None-Match': 'The ETag of your copy.' },
    responses: { 200: SourcesDocument, 304: null },
  },
  'GET /v1/meta/coverage': {
    scope: null,
    summary: 'What local data answers in each county',
    description:
      'For each county, how many fields this server answers without other servers, and which presets completely: from embedded layers, computed fields and packs. It changes with the packs; send the ETag in If-None-Match to check for changes.',
    headers: { 'If-None-Match': 'The ETag of your copy.' },
    responses: { 200: CoverageDocument, 304: null },
  },
  'GET /v1/meta/limits': {
    scope: null,
    summary: 'List all limits',
    description: 'The limits of this server as numbers.',
    responses: { 200: LimitsDocument },
  },
})

/** Anyone can request searches and lists of datasets. In one turn of the event loop, they take about this time. */
const slice_ms = 5

export const metaRoutes = (app: App) => {
  const currentDocument = computeOnce(app.snapshot, describeSnapshot)
  const currentCoverage = computeOnce(app.snapshot, async ({ catalog }) => {
    const document: CoverageDocument = { fields: catalog.fields.size, groups: await app.countyCoverage() }
    return createStaticBody(document)
  })
  const takeTurn = createRoundRobin(slice_ms)
  return new Elysia()
    .get('/v1/meta/fields', ({ request }) => {
      const query = searchQueryOf(request)
      const layer = layerOf(request, app)
      if (query === '' && layer === null) return staticResponse(currentDocument().body, request)
      return takeTurn(() => {
        const { fields } = app.catalog
        const names = query === '' ? [...fields.keys()] : app.searchFields(app.catalog, query, fields.size)
        const found = names.filter((name) => layer === null || fields.get(name)!.layer === layer)
        const listed = query === '' ? found : found.slice(0, searchResultsMax)
        const { document, entries } = currentDocument()
        return { ...document, count: listed.length, fields: listed.map((name) => entries.get(name)!) }
      })
    })
    .get('/v1/meta/sources', ({ request }) =>
      takeTurn(() => taggedResponse(sourcesDocument(app, stateOf(request)), request)),
    )
    .get('/v1/meta/coverage', async ({ request }) => staticResponse(await currentCoverage(), request))
    .get('/v1/meta/limits', () => limitsDocument(app))
}

/** Returns the catalog document of a snapshot: as a value, its fields by name, and as a response body. */
function describeSnapshot(snapshot: CatalogSnapshot) {
  const document = catalogDocumentOf(snapshot)
  return {
    document,
    entries: new Map(document.fields.map((field) => [field.name, field])),
    body: createStaticBody(document),
  }
}

/** Returns the layer of a query, null for all. @throws {ValidationError} for a layer without fields. */
function layerOf({ url }: Request, { catalog }: App): string | null {
  const layer = new URL(url).searchParams.get('layer')
  const layers = new Set([...catalog.fields.values()].map((field) => field.layer))
  if (layer === null || layers.has(layer)) return layer
  const nearest = nearestName(layer, layers)
  const advice = nearest === null ? `The layers are ${[...layers].join(', ')}.` : `Did you mean '${nearest}'?`
  throw createViolationError('literal_error', ['query', 'layer'], `There is no such layer. ${advice}`, layer)
}

/** Returns the search words, '' for the whole catalog. */
function searchQueryOf({ url }: Request): string {
  const query = new URL(url).searchParams.get('q') ?? ''
  if (query.length > queryMax_characters)
    throw createViolationError(
      'string_too_long',
      ['query', 'q'],
      `String should have at most ${queryMax_characters} characters`,
      query,
    )
  return query.trim()
}

/** Returns the state of datasets in a query, null for all. @throws {ValidationError} for another state. */
function stateOf({ url }: Request): 'failing' | null {
  const state = new URL(url).searchParams.get('state')
  if (state === null || state === 'failing') return state
  throw createViolationError('literal_error', ['query', 'state'], "Input should be 'failing'", state)
}

/** Returns each dataset and how this server can query it. */
function sourcesDocument(app: App, state: 'failing' | null): SourcesDocument {
  const { embedded, packs, geocoders } = app
  const embeddedLayers = [...embedded.manifest.values()].map(
    ({ layer, title, publisher, license, attribution, source_url, vintage, features, derivation, packages }) => ({
      layer,
      title,
      publisher,
      license,
      attribution,
      source_url,
      vintage,
      features,
      derivation,
      packages: JSON.parse(packages) as EmbeddedLayerStatus['packages'],
    }),
  )
  const { failing, unchecked } = fieldDoubtsOf(app)
  return {
    sources: sourceStatusesOf(app).filter(({ failing }) => state === null || failing !== null),
    failing_fields: [...failing],
    unchecked_fields: [...unchecked],
    geocoders: geocoders().map(({ name, metered = false }) => ({ name, metered })),
    embedded: embeddedLayers,
    packs: packs.list(),
    areas: app.presetsByArea(),
  }
}
