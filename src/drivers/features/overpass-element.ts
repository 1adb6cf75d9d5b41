import type { UpstreamError } from '../../model/error.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { isRecord, plainPropertiesOf } from '../../model/record.ts'
import type { Geometry, Position, Properties } from '../../model/source.ts'
import type { GeoFeature } from './nearest-features.ts'

/**
 * Parses an OpenStreetMap element. Nodes are points and ways are lines. Closed ways, and relations whose tags say so,
 * are areas.
 */
export function parseElement(element: unknown, host: string): GeoFeature {
  if (!isRecord(element)) throw invalidElementError(element, host)
  const properties = plainPropertiesOf(element.tags)
  const geometry =
    element.type === 'node' ? pointOf(element, host) : geometryOfLines(linesOf(element, host), isArea(properties))
  return { geometry, properties }
}

function pointOf(node: Record<string, unknown>, host: string): Geometry {
  return { points: [positionOf(node, host)], lines: [], polygons: [] }
}

/** The rings of an area form one polygon by the even-odd rule. */
function geometryOfLines(lines: Position[][], isArea: boolean): Geometry {
  const rings = isArea ? lines.filter(isClosed) : []
  return {
    points: [],
    lines: lines.filter((line) => !rings.includes(line)),
    polygons: rings.length === 0 ? [] : [rings],
  }
}

function linesOf(element: Record<string, unknown>, host: string): Position[][] {
  const { type, geometry, members } = element
  if (type === 'way') return [lineOf(geometry, element, host)]
  if (type !== 'relation' || !Array.isArray(members)) throw invalidElementError(element, host)
  return members.flatMap((member: unknown) =>
    isRecord(member) && member.type === 'way' ? [lineOf(member.geometry, element, host)] : [],
  )
}

/** The positions of a line. Overpass writes null for omitted vertices, but omits no whole line. */
function lineOf(geometry: unknown, element: unknown, host: string): Position[] {
  const vertices: unknown[] = Array.isArray(geometry) ? geometry.filter((vertex) => vertex !== null) : []
  if (vertices.length === 0) throw invalidElementError(element, host)
  return vertices.map((vertex) => positionOf(vertex, host))
}

function positionOf(vertex: unknown, host: string): Position {
  if (isRecord(vertex) && typeof vertex.lat === 'number' && typeof vertex.lon === 'number')
    return [vertex.lon, vertex.lat]
  throw invalidElementError(vertex, host)
}

function isClosed(line: Position[]): boolean {
  const [first, last] = [line[0]!, line.at(-1)!]
  return line.length > 3 && first[0] === last[0] && first[1] === last[1]
}

/** Whether a closed way is an area: not if it is a circular road or a power line. */
function isArea({ area, highway, power }: Properties): boolean {
  if (area === 'yes' || area === 'no') return area === 'yes'
  return highway === undefined && !/^(line|minor_line|cable)$/.test(String(power))
}

function invalidElementError(value: unknown, host: string): UpstreamError {
  return unexpectedResponse(host, 'an element with its geometry', value)
}
