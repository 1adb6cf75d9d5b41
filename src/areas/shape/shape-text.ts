import type { Point } from '../../model/place.ts'
import type { AreaGeometry, AreaShape } from '../area-schema.ts'

/** The members of POST /v1/areas that name an area. */
export type AreaSelector = AreaShape & { parcel_of?: Point }

/** About a centimeter. */
const decimals = 7

/**
 * Writes an area as a text for a URL or a cell, with the latitude first:
 * `polygon:39.73,-105.02;39.73,-104.98;39.76,-105`. Rings and lines are separated by `|`, polygons by `||`.
 */
export function shapeTextOf({ geometry, around, corridor, county_fips, parcel_of }: AreaSelector): string {
  if (around) return `circle:${[around.lat, around.lng, around.radius_m].map(numberText).join(',')}`
  if (corridor) return `corridor:${numberText(corridor.width_m)}:${pathsText(corridor.line)}`
  if (county_fips !== undefined) return `county:${county_fips}`
  if (parcel_of) return `parcel:${positionText([parcel_of.lng, parcel_of.lat])}`
  return `${isLine(geometry!) ? 'line' : 'polygon'}:${pathsText(geometry!)}`
}

/** Parses the text of an area; null if the text is not an area. The geometry is checked when the area is answered. */
export function parseShapeText(text: string): AreaSelector | null {
  const [, kind = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? []
  if (kind === 'county') return /^\d{5}$/.test(rest) ? { county_fips: rest } : null
  if (kind === 'circle') {
    const [lat, lng, radius_m] = numbersOf(rest, 3) ?? []
    return lat !== undefined && radius_m! > 0 ? { around: { lat, lng: lng!, radius_m: radius_m! } } : null
  }
  if (kind === 'parcel') {
    const [lat, lng] = numbersOf(rest, 2) ?? []
    return lat === undefined ? null : { parcel_of: { lat, lng: lng! } }
  }
  if (kind === 'polygon' || kind === 'line') {
    const geometry = geometryOf(kind, rest)
    return geometry && { geometry }
  }
  const [width = '', line = ''] = kind === 'corridor' ? rest.split(':') : []
  const [geometry, width_m = 0] = [geometryOf('line', line), numbersOf(width, 1)?.[0]]
  return geometry && width_m > 0 ? { corridor: { line: geometry as LineGeometry, width_m } } : null
}

type LineGeometry = NonNullable<AreaShape['corridor']>['line']
type Path = [lng: number, lat: number][]

function isLine({ type }: AreaGeometry): boolean {
  return type === 'LineString' || type === 'MultiLineString'
}

function pathsText({ type, coordinates }: AreaGeometry): string {
  const pathText = (path: unknown) => (path as Path).map(positionText).join(';')
  // The last position of a ring repeats the first.
  const ringsText = (rings: unknown) => (rings as Path[]).map((ring) => pathText(ring.slice(0, -1))).join('|')
  if (type === 'LineString') return pathText(coordinates)
  if (type === 'MultiLineString') return coordinates.map(pathText).join('|')
  return type === 'Polygon' ? ringsText(coordinates) : coordinates.map(ringsText).join('||')
}

function positionText([lng, lat]: readonly [number, number]): string {
  return `${numberText(lat)},${numberText(lng)}`
}

function numberText(value: number): string {
  return String(Number(value.toFixed(decimals)))
}

function geometryOf(kind: 'polygon' | 'line', text: string): AreaGeometry | null {
  const polygons = text.split('||').map((polygon) => polygon.split('|').map(pathOf))
  const paths = polygons.flat()
  if (!paths.every((path) => path !== null)) return null
  if (kind === 'line')
    return paths.length === 1
      ? { type: 'LineString', coordinates: paths[0]! }
      : { type: 'MultiLineString', coordinates: paths }
  const closed = polygons.map((rings) => rings.map((ring) => [...ring!, ring![0]!]))
  return closed.length === 1
    ? { type: 'Polygon', coordinates: closed[0]! }
    : { type: 'MultiPolygon', coordinates: closed }
}

function pathOf(text: string): Path | null {
  const positions = text.split(';').map((position) => numbersOf(position, 2))
  return positions.every((position) => position !== null) ? positions.map(([lat, lng]) => [lng!, lat!]) : null
}

function numbersOf(text: string, count: number): number[] | null {
  const parts = text.split(',')
  const numbers = parts.map((part) => (/^-?\d+(?:\.\d+)?$/.test(part) ? Number(part) : NaN))
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : null
}
