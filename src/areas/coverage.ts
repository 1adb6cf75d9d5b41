import { andThen, runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import type { YieldToEventLoop } from '../async/incremental-task.ts'
import type { Dataset } from '../catalog/records.ts'
import type { DatasetHandle, SourceOption, SourceRegistry } from '../fetch/sources/source-registry.ts'
import { cutRingAtExtent, extentOf, extentsTouch, surroundsExtent } from '../geo/overlay/cut-at-extent.ts'
import { signedRingArea_m2 } from '../geo/ellipsoid.ts'
import type { GridRings } from '../geo/overlay/overlay.ts'
import { pointInside } from '../geo/representative-point.ts'
import { insideUs, regionOf } from '../geo/us.ts'
import type { FlatPath } from '../model/area.ts'
import type { Place, Point, Region } from '../model/place.ts'
import type { AreaFeatures } from './area-features.ts'
import { queryExtentOf, type QueryArea, type PolygonArea } from './shape/area-geometry.ts'
import { polygonHasPoint, type TestedPolygon } from './shape/line-cuts.ts'
import { totalSizeOf } from './area-values.ts'
import { partitionLines, ringsWithin, type JoinedFeature, type LineCoverage } from './shape/partition.ts'

type Deps = {
  registry: SourceRegistry
  placeAt: (at: Point) => Place
  yieldToEventLoop: YieldToEventLoop
  features: AreaFeatures
}
type Regions = Dataset['coverage']['regions']
/** An option, and whether it can answer in all of the area. */
type OrderedOption = { option: SourceOption; isComplete: boolean }

/** The dataset whose polygons say which state a place belongs to, as for points. */
const countiesDataset = 'census_counties'

/** Where datasets and their options cover an area. Each region is located once. */
export class AreaCoverage {
  readonly #area: QueryArea
  readonly #deps: Deps
  readonly #orders = new Map<DatasetHandle, MaybePromise<OrderedOption[]>>()
  #regions: MaybePromise<Map<Region | null, GridRings>> | undefined

  constructor(area: QueryArea, deps: Deps) {
    this.#area = area
    this.#deps = deps
  }

  /** The part of a polygon in which the dataset has coverage and the option can answer. */
  *ringsWithin(area: PolygonArea, regions: Regions, polygons: readonly FlatPath[][] | null): Coroutine<GridRings> {
    const inRegions = yield* this.#ringsIn(area, regions)
    if (polygons === null || surrounds(polygons, area)) return inRegions
    const { overlay } = area
    const { yieldToEventLoop } = this.#deps
    return yield* ringsWithin(overlay, { polygons: nearPolygons(polygons, area) }, inRegions, yieldToEventLoop)
  }

  /** Returns a test whether the dataset and the option cover a point of a line, and the rings at which that changes. */
  *lineCoverage(regions: Regions, polygons: readonly FlatPath[][] | null): Coroutine<LineCoverage> {
    const counties = regions === 'everywhere' ? [] : yield* waitFor(this.#readCounties())
    const countyPolygons = counties.map(({ properties, polygons }) => ({
      region: regionOf(String(properties.STUSPS)),
      polygons: polygons.map(testedPolygonOf),
    }))
    const optionPolygons = polygons?.map(testedPolygonOf) ?? null
    const regionAt = (at: Point) =>
      countyPolygons.find((county) => county.polygons.some((it) => polygonHasPoint(it, at.lng, at.lat)))?.region ??
      this.#regionOutsideCounties(at)
    return {
      borders: [
        ...countyPolygons.flatMap((county) => county.polygons.flatMap(({ rings }) => rings)),
        ...(polygons ?? []).flat(),
      ],
      covers: (at) =>
        (regions === 'everywhere' || isOneOf(regions, regionAt(at))) &&
        (optionPolygons === null || optionPolygons.some((it) => polygonHasPoint(it, at.lng, at.lat))),
    }
  }

  /** The options with geometry; those that cover the complete area first. */
  orderedOptions(handle: DatasetHandle): MaybePromise<OrderedOption[]> {
    const known = this.#orders.get(handle) ?? runCoroutine(this.#orderOptions(handle))
    this.#orders.set(handle, known)
    return known
  }

  *#orderOptions(handle: DatasetHandle): Coroutine<OrderedOption[]> {
    const withGeometry = handle.options.filter(({ area }) => area !== undefined)
    if (withGeometry.length === 1) return [{ option: withGeometry[0]!, isComplete: true }]
    const options: OrderedOption[] = []
    for (const option of withGeometry) options.push({ option, isComplete: yield* this.#isComplete(option) })
    return options.toSorted((a, b) => Number(b.isComplete) - Number(a.isComplete))
  }

  *#isComplete({ area: source }: SourceOption): Coroutine<boolean> {
    const area = this.#area
    const polygons = source?.coverage ?? null
    if (polygons === null || surrounds(polygons, area)) return true
    if (area.kind === 'polygon') {
      const within = yield* this.ringsWithin(area, 'everywhere', polygons)
      return area.overlay.area_m2(within) >= (1 - negligibleShare) * area.area_m2
    }
    const coverage = yield* this.lineCoverage('everywhere', polygons)
    const parts = yield* partitionLines(area, [], coverage, this.#deps.yieldToEventLoop)
    const covered_m = parts.reduce((sum, { size }) => sum + size, 0)
    return covered_m >= (1 - negligibleShare) * totalSizeOf(area)
  }

  *#ringsIn(area: PolygonArea, regions: Regions): Coroutine<GridRings> {
    if (regions === 'everywhere') return area.rings
    const ringsByRegion = yield* waitFor((this.#regions ??= runCoroutine(this.#locateRegions(area))))
    const covered: GridRings[] = []
    for (const [region, rings] of ringsByRegion) if (isOneOf(regions, region)) covered.push(rings)
    if (covered.length === ringsByRegion.size) return area.rings
    return covered.length < 2 ? (covered[0] ?? []) : yield* waitFor(area.overlay.union(covered.flat()))
  }

  /**
   * Divides the area by region. What lies in no county is at sea or abroad, or within the tolerance of a county that is
   * cut at the shoreline: the region of a point in each piece decides, as for points.
   */
  *#locateRegions(area: PolygonArea): Coroutine<Map<Region | null, GridRings>> {
    const { overlay, rings, area_m2 } = area
    const { yieldToEventLoop } = this.#deps
    const byRegion = new Map<Region | null, GridRings[]>()
    const add = (region: Region | null, part: GridRings) => {
      const parts = byRegion.get(region) ?? []
      parts.push(part)
      byRegion.set(region, parts)
    }
    for (const county of yield* waitFor(this.#readCounties())) {
      const part = yield* ringsWithin(overlay, county, rings, yieldToEventLoop)
      if (part.length > 0) add(regionOf(String(county.properties.STUSPS)), part)
    }
    const [first, ...others] = [...byRegion.values()].flat()
    // One county contains most areas.
    if (first === rings && others.length === 0) return new Map([...byRegion.keys()].map((region) => [region, rings]))
    for (const [region, parts] of byRegion) byRegion.set(region, [yield* waitFor(overlay.union(parts.flat()))])
    const covered = yield* waitFor(overlay.union([...byRegion.values()].flat(2)))
    const { rest } = yield* waitFor(overlay.split(rings, covered))
    for (const piece of yield* piecesOf(area, rest, yieldToEventLoop)) {
      yield* waitFor(yieldToEventLoop())
      if (overlay.area_m2(piece) > negligibleShare * area_m2)
        add(this.#regionOutsideCounties(pointInside(overlay.toPaths(piece))), piece)
    }
    return new Map([...byRegion].map(([region, parts]) => [region, parts.flat()]))
  }

  /** Returns null outside the served area. A polygon from one state to another can cross it. */
  #regionOutsideCounties(at: Point): Region | null {
    return insideUs(at) ? this.#deps.placeAt(at).region : null
  }

  #readCounties(): MaybePromise<readonly JoinedFeature[]> {
    const { registry, features } = this.#deps
    const option = registry.dataset(countiesDataset).options.find(({ area }) => area)
    return option ? andThen(features.read(option), (counties) => counties.features) : []
  }
}

/** Smaller rests are rounding. */
const negligibleShare = 1e-10

/** Whether one of the polygons contains the area. */
function surrounds(polygons: readonly FlatPath[][], { extent }: QueryArea): boolean {
  return polygons.some((rings) => surroundsExtent(rings, extent))
}

function isOneOf(regions: readonly Region[], region: Region | null): boolean {
  return region !== null && regions.includes(region)
}

/** A polygon for many tests of points. */
export function testedPolygonOf(rings: readonly FlatPath[]): TestedPolygon {
  return { rings, extent: extentOf(rings) }
}

/** The polygons near an area. Cut at the extent, because the grid of an area reaches little beyond it. */
export function nearPolygons(polygons: readonly FlatPath[][], area: QueryArea): FlatPath[][] {
  const extent = queryExtentOf(area)
  return polygons
    .filter((rings) => extentsTouch(extentOf(rings), extent))
    .map((rings) => rings.map((ring) => cutRingAtExtent({ coordinates: ring, begin: 0, end: ring.length / 2 }, extent)))
}

/** The connected pieces of rings: each outer ring with the holes in it. */
function* piecesOf(
  { overlay }: PolygonArea,
  rings: GridRings,
  yieldToEventLoop: YieldToEventLoop,
): Coroutine<GridRings[]> {
  const measured = overlay
    .toPaths(rings)
    .map((path, i) => ({ ring: rings[i]!, path, area_m2: signedRingArea_m2(path) }))
  const pieces = measured
    .filter(({ area_m2 }) => area_m2 > 0)
    .toSorted((a, b) => a.area_m2 - b.area_m2)
    .map(({ ring, path }) => ({ rings: [ring], outer: testedPolygonOf([path]) }))
  for (const { ring, path, area_m2 } of measured) {
    if (area_m2 > 0) continue
    yield* waitFor(yieldToEventLoop())
    const { lat, lng } = pointInside([path])
    pieces.find(({ outer }) => polygonHasPoint(outer, lng, lat))?.rings.push(ring)
  }
  return pieces.map((piece) => piece.rings)
}
