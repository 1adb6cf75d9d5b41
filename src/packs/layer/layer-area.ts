import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Coroutine } from '../../async/maybe-promise.ts'
import { compileCondition } from '../../geo/text/sql-condition.ts'
import type { CellIndex } from '../../geo/cell-index.ts'
import {
  cutRingAtExtent,
  extentsTouch,
  outlineOf,
  segmentsTouchingExtent,
  type PathSlice,
} from '../../geo/overlay/cut-at-extent.ts'
import { signedRingArea_m2 } from '../../geo/ellipsoid.ts'
import { coordinateStep_degrees, type FlatGeometries } from '../../geo/flat-geometries.ts'
import type { AreaFeature, AreaQuery, Extent } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Properties } from '../../model/source.ts'
import type { BoxIndex } from './box-index.ts'
import type { PackFeatures } from './pack-features.ts'
import type { PackShape } from './pack-shape.ts'
import { visitRowsInBox, type RingIndex } from './features-in-box.ts'

/** The longitudes of a layer, or of an extent beyond 180 degrees, may be shifted by a full turn: 190 east is 170 west. */
const shifts_degrees = [0, -360, 360] as const
/** The maximum number of features of one layer in an area. */
const maxAreaFeatures = 100_000

/** After so many positions, which take a few milliseconds to read, other requests have a turn. */
const positionsPerTurn = 10_000
const largeShape_numbers = 2_000

/** A feature of a pack layer, and the row that it was read from. */
export type RowInExtent = AreaFeature & { row: number }

/** Returns the features of a pack layer that touch the extent, in table order, cut at it. */
export function* packFeaturesInExtent(
  { name, features, index }: { name: string; features: PackFeatures; index: BoxIndex },
  { extent, where }: AreaQuery,
): Coroutine<RowInExtent[]> {
  const passes = where === undefined ? null : compileCondition(where)
  const found: RowInExtent[] = []
  let positions = 0
  for (const [row, shifts] of rowsInExtent(index, extent).toSorted(([a], [b]) => a - b)) {
    const shape = features.shape(row)
    if (!shape && features.isInvalid(row))
      throw new UpstreamError(
        'bad_value',
        `The pack has an invalid geometry in ${name} in this area. Build the pack again from the publisher's file.`,
      )
    if (!shape || (passes && !passes(features.properties(row)))) continue
    positions += shape.coordinates.length / 2
    if (positions > positionsPerTurn) {
      positions = 0
      yield nextTurn()
    }
    const cut = cutShape(shape, extent, shifts)
    if (!cut) continue
    if (found.length >= maxAreaFeatures) throw tooManyFeaturesError(name)
    // A large shape may not stay in the cache, and reading it again takes longer than its area.
    const area_m2 = shape.coordinates.length > largeShape_numbers ? features.area_m2(row) : null
    found.push({
      row,
      key: features.featureIdOf?.(row) ?? row,
      properties: features.properties(row),
      ...cut,
      featureArea_m2: () => area_m2 ?? features.area_m2(row),
    })
  }
  return found
}

/** The rows whose boxes touch the extent, each with the shifts of its longitudes. */
function rowsInExtent(index: BoxIndex, extent: Extent): [row: number, shifts: number[]][] {
  const rows: [number, number[]][] = []
  visitRowsInBox(index, extent, (row, { west, east }) => rows.push([row, shiftsToExtent(west, east, extent)]) > 0)
  return rows
}

/** The shifts with which longitudes are in an extent: two for an extent, or a feature, on both sides of the antimeridian. */
export function shiftsToExtent(west: number, east: number, extent: Extent): number[] {
  const shifts: number[] = []
  for (const shift of shifts_degrees) if (west + shift <= extent.east && east + shift >= extent.west) shifts.push(shift)
  return shifts
}

type CutGeometry = Pick<AreaFeature, 'polygons' | 'lines' | 'points'>

function cutShape(shape: PackShape, extent: Extent, shifts: readonly number[]): CutGeometry | null {
  const { coordinates, starts, polygons } = shape
  const cut = createCutCollector(extent)
  for (const shift of shifts) {
    const slice = (path: number): PathSlice => ({ coordinates, begin: starts[path]!, end: starts[path + 1]!, shift })
    let path = 0
    for (let i = 0; i < polygons.length; i += 2) {
      while (path < polygons[i]!) cut.addLine(slice(path++))
      const rings: PathSlice[] = []
      while (path < polygons[i + 1]!) rings.push(slice(path++))
      cut.addPolygon(rings)
    }
    while (path + 1 < starts.length) cut.addLine(slice(path++))
  }
  return cut.result()
}

/** Collects the parts of a feature that touch an extent. */
export function createCutCollector(extent: Extent) {
  const cut: CutGeometry = { polygons: [], lines: [], points: [] }
  return {
    addPolygon(slices: PathSlice[]) {
      const rings = slices.map((slice) => cutRingAtExtent(slice, extent)).filter((ring) => ring.length > 0)
      if (rings.length > 0) cut.polygons.push(rings)
    },
    /** A line of one vertex is a point. */
    addLine(slice: PathSlice) {
      const { coordinates, begin, end, scale = 1, shift = 0 } = slice
      if (end - begin > 1) return void cut.lines.push(...segmentsTouchingExtent(slice, extent))
      const [x, y] = [coordinates[2 * begin]! * scale + shift, coordinates[2 * begin + 1]! * scale]
      if (extentsTouch({ west: x, east: x, south: y, north: y }, extent)) cut.points.push(x, y)
    },
    /** Null if nothing touches the extent. */
    result: () => (cut.polygons.length + cut.lines.length + cut.points.length === 0 ? null : cut),
  }
}

/** What `memoryFeaturesInExtent` needs of a layer. `cells` is null for a layer without polygons. */
type MemoryLayerParts = {
  shapes: FlatGeometries
  rings: RingIndex
  cells: CellIndex | null
  propertiesAt: (row: number) => Properties
}

/**
 * Returns the features of a layer in memory that touch the extent, in table order, cut at it. `accepts` has a 1 for
 * each feature that passes the condition of the query; null if there is none.
 */
export function memoryFeaturesInExtent(
  { shapes, rings, cells, propertiesAt }: MemoryLayerParts,
  extent: Extent,
  accepts: Uint8Array | null,
): AreaFeature[] {
  const featureOf = (feature: number, cut: CutGeometry): AreaFeature => ({
    key: feature,
    properties: propertiesAt(feature),
    ...cut,
    featureArea_m2: () => areaOf(shapes, feature),
  })
  const around = cells?.featuresAround(extent)
  if (around)
    return around
      .filter((feature) => accepts?.[feature] !== 0)
      .map((feature) => featureOf(feature, { polygons: [[outlineOf(extent, 1)]], lines: [], points: [] }))
  const collectors = new Map<number, ReturnType<typeof createCutCollector>>()
  const sliceOf = (ring: number, shift: number): PathSlice => ({
    coordinates: shapes.coordinates,
    begin: shapes.starts[ring]!,
    end: shapes.starts[ring + 1]!,
    scale: coordinateStep_degrees,
    shift,
  })
  const { west, south, east, north } = extent
  const index = rings()
  for (const shift of shifts_degrees) {
    if (west - shift > index.maxX || east - shift < index.minX) continue
    for (const ring of index.search(west - shift, south, east - shift, north)) {
      const feature = shapes.ringFeatures[ring]
      if (feature === undefined || accepts?.[feature] === 0) continue
      const polygon = polygonOf(shapes, ring)
      if (polygon !== null && shapes.polygonRings[polygon] !== ring) continue
      const collector = collectors.get(feature) ?? createCutCollector(extent)
      collectors.set(feature, collector)
      if (polygon === null) collector.addLine(sliceOf(ring, shift))
      else collector.addPolygon(ringsOf(shapes, polygon).map((it) => sliceOf(it, shift)))
    }
  }
  return [...collectors]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([feature, collector]) => {
      const cut = collector.result()
      return cut ? [featureOf(feature, cut)] : []
    })
}

/** The polygon of a ring; null in a layer of lines or points. */
function polygonOf({ polygonRings, polygonFeatures }: FlatGeometries, ring: number): number | null {
  let [low, high] = [0, polygonFeatures.length]
  if (high === 0) return null
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (polygonRings[middle]! <= ring) low = middle
    else high = middle
  }
  return low
}

function ringsOf({ polygonRings }: FlatGeometries, polygon: number): number[] {
  const first = polygonRings[polygon]!
  return Array.from({ length: polygonRings[polygon + 1]! - first }, (_, i) => first + i)
}

/** The area of all polygons of a feature: the first ring of each, without the others. */
function areaOf(shapes: FlatGeometries, feature: number): number {
  let sum = 0
  for (const [polygon, owner] of shapes.polygonFeatures.entries()) {
    if (owner !== feature) continue
    for (const [i, ring] of ringsOf(shapes, polygon).entries()) {
      const path = Array.from(
        shapes.coordinates.subarray(2 * shapes.starts[ring]!, 2 * shapes.starts[ring + 1]!),
        (step) => step * coordinateStep_degrees,
      )
      sum += (i === 0 ? 1 : -1) * Math.abs(signedRingArea_m2(path))
    }
  }
  return sum
}

function tooManyFeaturesError(name: string): UpstreamError {
  return new UpstreamError(
    'too_large',
    `The area has more than ${maxAreaFeatures} features of ${name}. Ask about a smaller area.`,
  )
}
