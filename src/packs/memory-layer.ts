import type { Database } from 'bun:sqlite'
import Flatbush from 'flatbush'
import { buildBoxTree, type BoxTree } from '../geo/box-tree.ts'
import { chordToArc_m, arcToChord_m, segmentDistance2, xyzOf, type Xyz } from '../geo/ecef.ts'
import { ringsContain } from '../geo/polygon.ts'
import {
  segmentRunBoxesOf,
  createGeometryCollector,
  coordinateStep_degrees,
  buildSegmentRuns,
  geometryOfFeature,
  type SegmentRuns,
  type FlatGeometries,
} from '../geo/flat-geometries.ts'
import { compileCondition } from '../geo/sql-condition.ts'
import type { YieldToEventLoop } from '../async/yield-to-event-loop.ts'
import type { Point } from '../model/place.ts'
import type { Feature, FeatureQuery, Properties } from '../model/source.ts'
import { createIncrementalTask, type TaskSteps, type IncrementalTask } from '../async/incremental-task.ts'
import { readFeatures, describeLayer } from './geopackage-rows.ts'
import { createRowPacker, type PackedRows } from './packed-rows.ts'

/**
 * A small layer, decoded once and held in memory. A Flatbush indexes the polygons; a 3D tree indexes edges and points.
 * A polygon cut at the shoreline has the attribute `SNAP_M`. It also contains points within that many meters that no
 * other polygon contains.
 */
export type MemoryLayer = {
  /**
   * Returns the features that contain the point, then those within the radius, nearest first. Builds missing indexes
   * synchronously.
   */
  query(query: FeatureQuery): Feature[]
  /** Null if the indexes for such a query are built. Otherwise builds them and resolves when they are ready. */
  prepare(query: Pick<FeatureQuery, 'radius_m' | 'where'>): Promise<void> | null
  /**
   * Yields the attributes of every feature one at a time. A list would take many times the memory of the packed rows.
   */
  allProperties(): Iterable<Properties>
  /** The attributes of the feature at this position. */
  propertiesAt(row: number): Properties
  /** Builds the indexes that the first query needs, except those for conditions. */
  warm(): Promise<void>
}

/** Whether a feature passes a condition. */
type FeatureFilter = (feature: number) => boolean
/** The polygons that also contain points beyond their edge, with the tolerance of each and the largest tolerance. */
type SnapIndex = {
  edges: IncrementalTask<EdgeIndex>
  tolerances_m: ReadonlyMap<number, number>
  maxTolerance_m: number
}
type EdgeIndex = { runs: SegmentRuns; tree: BoxTree }
type PolygonIndex = { index: Flatbush; shapes: FlatGeometries }
type LayerData = {
  rows: PackedRows
  shapes: FlatGeometries
  polygons: PolygonIndex | null
  edges: IncrementalTask<EdgeIndex>
  snapIndex: SnapIndex | null
}

type NearbyQuery = { radius_m: number; passes: FeatureFilter; limit: number; with_geometry: true | undefined }

/** Rows to evaluate a condition for before the task may yield. */
const rowsPerStep = 64

/** Creates a task that reads a layer into memory. */
export function loadMemoryLayer(db: Database, name: string, loopTurn: YieldToEventLoop): IncrementalTask<MemoryLayer> {
  return createIncrementalTask(() => layerSteps(db, name, loopTurn), loopTurn)
}

function* layerSteps(db: Database, name: string, loopTurn: YieldToEventLoop): TaskSteps<MemoryLayer> {
  const data = yield* readLayerData(db, name, loopTurn)
  const findContaining = memoizeContaining(data.polygons)
  const filters = new Map<string, IncrementalTask<FeatureFilter>>()
  return {
    query({ at, radius_m, where, limit = Infinity, with_geometry }) {
      const passes = where === undefined ? always : filterFor(where).runSync()
      const inside = findContaining(at, passes).slice(0, limit)
      if (inside.length === 0) inside.push(...snapToPolygon(data, at).filter(passes))
      return radius_m === 0 || inside.length >= limit
        ? inside.map((i) => featureOf(data, i, 0, with_geometry))
        : featuresWithin(data, at, { radius_m, passes, limit, with_geometry }, inside)
    },
    prepare({ radius_m, where }) {
      const isPrepared =
        (where === undefined || filterFor(where).isDone()) &&
        (radius_m === 0 || data.edges.isDone()) &&
        (data.snapIndex === null || data.snapIndex.edges.isDone())
      return isPrepared ? null : prepareIndexes(where, radius_m)
    },
    *allProperties() {
      for (let row = 0; row < data.rows.length; row++) yield data.rows.at(row)
    },
    propertiesAt: data.rows.at,
    async warm() {
      await this.prepare({ radius_m: data.polygons ? 0 : Infinity })
    },
  }

  async function prepareIndexes(where: string | undefined, radius_m: number): Promise<void> {
    await data.snapIndex?.edges.run()
    if (radius_m > 0) await data.edges.run()
    if (where !== undefined) await filterFor(where).run()
  }

  /** Evaluates a condition for every feature once, on first use. There are few, because they come from the catalog. */
  function filterFor(where: string): IncrementalTask<FeatureFilter> {
    const cached = filters.get(where)
    if (cached) return cached
    const filter = createIncrementalTask(() => evaluateFilter(data.rows, where), loopTurn)
    filters.set(where, filter)
    return filter
  }
}

const always = () => true

function* evaluateFilter(rows: PackedRows, where: string): TaskSteps<FeatureFilter> {
  const condition = compileCondition(where)
  const bits = new Uint8Array(rows.length)
  for (let row = 0; row < rows.length; row++) {
    bits[row] = condition(rows.at(row)) ? 1 : 0
    if (row % rowsPerStep === 0) yield
  }
  return (feature) => bits[feature] === 1
}

function* readLayerData(db: Database, name: string, loopTurn: YieldToEventLoop): TaskSteps<LayerData> {
  const shapeCollector = createGeometryCollector()
  const rowPacker = createRowPacker()
  const tolerances_m = new Map<number, number>()
  for (const { geometry, properties } of readFeatures(db, describeLayer(db, name))) {
    const feature = shapeCollector.add(geometry)
    rowPacker.add(properties)
    if (properties.SNAP_M) tolerances_m.set(feature, Number(properties.SNAP_M))
    yield
  }
  return yield* buildLayerData(shapeCollector.finish(), rowPacker.rows(), tolerances_m, loopTurn)
}

/** A separate function, so that its closures keep the finished data alive but not the collectors that built it. */
function* buildLayerData(
  shapes: FlatGeometries,
  rows: PackedRows,
  tolerances_m: ReadonlyMap<number, number>,
  loopTurn: YieldToEventLoop,
): TaskSteps<LayerData> {
  const edgeTask = (includes: (feature: number) => boolean) =>
    createIncrementalTask(() => buildEdgeIndex(shapes, includes), loopTurn)
  const snapIndex =
    tolerances_m.size === 0
      ? null
      : {
          edges: edgeTask((feature) => tolerances_m.has(feature)),
          tolerances_m,
          maxTolerance_m: Math.max(...tolerances_m.values()),
        }
  return { rows, shapes, polygons: yield* buildPolygonIndex(shapes), edges: edgeTask(always), snapIndex }
}

/** One request queries a layer for the same point several times: for its jurisdiction, its coverage and its values. */
function memoizeContaining(polygons: PolygonIndex | null): (at: Point, passes: FeatureFilter) => readonly number[] {
  let last: { lat: number; lng: number; passes: FeatureFilter; found: number[] } | null = null
  return ({ lat, lng }, passes) => {
    if (last?.lat !== lat || last.lng !== lng || last.passes !== passes)
      last = { lat, lng, passes, found: featuresContaining(polygons, { lat, lng }, passes) }
    return last.found
  }
}

function featuresContaining(polygons: PolygonIndex | null, { lat, lng }: Point, passes: FeatureFilter): number[] {
  if (!polygons) return []
  const { coordinates, starts, polygonRings, polygonFeatures } = polygons.shapes
  // Longitudes 180 and -180 are the same meridian.
  const x = (lng === 180 ? -180 : lng) / coordinateStep_degrees
  const y = lat / coordinateStep_degrees
  const found: number[] = []
  for (const polygon of polygons.index.search(x, y, x, y)) {
    const feature = polygonFeatures[polygon]!
    if (found.includes(feature) || !passes(feature)) continue
    if (ringsContain(coordinates, starts, polygonRings[polygon]!, polygonRings[polygon + 1]!, x, y)) found.push(feature)
  }
  return found.sort((a, b) => a - b)
}

/** The nearest polygon whose tolerance reaches the point; none if a polygon contains the point. */
function snapToPolygon({ polygons, snapIndex }: LayerData, at: Point): number[] {
  if (!snapIndex || featuresContaining(polygons, at, always).length > 0) return []
  const { edges, tolerances_m, maxTolerance_m } = snapIndex
  const nearest: number[] = []
  visitEdges(
    edges.runSync(),
    at,
    { radius_m: maxTolerance_m, passes: always, maxResults: Infinity },
    (feature, distance_m) => {
      if (distance_m <= tolerances_m.get(feature)!) nearest.push(feature)
      return nearest.length === 0
    },
  )
  return nearest
}

function featuresWithin(
  data: LayerData,
  at: Point,
  { radius_m, passes, limit, with_geometry }: NearbyQuery,
  inside: number[],
): Feature[] {
  const seen = new Set(inside)
  const features = inside.map((i) => featureOf(data, i, 0, with_geometry))
  // The search may return a feature that contains the point, so it cannot stop at the limit.
  const maxResults = inside.length === 0 ? limit : Infinity
  visitEdges(data.edges.runSync(), at, { radius_m, passes, maxResults }, (feature, distance_m) => {
    if (!seen.has(feature)) features.push(featureOf(data, feature, distance_m, with_geometry))
    seen.add(feature)
    return features.length < limit
  })
  return features
}

/** Visits the features of the edges within the radius, nearest first, until `visit` returns false. */
function visitEdges(
  { runs, tree }: EdgeIndex,
  at: Point,
  { radius_m, passes, maxResults }: { radius_m: number; passes: FeatureFilter; maxResults: number },
  visit: (feature: number, distance_m: number) => boolean,
) {
  const from = xyzOf(at)
  tree.visitNearest(from, {
    maxDistance2: arcToChord_m(radius_m) ** 2,
    accepts: (run) => passes(runs.feature[run]!),
    distance2: (run) => runDistance2(runs, run, from),
    onFound: (run, distance2) => visit(runs.feature[run]!, chordToArc_m(Math.sqrt(distance2))),
    maxResults,
  })
}

function featureOf({ rows, shapes }: LayerData, feature: number, distance_m: number, with_geometry?: true): Feature {
  const properties = rows.at(feature)
  return with_geometry
    ? { properties, distance_m, geometry: geometryOfFeature(shapes, feature) }
    : { properties, distance_m }
}

function runDistance2({ xyz, first, last }: SegmentRuns, run: number, from: Xyz): number {
  const begin = 3 * first[run]!
  const end = 3 * last[run]!
  let least = segmentDistance2(
    from,
    xyz[begin]!,
    xyz[begin + 1]!,
    xyz[begin + 2]!,
    xyz[begin]!,
    xyz[begin + 1]!,
    xyz[begin + 2]!,
  )
  for (let i = begin; i < end; i += 3) {
    least = Math.min(
      least,
      segmentDistance2(from, xyz[i]!, xyz[i + 1]!, xyz[i + 2]!, xyz[i + 3]!, xyz[i + 4]!, xyz[i + 5]!),
    )
  }
  return least
}

function* buildEdgeIndex(shapes: FlatGeometries, includes: (feature: number) => boolean): TaskSteps<EdgeIndex> {
  const runs = yield* buildSegmentRuns(shapes, includes)
  return { runs, tree: yield* buildBoxTree(yield* segmentRunBoxesOf(runs)) }
}

function* buildPolygonIndex(shapes: FlatGeometries): TaskSteps<PolygonIndex | null> {
  const { coordinates, starts, polygonRings, polygonFeatures } = shapes
  if (polygonFeatures.length === 0) return null
  const index = new Flatbush(polygonFeatures.length, 16, Int32Array)
  for (let polygon = 0; polygon < polygonFeatures.length; polygon++) {
    const outer = polygonRings[polygon]!
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let i = 2 * starts[outer]!; i < 2 * starts[outer + 1]!; i += 2) {
      west = Math.min(west, coordinates[i]!)
      east = Math.max(east, coordinates[i]!)
      south = Math.min(south, coordinates[i + 1]!)
      north = Math.max(north, coordinates[i + 1]!)
    }
    index.add(west, south, east, north)
    yield
  }
  index.finish()
  return { index, shapes }
}
