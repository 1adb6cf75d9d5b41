import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import { selectFields } from '../../fetch/catalog/select.ts'
import { datasetsOfField } from '../../catalog/read-spec.ts'
import { hasBilledSource, type SourceRegistry } from '../../fetch/sources/source-registry.ts'
import { positionsOfPath } from '../../geo/overlay/drawing.ts'
import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import { ApiError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Position } from '../../model/source.ts'
import { splitNames } from '../../model/text.ts'
import { partsOfWkt } from '../../files/wkt.ts'
import { edrFormats, radiusUnits_m, type EdrCollection, type EdrFormat } from './edr-collections.ts'
import { crs84, requireDateTime } from './ogc-documents.ts'
import { acceptedValues } from '../pages/static-body.ts'

const number = String.raw`[+-]?\d+(?:\.\d+)?`
/** A height, a list of heights, a range, or a number of heights with an interval (`R3/0/100`). */
const heightPattern = new RegExp(`^(?:${number}(?:,${number})*|${number}/${number}|R\\d+/${number}/${number})$`)

/** Checks the parameters that do not change the answer: our data has no heights, and one coordinate system. */
export function requireEdrParameters(query: URLSearchParams): void {
  requireDateTime(query)
  const z = query.get('z')
  if (z !== null && !heightPattern.test(z))
    throw new ApiError('bad_request', 'z is a height such as 10, a list such as 10,20, or a range such as 0/100.')
  const crs = query.get('crs')
  if (crs !== null && ![crs84, 'CRS84', 'OGC:CRS84'].includes(crs))
    throw new ApiError('bad_request', 'crs is CRS84, the only coordinate system: longitude and latitude on WGS 84.')
}

/** Returns the format of the answer: `f`, else the one that the header Accept prefers, else CoverageJSON. */
export function edrFormatOf(query: URLSearchParams, { headers }: Request): EdrFormat {
  const names = Object.keys(edrFormats) as EdrFormat[]
  const f = query.get('f')?.toLowerCase()
  const accepted = f === undefined ? acceptedValues(headers.get('accept') ?? '') : []
  const preferred = accepted.flatMap((type) => names.filter((name) => edrFormats[name] === type))
  return names.find((name) => name.toLowerCase() === f) ?? preferred[0] ?? 'CoverageJSON'
}

/**
 * Returns the requested fields of a collection. Without `parameter-name`, returns all fields except those whose
 * sources bill each call.
 */
export function edrFieldsOf(
  query: URLSearchParams,
  { id, fields }: EdrCollection,
  { catalog, registry }: { catalog: Catalog; registry: SourceRegistry },
): Field[] {
  const names = splitNames(query.get('parameter-name') ?? '')
  if (names.length === 0) {
    const isBilled = (id: string) => hasBilledSource(registry.dataset(id))
    const free = fields.filter((field) => ![...datasetsOfField(field, catalog.fields)].some(isBilled))
    const max = catalog.fieldsPerRequestMax
    if (free.length <= max) return free
    throw new ApiError(
      'fields_too_many',
      `${id} has ${free.length} parameters. A request can have at most ${max}. Name them in parameter-name.`,
      { requested: free.length, max },
    )
  }
  const selected = selectFields({ fields: names }, 'union', catalog)
  const other = selected.find((field) => !fields.includes(field))
  if (other)
    throw new ApiError('bad_request', `parameter-name: ${other.name} is a field, but not a parameter of ${id}.`)
  return selected
}

/** Parses `coords` with a POINT or MULTIPOINT. Equal points are one position. @throws {ApiError} `bad_request` */
export function parsePositions(query: URLSearchParams, max: number): { points: Point[]; isMulti: boolean } {
  const { parts, text } = parseCoords(query, 'POINT(-104.99 39.74)')
  if (parts.length === 0 || !parts.every(({ kind }) => kind === 'point'))
    throw new ApiError('bad_request', 'coords is a POINT or a MULTIPOINT, such as POINT(-104.99 39.74).')
  const points = distinctValues(parts.map(({ paths }): Point => ({ lat: paths[0]![1]!, lng: paths[0]![0]! })))
  if (points.length > max)
    throw new ApiError('bad_request', `coords has ${points.length} points. A request can have at most ${max}.`)
  return { points, isMulti: /^\s*MULTI/i.test(text) }
}

/**
 * Parses `coords` with a POLYGON or MULTIPOLYGON, as polygons of rings. Equal polygons are one.
 * @throws {ApiError} `bad_request`
 */
export function parsePolygons(query: URLSearchParams, max: number): Position[][][] {
  const { parts } = parseCoords(query, 'POLYGON((-105 39,-104 39,-104 40,-105 39))')
  if (parts.length === 0 || !parts.every(({ kind }) => kind === 'polygon'))
    throw new ApiError('bad_request', 'coords is a POLYGON or a MULTIPOLYGON.')
  const polygons = distinctValues(parts.map(({ paths }) => paths.map(positionsOfPath)))
  if (polygons.length > max)
    throw new ApiError('bad_request', `coords has ${polygons.length} polygons. A request can have at most ${max}.`)
  return polygons
}

/** Drops repeated values, because the values of an axis of CoverageJSON must differ. */
function distinctValues<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

/** Parses `within` and `within-units`. @throws {ApiError} `bad_request` */
export function parseRadius_m(query: URLSearchParams): number {
  const units = query.get('within-units') ?? ''
  const meters = Object.hasOwn(radiusUnits_m, units) ? radiusUnits_m[units] : undefined
  const within = Number(query.get('within') ?? NaN)
  if (meters !== undefined && within > 0 && Number.isFinite(within)) return within * meters
  throw new ApiError(
    'bad_request',
    meters === undefined
      ? `within-units is one of ${Object.keys(radiusUnits_m).join(', ')}.`
      : 'within is the radius: a number greater than 0.',
  )
}

function parseCoords(query: URLSearchParams, example: string): { parts: GeometryPart[]; text: string } {
  const text = query.get('coords')
  if (text === null || text.trim() === '')
    throw new ApiError('bad_request', `coords is missing. It is well-known text, such as ${example}.`)
  try {
    const parts = partsOfWkt(text)
    if (parts.every(({ paths }) => paths.flat().every(Number.isFinite))) return { parts, text }
  } catch (cause) {
    throw new ApiError('bad_request', `coords is not valid well-known text: ${(cause as Error).message}`, {}, { cause })
  }
  throw new ApiError('bad_request', 'coords has a number that is not valid.')
}
