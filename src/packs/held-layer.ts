import type { Database } from 'bun:sqlite'
import Flatbush from 'flatbush'
import { boxTreeOf, type BoxTree } from '../geo/box-tree.ts'
import { arc_m, chord_m, segmentDistance2, xyzOf, type Xyz } from '../geo/ecef.ts'
import { ringsHold } from '../geo/polygon.ts'
import { collectShapes, grid_degrees, runsOf, type Runs, type Shapes } from '../geo/shapes.ts'
import { conditionOf } from '../geo/where.ts'
import type { Point } from '../model/place.ts'
import type { Feature, FeatureQuery, Properties } from '../model/source.ts'
import { featuresOf, layerOf } from './geopackage.ts'
import { packRows, type PackedRows } from './packed-rows.ts'

/**
 * A small layer, decoded once and held in memory: polygons behind a Flatbush, edges and points behind a tree in space.
 * A polygon with a `SNAP_M` (one that is cut at the shoreline) also holds the points so near to it that no other polygon holds.
 */
export type HeldLayer = {
  /** The features that hold the point, then (for a radius) those within it, nearest first. */
  near(query: FeatureQuery): Feature[]
  /** The attributes of every feature, one at a time: as a list they would be many times what is held. */
  all(): Iterable<Properties>
  /** Builds what a first question would otherwise wait for. */
  warm(): void
}

/** Which features pass a condition: one byte each. */
type Passes = (feature: number) => boolean
/** The polygons that hold points beyond their edge too: how far each, how far the farthest. */
type Snapping = { edges: () => Edges; reach_m: ReadonlyMap<number, number>; farthest_m: number }
type Edges = { runs: Runs; tree: BoxTree }
type Polygons = { index: Flatbush; shapes: Shapes }
type Held = { rows: PackedRows; polygons: Polygons | null; edges: () => Edges; snapping: Snapping | null }

/** Reads a layer into memory. */
export function holdLayer(db: Database, name: string): HeldLayer {
  const held = read(db, name)
  const holding = lastHolding(held.polygons)
  const passing = new Map<string, Passes>()
  return {
    near({ at, radius_m, where, limit = Infinity }) {
      const passes = where === undefined ? always : passing.get(where) ?? evaluated(where)
      const inside = holding(at, passes).slice(0, limit)
      if (inside.length === 0) inside.push(...snapped(held, at).filter(passes))
      return radius_m === 0 || inside.length >= limit ? inside.map((i) => featureOf(held, i, 0)) : around(held, at, radius_m, passes, limit, inside)
    },
    *all() {
      for (let row = 0; row < held.rows.length; row++) yield held.rows.at(row)
    },
    warm() {
      if (held.polygons) held.snapping?.edges()
      else held.edges()
    },
  }

  /** A condition is asked of every feature once, when it is first met; conditions come from the catalog, so there are few. */
  function evaluated(where: string): Passes {
    const condition = conditionOf(where)
    const bits = Uint8Array.from({ length: held.rows.length }, (_, row) => (condition(held.rows.at(row)) ? 1 : 0))
    const passes = (feature: number) => bits[feature] === 1
    passing.set(where, passes)
    return passes
  }
}

const always = () => true

function read(db: Database, name: string): Held {
  const collected = collectShapes()
  const reach_m = new Map<number, number>()
  const rows = packRows(function* (): Generator<Properties> {
    for (const { geometry, properties } of featuresOf(db, layerOf(db, name))) {
      if (properties.SNAP_M) reach_m.set(collected.count(), Number(properties.SNAP_M))
      collected.add(geometry)
      yield properties
    }
  }())
  const shapes = collected.shapes()
  const snapping = { edges: lazy(() => edgesOf(shapes, (feature) => reach_m.has(feature))), reach_m, farthest_m: Math.max(...reach_m.values()) }
  return { rows, polygons: polygonsOf(shapes), edges: lazy(() => edgesOf(shapes, always)), snapping: reach_m.size > 0 ? snapping : null }
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
  const x = (lng === 180 ? -180 : lng) / grid_degrees
  const y = lat / grid_degrees
  const found: number[] = []
  for (const polygon of polygons.index.search(x, y, x, y)) {
    const feature = polygonFeatures[polygon]!
    if (found.includes(feature) || !passes(feature)) continue
    if (ringsHold(coordinates, starts, polygonRings[polygon]!, polygonRings[polygon + 1]!, x, y)) found.push(feature)
  }
  return found.sort((a, b) => a - b)
}

/** The polygon that holds the point beyond its edge: the nearest that reaches so far, where none holds it inside. */
function snapped({ polygons, snapping }: Held, at: Point): number[] {
  if (!snapping || holding(polygons, at, always).length > 0) return []
  const { edges, reach_m, farthest_m } = snapping
  const reaching: number[] = []
  walk(edges(), at, farthest_m, always, (feature, distance_m) => {
    if (distance_m <= reach_m.get(feature)!) reaching.push(feature)
    return reaching.length === 0
  })
  return reaching
}

function around(held: Held, at: Point, radius_m: number, passes: Passes, limit: number, inside: number[]): Feature[] {
  const seen = new Set(inside)
  const features = inside.map((i) => featureOf(held, i, 0))
  walk(held.edges(), at, radius_m, passes, (feature, distance_m) => {
    if (!seen.has(feature)) features.push(featureOf(held, feature, distance_m))
    seen.add(feature)
    return features.length < limit
  })
  return features
}

/** Visits the edges within the radius, nearest first, by the feature they belong to, for as long as the visitor says. */
function walk({ runs, tree }: Edges, at: Point, radius_m: number, passes: Passes, visit: (feature: number, distance_m: number) => boolean) {
  const from = xyzOf(at)
  tree.nearest(from, {
    reach2: chord_m(radius_m) ** 2,
    accepts: (run) => passes(runs.feature[run]!),
    distance2: (run) => runDistance2(runs, run, from),
    found: (run, distance2) => visit(runs.feature[run]!, arc_m(Math.sqrt(distance2))),
  })
}

function featureOf({ rows }: Held, feature: number, distance_m: number): Feature {
  return { properties: rows.at(feature), distance_m }
}

function runDistance2({ xyz, first, last }: Runs, run: number, from: Xyz): number {
  const begin = 3 * first[run]!
  const end = 3 * last[run]!
  let least = segmentDistance2(from, xyz[begin]!, xyz[begin + 1]!, xyz[begin + 2]!, xyz[begin]!, xyz[begin + 1]!, xyz[begin + 2]!)
  for (let i = begin; i < end; i += 3) {
    least = Math.min(least, segmentDistance2(from, xyz[i]!, xyz[i + 1]!, xyz[i + 2]!, xyz[i + 3]!, xyz[i + 4]!, xyz[i + 5]!))
  }
  return least
}

function edgesOf(shapes: Shapes, belongs: (feature: number) => boolean): Edges {
  const runs = runsOf(shapes, belongs)
  return { runs, tree: boxTreeOf(runs.boxes) }
}

function polygonsOf(shapes: Shapes): Polygons | null {
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
  }
  index.finish()
  return { index, shapes }
}

/** Made at the first call; what it is made from is let go then. */
function lazy<T>(make: () => T): () => T {
  let made: T | null = null
  let maker: (() => T) | null = make
  return () => {
    if (maker) made = maker()
    maker = null
    return made!
  }
}
