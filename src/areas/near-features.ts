import { runCoroutine, type MaybePromise } from '../async/maybe-promise.ts'
import type { YieldToEventLoop } from '../async/incremental-task.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Field, ReadSpec } from '../catalog/records.ts'
import { checkedValueOf } from '../fetch/checked-outcome.ts'
import type { SourceOption } from '../fetch/sources/source-registry.ts'
import { growExtent } from '../geo/overlay/cut-at-extent.ts'
import type { Extent } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import { UpstreamError } from '../model/error.ts'
import { roundTo } from '../model/round.ts'
import type { Budget, Feature, FeatureQuery } from '../model/source.ts'
import { cleanValue } from '../operators/value/clean-value.ts'
import { requireAttribute } from '../geo/attribute.ts'
import { distanceBetween, geometriesIntersect, measuredGeometry, type MeasuredGeometry } from './area-distance.ts'
import type { NearestFeature } from './area-answer.ts'
import type { AreaFeatures } from './area-features.ts'
import type { PolygonArea, QueryArea } from './shape/area-geometry.ts'
import { polygonHasPoint } from './shape/line-cuts.ts'
import type { AreaOutcome } from './area-values.ts'
import { joinPieces, lengthWithin_m, ringsWithin, type JoinedFeature } from './shape/partition.ts'

type NearestRead = Extract<ReadSpec, { op: 'nearest_distance' | 'nearest_attribute' }>
type CountRead = Extract<ReadSpec, { op: 'count' }>
type Deps = {
  option: SourceOption
  /** Returns the area for tests of contact and distance. All fields of a request share it. */
  shape: () => MeasuredGeometry
  budget: Budget
  yieldToEventLoop: YieldToEventLoop
  /** The features that touch the area. */
  features: AreaFeatures
  catalog: Catalog
}

/** The nearest feature to the edge of an area. */
export async function nearestOutcome(
  field: Field,
  read: NearestRead,
  area: QueryArea,
  deps: Deps,
): Promise<AreaOutcome> {
  const nearest = await findNearest(read, area, deps)
  if (!nearest) return { value: null, reason: 'none_within_radius', covered_share: 0 }
  const attribute = read.op === 'nearest_attribute' ? cleanedAttribute(nearest.feature, read) : null
  if (read.op === 'nearest_attribute' && attribute === null) return { value: null, reason: 'no_data', covered_share: 0 }
  const distance_m = Math.round(10 * nearest.distance_m) / 10
  const feature = attribute === null ? describeFeature(nearest.feature, field.read, deps.catalog) : null
  return {
    value: {
      distance_m,
      ...(attribute !== null && { value: checkedValueOf(field, attribute) }),
      ...(feature && { feature }),
    },
    reason: null,
    covered_share: 1,
  }
}

/**
 * The values of the fields that describe the nearest feature of the same dataset and condition; null if there are none.
 * A field whose attribute is missing or has an unexpected value is left out: its own answer reports this.
 */
function describeFeature(
  feature: { properties: Feature['properties'] },
  distance: ReadSpec,
  { fields }: Catalog,
): NonNullable<NearestFeature['feature']> | null {
  const values: NonNullable<NearestFeature['feature']> = {}
  for (const field of fields.values()) {
    const { read } = field
    const isOfFeature =
      read.dataset === distance.dataset && (read as NearestRead).where === (distance as NearestRead).where
    if (read.op !== 'nearest_attribute' || !isOfFeature) continue
    try {
      const value = cleanedAttribute(feature, read)
      if (value !== null) values[field.name] = checkedValueOf(field, value)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
    }
  }
  return Object.keys(values).length === 0 ? null : values
}

/** The features that touch an area. */
export async function countOutcome(
  { where, distinct, radius_m }: Pick<CountRead, 'where' | 'distinct' | 'radius_m'>,
  area: QueryArea,
  { option, shape: shapeOfArea, yieldToEventLoop, features: areaFeatures }: Deps,
): Promise<AreaOutcome> {
  const { features } = await areaFeatures.read(option, where === undefined ? {} : { where })
  const shape = shapeOfArea()
  const touching: JoinedFeature[] = []
  for (const feature of features) {
    await yieldToEventLoop()
    const measured = measuredGeometry(feature, yieldToEventLoop)
    if (await runCoroutine(geometriesIntersect(shape, measured))) touching.push(feature)
  }
  const keys = touching.map((it) => (distinct === undefined ? it : requireAttribute(it.properties, distinct)))
  return {
    value: {
      count: new Set(keys).size,
      ...(area.kind === 'polygon' && (await sizesInside(area, touching, yieldToEventLoop))),
    },
    reason: null,
    covered_share: 1,
    notes: `Counted in the area itself, without the ${radius_m.toLocaleString('en-US')} m around it that a point has.`,
  }
}

async function sizesInside(
  { overlay, rings }: PolygonArea,
  features: readonly JoinedFeature[],
  yieldToEventLoop: YieldToEventLoop,
) {
  const lines = features.flatMap((feature) => feature.lines)
  const polygons = features.flatMap((feature) => feature.polygons)
  const length = lengthWithin_m(lines, [overlay.toPaths(rings)], yieldToEventLoop)
  const inside = ringsWithin(overlay, { polygons }, rings, yieldToEventLoop)
  return {
    ...(lines.length > 0 && { length_m: roundTo(await runCoroutine(length), 3) }),
    ...(polygons.length > 0 && { area_m2: roundTo(overlay.area_m2(await runCoroutine(inside)), 3) }),
  }
}

function cleanedAttribute({ properties }: { properties: Feature['properties'] }, read: NearestRead) {
  return 'attribute' in read ? cleanValue(requireAttribute(properties, read.attribute), read) : null
}

/**
 * The nearest feature to a point of the area is a bound: no nearer feature lies farther from the area than that. Those
 * within the bound are measured. Of several that touch the area, the one nearest to the point counts.
 */
async function findNearest(
  { search_radii_m, where }: NearestRead,
  area: QueryArea,
  { option, shape: shapeOfArea, budget, yieldToEventLoop }: Deps,
): Promise<{ feature: { properties: Feature['properties'] }; distance_m: number } | null> {
  const maxRadius_m = search_radii_m?.at(-1) ?? Infinity
  const condition = where !== undefined && { where }
  const hit = await nearestToPoint(option, area.point, { radii_m: search_radii_m ?? [Infinity], ...condition }, budget)
  if (hit?.distance_m === 0) return { feature: hit, distance_m: 0 }
  const reach_m = Math.min(hit?.distance_m ?? maxRadius_m, maxRadius_m)
  if (reach_m === Infinity) return null
  const extent = extentWithin(area.extent, reach_m)
  const features = joinPieces(await option.area!.features({ extent, ...condition }, budget))
  const shape = shapeOfArea()
  let nearest: { feature: JoinedFeature; distance_m: number; fromPoint_m: number } | null = null
  for (const feature of features) {
    await yieldToEventLoop()
    const measured = measuredGeometry(feature, yieldToEventLoop)
    const distance_m: number = (await runCoroutine(geometriesIntersect(shape, measured)))
      ? 0
      : await runCoroutine(distanceBetween(shape, measured, nearest?.distance_m ?? Infinity))
    if (distance_m > maxRadius_m || (nearest && distance_m > nearest.distance_m)) continue
    const fromPoint_m = distance_m === 0 ? await distanceFromPoint(area, measured) : 0
    if (nearest && distance_m === nearest.distance_m && fromPoint_m >= nearest.fromPoint_m) continue
    nearest = { feature, distance_m, fromPoint_m }
  }
  // The box has room beyond the bound, and a service may not list what the query for the point finds.
  const isBound = hit !== null && hit.distance_m <= maxRadius_m
  return isBound && !(nearest && nearest.distance_m <= hit.distance_m)
    ? { feature: hit, distance_m: hit.distance_m }
    : nearest
}

/**
 * The nearest feature to a point. Services are asked within each radius in turn, as for a point; local data at once.
 */
async function nearestToPoint(
  { source, remote }: SourceOption,
  at: Point,
  { radii_m, ...condition }: { radii_m: readonly number[]; where?: string },
  budget: Budget,
): Promise<Feature | null> {
  const query = source as (query: FeatureQuery, budget: Budget) => Feature[] | Promise<Feature[]>
  for (const radius_m of remote ? radii_m : radii_m.slice(-1)) {
    const [hit] = await query({ at, radius_m, limit: 1, ...condition }, budget)
    if (hit) return hit
  }
  return null
}

function distanceFromPoint({ point: { lat, lng } }: QueryArea, feature: MeasuredGeometry): MaybePromise<number> {
  const at = measuredGeometry({ polygons: [], lines: [], points: [lng, lat] }, feature.yieldToEventLoop)
  const isInside = feature.polygons.some((polygon) => polygonHasPoint(polygon, lng, lat))
  return isInside ? 0 : runCoroutine(distanceBetween(at, feature, Infinity))
}

/** An extent that contains every place within a distance of another extent. */
function extentWithin(extent: Extent, reach_m: number): Extent {
  const lat_degrees = reach_m / shortestDegree_m
  const poleward = Math.min(maxLatitude, Math.max(Math.abs(extent.south), Math.abs(extent.north)) + lat_degrees)
  return growExtent(extent, Math.min(180, lat_degrees / Math.cos((poleward * Math.PI) / 180)), lat_degrees)
}

/** The shortest length of a degree of arc on the ellipsoid, with a margin. */
const shortestDegree_m = 109_000
const maxLatitude = 89
