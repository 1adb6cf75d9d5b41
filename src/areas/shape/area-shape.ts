import type { MaybePromise } from '../../async/maybe-promise.ts'
import type { FetchContext } from '../../fetch/fetch.ts'
import type { GeometryRunner } from '../../geo/overlay/geometry-jobs.ts'
import type { FlatPath } from '../../model/area.ts'
import { ApiError, type Violation } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import { measureGeometry, measureLines, polygonAreaOf, type PolygonArea, type QueryArea } from './area-geometry.ts'
import { areaShapeProperties, type Around, type AreaShape, type Corridor } from '../area-schema.ts'
import type { Loc } from './geometry-errors.ts'
import { requireAreaWithinLimit } from './measure-polygon.ts'
import { joinPieces } from './partition.ts'

const shapeNames = [...Object.keys(areaShapeProperties), 'parcel_of']

/** Checks that a request names exactly one area. */
export function areaShapeViolations(request: Record<string, unknown>, loc: Loc): Violation[] {
  const given = shapeNamesOf(request)
  if (given.length === 1) return featureViolations(request.geometry, loc)
  const names = shapeNames.map((name) => `\`${name}\``).join(', ')
  if (given.length === 0)
    return [{ type: 'missing', loc: [...loc, 'geometry'], msg: `Field required. Send one of ${names}`, input: request }]
  return given.slice(1).map((name) => ({
    type: 'value_error',
    loc: [...loc, name],
    msg: `Only one of ${names} is allowed, and this request also has \`${given[0]}\``,
    input: request[name],
  }))
}

/** The members of a request that name its area. A valid one has exactly one. */
export function shapeNamesOf(request: Record<string, unknown>): string[] {
  return shapeNames.filter((name) => request[name] !== undefined)
}

/** A feature is what most files have. */
function featureViolations(geometry: unknown, loc: Loc): Violation[] {
  const type = isRecord(geometry) ? geometry.type : null
  if (type !== 'Feature' && type !== 'FeatureCollection') return []
  const msg =
    type === 'Feature'
      ? 'This is a Feature. Send its member `geometry`'
      : 'This is a FeatureCollection. Send the member `geometry` of one feature, or all of them as a run of kind `area_batch`'
  return [{ type: 'value_error', loc: [...loc, 'geometry', 'type'], msg, input: type }]
}

type ShapeDeps = Pick<FetchContext, 'registry' | 'placeAt'> & { geometry: GeometryRunner }

/** Returns the area of a request. @throws {ValidationError} and {ApiError} as `measureGeometry` does. */
export async function areaOfShape(
  { geometry, around, corridor, county_fips }: AreaShape,
  loc: Loc,
  deps: ShapeDeps,
  budget: Budget,
): Promise<QueryArea> {
  if (around) return circleArea(around, [...loc, 'around'], deps)
  if (corridor) return corridorArea(corridor, [...loc, 'corridor'], deps)
  if (county_fips !== undefined) return countyArea(county_fips, [...loc, 'county_fips'], deps, budget)
  return measureGeometry(geometry!, [...loc, 'geometry'], deps.geometry)
}

function circleArea(
  { radius_m, ...center }: Around,
  loc: Loc,
  { placeAt, geometry }: ShapeDeps,
): MaybePromise<PolygonArea> {
  const { lat, lng } = placeAt(center)
  requireAreaWithinLimit(lessThan(Math.PI * radius_m ** 2), [...loc, 'radius_m'])
  return polygonAreaOf({ kind: 'buffer', lines: [[lng, lat]], distance_m: radius_m, loc }, geometry)
}

function corridorArea({ line, width_m }: Corridor, loc: Loc, { geometry }: ShapeDeps): MaybePromise<PolygonArea> {
  const { lines } = measureLines(line, [...loc, 'line'])
  requireAreaWithinLimit(lessThan(Math.PI * (width_m / 2) ** 2), [...loc, 'width_m'])
  return polygonAreaOf({ kind: 'buffer', lines, distance_m: width_m / 2, loc }, geometry)
}

/** A lower bound of an area on the ellipsoid, from that in the plane: what is larger is rejected before it is built. */
function lessThan(planar_m2: number): number {
  return 0.999 * planar_m2
}

/** The area of a county, in the outlines of the dataset that the county fields read. */
async function countyArea(
  fips: string,
  loc: Loc,
  { registry, geometry }: ShapeDeps,
  budget: Budget,
): Promise<PolygonArea> {
  let polygons: FlatPath[][] = []
  for (const { area } of registry.dataset('census_counties').options) {
    if (!area || polygons.length > 0) continue
    const features = await area.features({ extent: wholeEarth, where: `GEOID = '${fips}'` }, budget)
    polygons = joinPieces(features).flatMap((county) => county.polygons)
  }
  if (polygons.length === 0)
    throw new ApiError('not_found', `No county has the FIPS code ${fips}.`, { county_fips: fips })
  return polygonAreaOf({ kind: 'source', polygons, loc }, geometry)
}

const wholeEarth = { west: -180, south: -90, east: 180, north: 90 }
