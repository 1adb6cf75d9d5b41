import type { Database } from 'bun:sqlite'
import Flatbush from 'flatbush'
import { buildBoxTree, type BoxTree } from '../geo/box-tree.ts'
import { chordToArc_m, arcToChord_m, segmentDistance2, xyzOf, type Xyz } from '../geo/ecef.ts'
import { ringsContain } from '../geo/polygon.ts'
import { segmentRunBoxesOf, createGeometryCollector, coordinateStep_degrees, buildSegmentRuns, type SegmentRuns, type FlatGeometries } from '../geo/flat-geometries.ts'
import { compileCondition } from '../geo/sql-condition.ts'
import type { YieldToEventLoop } from '../async/yield-to-event-loop.ts'
import type { Point } from '../model/place.ts'
import type { Feature, FeatureQuery, Properties } from '../model/source.ts'
import { createIncrementalTask, type TaskSteps, type IncrementalTask } from '../async/incremental-task.ts'
import { featuresOf, layerOf } from './geopackage.ts'
import { collectRows, type PackedRows } from './packed-rows.ts'

/**
 * A small layer, decoded once and held in memory: polygons behind a Flatbush, edges and points behind a tree in space.
 * A polygon with a `SNAP_M` (one that is cut at the shoreline) also holds the points so near to it that no other polygon holds.
 */
export type HeldLayer = {
  /** The features that hold the point, then (for a radius) those within it, nearest first. What it takes and is not there yet is made at once. */
  near(query: FeatureQuery): Feature[]
  /** Null when all that such a query takes is there; else resolves when it is. */
  ready(query: Pick<FeatureQuery, 'radius_m' | 'where'>): Promise<void> | null
  /** The attributes of every feature, one at a time: as a list they would be many times what is held. */
  all(): Iterable<Properties>
  /** The attributes of one feature, by its place among all. */
  at(row: number): Properties
  /** Makes ready what a first question takes, but for a condition. */
  warm(): Promise<void>
}

/** Which features pass a condition: one byte each. */
type Passes = (feature: number) => boolean
/** The polygons that hold points beyond their edge too: how far each, how far the farthest. */
type Snapping = { edges: IncrementalTask<Edges>; reach_m: ReadonlyMap<number, number>; farthest_m: number }
type Edges = { runs: SegmentRuns; tree: BoxTree }
type Polygons = { index: Flatbush; shapes: FlatGeometries }
type Held = { rows: PackedRows; polygons: Polygons | null; edges: IncrementalTask<Edges>; snapping: Snapping | null }

/** Rows that are asked for a condition before a breath may be taken. */
const rowsOfStep = 64

/** Reads a layer into memory. */
export function holdLayer(db: Database, name: string, loopTurn: YieldToEventLoop): IncrementalTask<HeldLayer> {
  return createIncrementalTask(() => reading(db, name, loopTurn), loopTurn)
}

function* reading(db: Database, name: string, loopTurn: YieldToEventLoop): TaskSteps<HeldLayer> {
  const held = yield* read(db, name, loopTurn)
  const holding = lastHolding(held.polygons)
  const passing = new Map<string, IncrementalTask<Passes>>()
  return {
    near({ at, radius_m, where, limit = Infinity }) {
      const passes = where === undefined ? always : evaluated(where).runSync()
      const inside = holding(at, passes).slice(0, limit)
      if (inside.length === 0) inside.push(...snapped(held, at).filter(passes))
      return radius_m === 0 || inside.length >= limit ? inside.map((i) => featureOf(held, i, 0)) : around(held, at, radius_m, passes, limit, inside)
    },
    ready({ radius_m, where }) {
      const isThere = (where === undefined || evaluated(where).isDone()) && (radius_m === 0 || held.edges.isDone()) && (held.snapping === null || held.snapping.edges.isDone())
      return isThere ? null : made(where, radius_m)
    },
    *all() {
      for (let row = 0; row < held.rows.length; row++) yield held.rows.at(row)
    },
    at: held.rows.at,
    async warm() {
      await this.ready({ radius_m: held.polygons ? 0 : Infinity })
    },
  }

  async function made(where: string | undefined, radius_m: number): Promise<void> {
    await held.snapping?.edges.run()
    if (radius_m > 0) await held.edges.run()
    if (where !== undefined) await evaluated(where).run()
  }

  /** A condition is asked of every feature once, when it is first met; conditions come from the catalog, so there are few. */
  function evaluated(where: string): IncrementalTask<Passes> {
    const known = passing.get(where)
    if (known) return known
    const made = createIncrementalTask(() => evaluate(held.rows, where), loopTurn)
    passing.set(where, made)
    return made
  }
}

const always = () => true

function* evaluate(rows: PackedRows, where: string): TaskSteps<Passes> {
  const condition = compileCondition(where)
  const bits = new Uint8Array(rows.length)
  for (let row = 0; row < rows.length; row++) {
    bits[row] = condition(rows.at(row)) ? 1 : 0
    if (row % rowsOfStep === 0) yield
  }
  return (feature) => bits[feature] === 1
}

function* read(db: Database, name: string, loopTurn: YieldToEventLoop): TaskSteps<Held> {
  const collected = createGeometryCollector()
  const packed = collectRows()
  const reach_m = new Map<number, number>()
  for (const { geometry, properties } of featuresOf(db, layerOf(db, name))) {
    const feature = collected.add(geometry)
    packed.add(properties)
    if (properties.SNAP_M) reach_m.set(feature, Number(properties.SNAP_M))
    yield
  }
  return yield* heldOf(collected.finish(), packed.rows(), reach_m, loopTurn)
}

/** What is held, and nothing of what it was collected with: whatever a function can see lives as long as that. */
function* heldOf(shapes: FlatGeometries, rows: PackedRows, reach_m: ReadonlyMap<number, number>, loopTurn: YieldToEventLoop): TaskSteps<Held> {
  const edgesOfThose = (belongs: (feature: number) => boolean) => createIncrementalTask(() => edgesOf(shapes, belongs), loopTurn)
  const snapping = reach_m.size === 0 ? null : { edges: edgesOfThose((feature) => reach_m.has(feature)), reach_m, farthest_m: Math.max(...reach_m.values()) }
  return { rows, polygons: yield* polygonsOf(shapes), edges: edgesOfThose(always), snapping }
}

/** One request asks a layer for the same point several times over: where it is, whether it is covered, what it reads there. */
function lastHolding(polygons: Polygons | null): (at: Point, passes: Passes) => readonly number[] {
  let last: { lat: number; lng: number; passes: Passes; found: number[] } | null = null
  return ({ lat, lng }, passes) => {
    if (last?.lat !== lat || last.lng !== lng || last.passes !== passes) last = { lat, lng, passes, found: holding(polygons, { lat, lng }, passes) }
    return last.found
  }
}

function holding(polygons: Polygons | null, { lat, lng }: Point, passes: Passes): number[] {
  if (!polygons) return []
  const { coordinates, starts, polygonRings, polygonFeatures } = polygons.shapes
  // The antimeridian is one line with two names.
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

/** The polygon that holds the point beyond its edge: the nearest that reaches so far, where none holds it inside. */
function snapped({ polygons, snapping }: Held, at: Point): number[] {
  if (!snapping || holding(polygons, at, always).length > 0) return []
  const { edges, reach_m, farthest_m } = snapping
  const reaching: number[] = []
  walk(edges.runSync(), at, { radius_m: farthest_m, passes: always, wanted: Infinity }, (feature, distance_m) => {
    if (distance_m <= reach_m.get(feature)!) reaching.push(feature)
    return reaching.length === 0
  })
  return reaching
}

function around(held: Held, at: Point, radius_m: number, passes: Passes, limit: number, inside: number[]): Feature[] {
  const seen = new Set(inside)
  const features = inside.map((i) => featureOf(held, i, 0))
  // Where some are inside, the next that is met may be one of them.
  const wanted = inside.length === 0 ? limit : Infinity
  walk(held.edges.runSync(), at, { radius_m, passes, wanted }, (feature, distance_m) => {
    if (!seen.has(feature)) features.push(featureOf(held, feature, distance_m))
    seen.add(feature)
    return features.length < limit
  })
  return features
}

/** Visits the edges within the radius, nearest first, by the feature they belong to, for as long as the visitor says. */
function walk({ runs, tree }: Edges, at: Point, { radius_m, passes, wanted: maxResults }: { radius_m: number; passes: Passes; wanted: number }, visit: (feature: number, distance_m: number) => boolean) {
  const from = xyzOf(at)
  tree.visitNearest(from, {
    maxDistance2: arcToChord_m(radius_m) ** 2,
    accepts: (run) => passes(runs.feature[run]!),
    distance2: (run) => runDistance2(runs, run, from),
    onFound: (run, distance2) => visit(runs.feature[run]!, chordToArc_m(Math.sqrt(distance2))),
    maxResults,
  })
}

function featureOf({ rows }: Held, feature: number, distance_m: number): Feature {
  return { properties: rows.at(feature), distance_m }
}

function runDistance2({ xyz, first, last }: SegmentRuns, run: number, from: Xyz): number {
  const begin = 3 * first[run]!
  const end = 3 * last[run]!
  let least = segmentDistance2(from, xyz[begin]!, xyz[begin + 1]!, xyz[begin + 2]!, xyz[begin]!, xyz[begin + 1]!, xyz[begin + 2]!)
  for (let i = begin; i < end; i += 3) {
    least = Math.min(least, segmentDistance2(from, xyz[i]!, xyz[i + 1]!, xyz[i + 2]!, xyz[i + 3]!, xyz[i + 4]!, xyz[i + 5]!))
  }
  return least
}

function* edgesOf(shapes: FlatGeometries, belongs: (feature: number) => boolean): TaskSteps<Edges> {
  const runs = yield* buildSegmentRuns(shapes, belongs)
  return { runs, tree: yield* buildBoxTree(yield* segmentRunBoxesOf(runs)) }
}

function* polygonsOf(shapes: FlatGeometries): TaskSteps<Polygons | null> {
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
