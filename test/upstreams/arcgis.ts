import { answerQuery, ArcgisQueryError } from './arcgis-query.ts'
import { fieldsOf, geometryTypeOf } from './arcgis-features.ts'
import type { SimulatedLayer } from './layers/layer.ts'
import { jsonAnswer, textAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from './service.ts'

/** Maximum URL length. Longer queries must use POST. */
const longest = 4_096

/** FeatureServers and MapServers over layers: `{layer}/query`, `{layer}?f=json` and `{service}?f=json`. */
export function arcgis(layers: SimulatedLayer[]): SimulatedService[] {
  const hosts = Map.groupBy(layers, ({ host }) => host)
  return [...hosts].map(([host, held]) => ({ host, answer: (request) => answer(held, request) }))
}

/**
 * The answer to an unknown request. ArcGIS reports a missing layer in a 200 response, or a 500 on an enterprise host;
 * anything else is a 404.
 */
export function unknownRequestAnswer({ host, path }: ReceivedRequest): NonNullable<ServiceAnswer> {
  if (!/\/rest\/services\//i.test(path))
    return { status: 404, type: 'text/plain', body: `The stand-in knows no ${host}${path}.` }
  const error = host.endsWith('arcgis.com')
    ? { code: 400, message: 'Invalid URL', details: ['Invalid URL'] }
    : { code: 500, message: 'Service not found', details: [] }
  return { status: 200, type: 'application/json', body: JSON.stringify({ error }) }
}

function answer(layers: SimulatedLayer[], request: ReceivedRequest): ServiceAnswer {
  const [, service = '', id, query] =
    /^(.*?\/(?:Feature|Map)Server)(?:\/(\d+))?(\/query)?\/?$/i.exec(request.path) ?? []
  const siblings = layers.filter((layer) => layer.service.toLowerCase() === service.toLowerCase())
  if (siblings.length === 0) return null
  if (id === undefined) return query ? null : inForm(request, () => listing(siblings))
  const layer = siblings.find((it) => it.id === Number(id))
  if (!layer) return null
  if (!query) return inForm(request, () => description(layer))
  if (layer.quirks.includes('no_quotes') && /["']/.test([...request.query.values()].join('')))
    return textAnswer('<html><body>Request blocked</body></html>', 'text/html', 403)
  const asking = questionOf(request)
  if (!asking) return textAnswer('The address is too long.', 'text/html', 414)
  if (
    layer.quirks.includes('geometry_times_out') &&
    asking.get('returnGeometry') !== 'false' &&
    asking.get('returnCountOnly') !== 'true'
  )
    return textAnswer('Gateway Timeout', 'text/html', 504)
  return inForm({ ...request, query: asking }, () => answerQuery(layer, asking))
}

/** Returns the parameters of the URL or the posted form, or null if the URL is too long. */
function questionOf({ query, method, body, path }: ReceivedRequest): URLSearchParams | null {
  if (method === 'POST') return new URLSearchParams([...query, ...new URLSearchParams(body)])
  return path.length + query.toString().length > longest ? null : query
}

/** Answers with JSON if requested, otherwise an HTML page. Errors have status 200. */
function inForm({ query }: ReceivedRequest, value: () => unknown): ServiceAnswer {
  const form = query.get('f') ?? 'html'
  if (form === 'html')
    return textAnswer(
      '<html><head><title>ArcGIS REST Services Directory</title></head><body></body></html>',
      'text/html',
    )
  if (!['json', 'pjson', 'geojson'].includes(form))
    return jsonAnswer({ error: { code: 400, message: 'Output format not supported.', details: [] } })
  try {
    return jsonAnswer(value())
  } catch (error) {
    if (error instanceof ArcgisQueryError)
      return jsonAnswer({ error: { code: error.code, message: error.message, details: [] } })
    throw error
  }
}

function listing(layers: SimulatedLayer[]): unknown {
  return {
    currentVersion: 11.5,
    capabilities: 'Query',
    tables: [],
    layers: layers.map((layer) => ({
      id: layer.id,
      name: layer.name,
      parentLayerId: -1,
      subLayerIds: null,
      type: 'Feature Layer',
      geometryType: geometryTypeOf(layer),
    })),
  }
}

/** What layers of ArcGIS Online say of their changes, in epoch milliseconds. */
const edits = {
  lastEditDate: Date.UTC(2026, 9, 2, 16),
  schemaLastEditDate: Date.UTC(2026, 9, 2, 16),
  dataLastEditDate: Date.UTC(2026, 8, 30, 7),
}

function isHosted({ host }: SimulatedLayer): boolean {
  return /^services\d*\.arcgis\.com$/.test(host)
}

function description(layer: SimulatedLayer): unknown {
  return {
    currentVersion: 11.5,
    id: layer.id,
    name: layer.name,
    type: 'Feature Layer',
    geometryType: geometryTypeOf(layer),
    objectIdField: layer.oid,
    fields: fieldsOf(layer.columns),
    maxRecordCount: layer.max_record_count,
    supportedQueryFormats: 'JSON, geoJSON',
    advancedQueryCapabilities: { supportsPagination: true, supportsOrderBy: true },
    extent: { spatialReference: { wkid: layer.wkid } },
    ...(isHosted(layer) && { editingInfo: edits }),
  }
}
