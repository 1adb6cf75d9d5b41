import { attributeOf } from '../../geo/attribute.ts'
import type { Position } from '../../model/source.ts'
import { geometryContains } from '../../geo/measure.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import { parseCount } from './arcgis-count.ts'
import type { QueriedLayer } from './arcgis-id-list.ts'
import { arcgisNameOf, type ArcgisParameters } from './arcgis-request.ts'
import type { Point } from '../../model/place.ts'
import { offsetPoint } from '../imageserver/imageserver-geometry.ts'
import type { GeoFeature } from '../features/nearest-features.ts'

/** Two points on both sides of the middle of an edge of a polygon, and the id of the polygon. */
export type BorderProbe = { id: number; inside: Point; outside: Point }

/**
 * Chooses the longest edge of the polygons whose middle can be tested, or null. The middle of an edge is where a
 * generalized outline is farthest from the real one. Edges of more than 1 km are left out: they are straight in the
 * coordinate system of the layer, which may not be that of degrees.
 */
export function chooseBorderProbe(features: readonly GeoFeature[], idField: string): BorderProbe | null {
  let longest: { length_m: number; probe: BorderProbe } | null = null
  for (const { feature, id, from, to } of edgesOf(features, idField)) {
    const length_m = Math.hypot(...metersBetween(from, to))
    if (length_m < minEdge_m || length_m > maxEdge_m || length_m <= (longest?.length_m ?? 0)) continue
    const probe = probeAt(feature, id, from, to)
    if (probe) longest = { length_m, probe }
  }
  return longest?.probe ?? null
}

type Edge = { feature: GeoFeature; id: number; from: Position; to: Position }

function* edgesOf(features: readonly GeoFeature[], idField: string): Generator<Edge> {
  for (const feature of features) {
    const id = attributeOf(feature.properties, idField)
    const rings = typeof id === 'number' ? feature.geometry.polygons.flat() : []
    for (const ring of rings)
      for (let i = 1; i < ring.length; i++) yield { feature, id: id as number, from: ring[i - 1]!, to: ring[i]! }
  }
}

/**
 * Asks the layer on which side of the border the two points are.
 * @throws {UpstreamError} `bad_response` if that does not agree with the outline, because the outline is generalized.
 */
export async function checkBorder(
  { url, send }: Pick<QueriedLayer, 'url' | 'send'>,
  { id, inside, outside }: BorderProbe,
  budget: Budget,
): Promise<void> {
  const name = arcgisNameOf(url)
  const contains = async (at: Point) => parseCount(await send(probeParameters(id, at), budget), name)
  if ((await contains(inside)) === 1 && (await contains(outside)) === 0) return
  throw new UpstreamError(
    'bad_response',
    `${name} returned a generalized outline: its own answer at ${inside.lat},${inside.lng} does not agree with the outline of feature ${id}. Values at borders would be wrong.`,
  )
}

/** The parameters of a query that counts a polygon if it contains a point. */
function probeParameters(id: number, { lat, lng }: Point): ArcgisParameters {
  return {
    objectIds: String(id),
    where: '1=1',
    geometry: `${lng},${lat}`,
    geometryType: 'esriGeometryPoint',
    inSR: '4326',
    spatialRel: 'esriSpatialRelIntersects',
    returnCountOnly: 'true',
  }
}

const minEdge_m = 20
const maxEdge_m = 1_000
const offset_m = 2
const metersPerDegree = 111_320

/** The points beside the middle of an edge; null if not exactly one of them is inside the feature. */
// oxlint-disable-next-line max-params -- An edge is two positions.
function probeAt({ geometry }: GeoFeature, id: number, from: Position, to: Position): BorderProbe | null {
  const middle = { lng: (from[0] + to[0]) / 2, lat: (from[1] + to[1]) / 2 }
  const [east, north] = metersBetween(from, to)
  const length = Math.hypot(east, north)
  const [x, y] = [(-north / length) * offset_m, (east / length) * offset_m]
  const [left, right] = [offsetPoint(middle, x, y), offsetPoint(middle, -x, -y)]
  const [isLeftInside, isRightInside] = [geometryContains(geometry, left), geometryContains(geometry, right)]
  if (isLeftInside === isRightInside) return null
  return { id, inside: isLeftInside ? left : right, outside: isLeftInside ? right : left }
}

function metersBetween(from: Position, to: Position): [east: number, north: number] {
  const scale = Math.cos((from[1] * Math.PI) / 180)
  return [(to[0] - from[0]) * metersPerDegree * scale, (to[1] - from[1]) * metersPerDegree]
}
