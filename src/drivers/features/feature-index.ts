import Flatbush from 'flatbush'
import { UpstreamError } from '../../model/error.ts'
import { ringsContain } from '../../geo/polygon.ts'
import type { Point } from '../../model/place.ts'
import type { Feature, FeatureQuery, Geometry, Position, Properties } from '../../model/source.ts'
import { boundingBoxAround } from '../rest/url-template.ts'
import { nearestFeatures, type GeoFeature } from './nearest-features.ts'
import { extentOfPaths } from '../../geo/boxes.ts'

/**
 * Features in buffers that move between threads without a copy. A part is a point, a line or a polygon of a feature.
 * `kinds[i]` and `owners[i]` are the kind and the feature of part `i`; its paths end at `pathEnds[i]`, and path `p`
 * ends at vertex `vertexEnds[p]`. `boxes` is the Flatbush index of the parts, `properties` a JSON text per feature.
 */
export type PackedFeatures = {
  kinds: Uint8Array
  owners: Uint32Array
  pathEnds: Uint32Array
  vertexEnds: Uint32Array
  vertices: Float64Array
  boxes: ArrayBufferLike
  properties: Uint8Array
  propertyEnds: Uint32Array
}

/**
 * Packs features and indexes them by the bounding box of each part (point, line, polygon), so that a query measures
 * only nearby parts.
 * @throws {UpstreamError} `bad_response` if no feature has a position: a complete list is never empty.
 */
export function packFeatures(features: readonly GeoFeature[]): PackedFeatures {
  const parts = features.flatMap(({ geometry }, owner) => partsOf(geometry).map((part) => ({ ...part, owner })))
  if (parts.length === 0)
    throw new UpstreamError('bad_response', 'The downloaded list has no feature with a position. Try again later.')
  const paths = parts.flatMap((part) => part.paths)
  const vertices = new Float64Array(2 * paths.reduce((sum, path) => sum + path.length, 0))
  let at = 0
  for (const path of paths) for (const position of path) vertices.set(position, 2 * at++)
  const boxes = new Flatbush(parts.length)
  for (const part of parts) boxes.add(...boxOf(part))
  boxes.finish()
  const properties = features.map((feature) => Buffer.from(JSON.stringify(feature.properties)))
  return {
    kinds: Uint8Array.from(parts, ({ kind }) => kind),
    owners: Uint32Array.from(parts, ({ owner }) => owner),
    pathEnds: endsOf(parts.map((part) => part.paths.length)),
    vertexEnds: endsOf(paths.map((path) => path.length)),
    vertices,
    boxes: boxes.data,
    properties: new Uint8Array(Buffer.concat(properties)),
    propertyEnds: endsOf(properties.map((bytes) => bytes.length)),
  }
}

/** Answers queries about packed features. */
export function openPackedFeatures(packed: PackedFeatures): (query: FeatureQuery) => Promise<Feature[]> {
  const index = Flatbush.from(packed.boxes)
  const starts = startsOf(packed.vertexEnds)
  return async (query) => {
    const { w, s, e, n } = boundingBoxAround(query.at, query.radius_m)
    const hits = [0, -360, 360].flatMap((shift_degrees) => index.search(w + shift_degrees, s, e + shift_degrees, n))
    const matches = query.radius_m === 0 ? hits.filter((part) => mayContain(packed, starts, part, query.at)) : hits
    const partsByOwner = Map.groupBy(matches, (part) => packed.owners[part]!)
    return nearestFeatures(unpack(packed, partsByOwner), query)
  }
}

function* unpack(packed: PackedFeatures, partsByOwner: Map<number, number[]>): Generator<GeoFeature> {
  for (const [owner, parts] of partsByOwner)
    yield { properties: propertiesOf(packed, owner), geometry: geometryOf(packed, parts) }
}

/** A polygon with an edge across the antimeridian has a kind of its own. */
const kinds = { point: 0, line: 1, polygon: 2, wrappingPolygon: 3 } as const
type Part = { kind: (typeof kinds)[keyof typeof kinds]; paths: readonly (readonly Position[])[] }

function partsOf({ points, lines, polygons }: Geometry): Part[] {
  return [
    ...points.map((point) => ({ kind: kinds.point, paths: [[point]] })),
    ...lines.map((line) => ({ kind: kinds.line, paths: [line] })),
    ...polygons.map((rings) => ({ kind: rings.some(wraps) ? kinds.wrappingPolygon : kinds.polygon, paths: rings })),
  ]
}

function wraps(ring: readonly Position[]): boolean {
  return ring.some(([lng], i) => i > 0 && Math.abs(lng - ring[i - 1]![0]) > 180)
}

/** False if the part is a polygon that does not contain the point. Large polygons are then not unpacked. */
function mayContain(
  { kinds: partKinds, pathEnds, vertices }: PackedFeatures,
  starts: Uint32Array,
  part: number,
  { lat, lng }: Point,
): boolean {
  if (partKinds[part] !== kinds.polygon) return true
  const [first, last] = [pathEnds[part - 1] ?? 0, pathEnds[part]!]
  return [lng, lng - 360, lng + 360].some((x) => ringsContain(vertices, starts, first, last, x, lat))
}

/** A polygon across the antimeridian may be at any longitude. */
function boxOf({ kind, paths }: Part): [number, number, number, number] {
  const { west, south, east, north } = extentOfPaths(paths)
  return kind === kinds.wrappingPolygon ? [-180, south, 180, north] : [west, south, east, north]
}

function startsOf(ends: Uint32Array): Uint32Array {
  const starts = new Uint32Array(ends.length + 1)
  starts.set(ends, 1)
  return starts
}

function endsOf(lengths: readonly number[]): Uint32Array {
  let end = 0
  return Uint32Array.from(lengths, (length) => (end += length))
}

function propertiesOf({ properties, propertyEnds }: PackedFeatures, owner: number): Properties {
  const text = new TextDecoder().decode(properties.subarray(propertyEnds[owner - 1] ?? 0, propertyEnds[owner]))
  return JSON.parse(text) as Properties
}

/** The found parts of one feature. */
function geometryOf({ kinds: partKinds, pathEnds, vertexEnds, vertices }: PackedFeatures, parts: number[]): Geometry {
  const geometry: Geometry = { points: [], lines: [], polygons: [] }
  for (const part of parts) {
    const paths: Position[][] = []
    for (let path = pathEnds[part - 1] ?? 0; path < pathEnds[part]!; path++) {
      const positions: Position[] = []
      for (let i = vertexEnds[path - 1] ?? 0; i < vertexEnds[path]!; i++)
        positions.push([vertices[2 * i]!, vertices[2 * i + 1]!])
      paths.push(positions)
    }
    if (partKinds[part] === kinds.point) geometry.points.push(paths[0]![0]!)
    else if (partKinds[part] === kinds.line) geometry.lines.push(paths[0]!)
    else geometry.polygons.push(paths)
  }
  return geometry
}
