import { shapesIntersect, distanceToShape_m, unprojectPosition } from './arcgis-geometry.ts'
import { conditionOf, WhereError } from './arcgis-where.ts'
import { formatFeatures } from './arcgis-features.ts'
import type { SimulatedLayer, SimulatedRow } from './layers/layer.ts'
import type { ShapePosition, SimulatedShape } from './layers/shapes.ts'

/** A query that ArcGIS rejects. `code` is the error code in the response. */
export class ArcgisQueryError extends Error {
  readonly code: number
  constructor(code = 400, message = 'Failed to execute query.') {
    super(message)
    this.code = code
  }
}

/** Returns the answer of a layer to `/query`: Esri JSON, GeoJSON, a count or a list of object ids. */
export function answerQuery(layer: SimulatedLayer, query: URLSearchParams): unknown {
  const rows = sorted(layer, chosen(layer, query), query.get('orderByFields'))
  if (isSet(query, 'returnCountOnly')) return { count: rows.length }
  if (isSet(query, 'returnIdsOnly'))
    return { objectIdFieldName: layer.oid, objectIds: rows.map(({ cells }) => cells[layer.oid]) }
  const offset = wholeOf(query, 'resultOffset') ?? 0
  const most = Math.min(layer.max_record_count, wholeOf(query, 'resultRecordCount') ?? Infinity)
  const page = rows.slice(offset, offset + most)
  return formatFeatures(layer, page, {
    columns: columnsOf(layer, query.get('outFields')),
    geometry: query.get('returnGeometry')?.toLowerCase() !== 'false',
    wkid: wkidOf(query.get('outSR')) ?? layer.wkid,
    precision: wholeOf(query, 'geometryPrecision'),
    form: query.get('f') === 'geojson' ? 'geojson' : 'json',
    exceeded: offset + page.length < rows.length,
  })
}

function chosen(layer: SimulatedLayer, query: URLSearchParams): SimulatedRow[] {
  const where = query.get('where')?.trim()
  if (!where && layer.quirks.includes('where_required'))
    throw new ArcgisQueryError(400, 'Unable to complete operation.')
  const ids = query.get('objectIds')?.split(',').map(Number)
  if (!where && !ids && !query.get('geometry')) throw new ArcgisQueryError(400, 'Unable to complete operation.')
  if (where && where !== '1=1' && layer.quirks.includes('where_times_out'))
    throw new ArcgisQueryError(500, 'Error performing query operation')
  const touches = spatially(layer, query)
  const holds = where ? condition(layer, where) : () => true
  const isRequested = ids ? (cells: SimulatedRow['cells']) => ids.includes(Number(cells[layer.oid])) : () => true
  return layer.rows.filter(({ shape, cells }) => isRequested(cells) && holds(cells) && touches(shape))
}

function condition(layer: SimulatedLayer, where: string) {
  try {
    return conditionOf(where, layer.columns)
  } catch (error) {
    if (error instanceof WhereError) throw new ArcgisQueryError()
    throw error
  }
}

function spatially(layer: SimulatedLayer, query: URLSearchParams): (shape: SimulatedShape) => boolean {
  const text = query.get('geometry')
  if (!text) return () => true
  if (!['esriSpatialRelIntersects', null].includes(query.get('spatialRel'))) throw new ArcgisQueryError()
  const requested = shapeOf(layer, text, query)
  const distance_m = distanceOf(query)
  if (distance_m === 0) return (shape) => shapesIntersect(shape, requested)
  if (layer.quirks.includes('no_distance') || requested.kind !== 'point')
    throw new ArcgisQueryError(400, 'Unable to complete operation.')
  return (shape) => distanceToShape_m(requested.at, shape) <= distance_m
}

function distanceOf(query: URLSearchParams): number {
  const unit_m = {
    esriSRUnit_Meter: 1,
    esriSRUnit_Kilometer: 1_000,
    esriSRUnit_StatuteMile: 1_609.344,
    esriSRUnit_Foot: 0.304_8,
  }
  const distance = Number(query.get('distance') ?? 0)
  const unit = Object.entries(unit_m).find(([name]) => name === (query.get('units') ?? 'esriSRUnit_Meter'))
  if (!unit || !(distance >= 0)) throw new ArcgisQueryError()
  return distance * unit[1]
}

/** Returns the geometry of a query; by default an envelope, as in ArcGIS. */
function shapeOf(layer: SimulatedLayer, text: string, query: URLSearchParams): SimulatedShape {
  const given = text.startsWith('{') ? parsed(text) : text.split(',').map(Number)
  const wkid = wkidOf((given as Esri).spatialReference) ?? wkidOf(query.get('inSR')) ?? layer.wkid
  const at = (x: unknown, y: unknown): ShapePosition => {
    const degrees =
      typeof x === 'number' && typeof y === 'number' && Number.isFinite(x + y) ? unprojectPosition([x, y], wkid) : null
    if (!degrees) throw new ArcgisQueryError()
    return degrees
  }
  const chains = (value: unknown): ShapePosition[][] =>
    listOf(value).map((chain) => listOf(chain).map((pair) => at(listOf(pair)[0], listOf(pair)[1])))

  const type = query.get('geometryType') ?? 'esriGeometryEnvelope'
  if (type === 'esriGeometryPoint') {
    if (!Array.isArray(given) && layer.quirks.includes('no_json_point'))
      throw new ArcgisQueryError(400, 'Unable to complete operation.')
    if (Array.isArray(given) && given.length !== 2) throw new ArcgisQueryError()
    return { kind: 'point', at: Array.isArray(given) ? at(given[0], given[1]) : at(given.x, given.y) }
  }
  if (type === 'esriGeometryEnvelope') {
    const [xmin, ymin, xmax, ymax] = Array.isArray(given) ? given : [given.xmin, given.ymin, given.xmax, given.ymax]
    return {
      kind: 'polygon',
      polygons: [[[at(xmin, ymin), at(xmax, ymin), at(xmax, ymax), at(xmin, ymax), at(xmin, ymin)]]],
    }
  }
  if (Array.isArray(given)) throw new ArcgisQueryError()
  if (type === 'esriGeometryPolygon') return { kind: 'polygon', polygons: [chains(given.rings)] }
  if (type === 'esriGeometryPolyline') return { kind: 'line', paths: chains(given.paths) }
  throw new ArcgisQueryError()
}

type Esri = Record<string, unknown>

function parsed(text: string): Esri {
  try {
    return JSON.parse(text) as Esri
  } catch {
    throw new ArcgisQueryError()
  }
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new ArcgisQueryError()
  return value
}

/** Parses a coordinate system: `4326`, `{"wkid":4326}` as JSON, or such an object. */
function wkidOf(given: unknown): number | null {
  if (given === null || given === undefined || given === '') return null
  if (typeof given === 'object') return wkidOf((given as Esri).wkid)
  const wkid = Number(given)
  return Number.isInteger(wkid) || typeof given !== 'string' ? wkid : wkidOf(parsed(given))
}

/** Returns the requested columns in the order of the layer; without `outFields` only the object id. */
function columnsOf(layer: SimulatedLayer, outFields: string | null) {
  if (outFields?.trim() === '*') return layer.columns
  const requested = (outFields ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  if (requested.length === 0) return layer.columns.slice(0, 1)
  if (requested.some((name) => !layer.columns.some((column) => column.name.toLowerCase() === name)))
    throw new ArcgisQueryError()
  return layer.columns.filter((column) => requested.includes(column.name.toLowerCase()))
}

function sorted(layer: SimulatedLayer, rows: SimulatedRow[], orderBy: string | null): SimulatedRow[] {
  if (!orderBy) return rows
  const keys = orderBy.split(',').map((part) => {
    const [name = '', way = 'ASC'] = part.trim().split(/\s+/)
    const column = layer.columns.find((it) => it.name.toLowerCase() === name.toLowerCase())
    if (!column || !/^(ASC|DESC)$/i.test(way)) throw new ArcgisQueryError()
    return { name: column.name, sign: /^DESC$/i.test(way) ? -1 : 1 }
  })
  return rows.toSorted((one, other) => {
    const key = keys.find(({ name }) => one.cells[name] !== other.cells[name])
    return key ? key.sign * ((one.cells[key.name] ?? '') < (other.cells[key.name] ?? '') ? -1 : 1) : 0
  })
}

function isSet(query: URLSearchParams, name: string): boolean {
  return query.get(name)?.toLowerCase() === 'true'
}

function wholeOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name)
  if (text === null || text === '') return null
  if (!/^\d+$/.test(text)) throw new ArcgisQueryError(400, 'Unable to complete operation.')
  return Number(text)
}
