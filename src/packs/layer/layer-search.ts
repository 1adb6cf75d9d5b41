import { attributeOf } from '../../geo/attribute.ts'
import { xyzOf, type Xyz } from '../../geo/ecef.ts'
import { compileCondition } from '../../geo/text/sql-condition.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Feature, FeatureQuery, Geometry, Properties } from '../../model/source.ts'
import type { BoxIndex } from './box-index.ts'
import { visitNearestRows, visitRowsAt, visitRowsWithin } from './box-search.ts'
import { rowPositionsInBox, rowsInBox, type BoxFeature, type BoxQuery, type RowPosition } from './features-in-box.ts'
import type { PackFeatures } from './pack-features.ts'
import { measureShape } from '../check/pack-measure.ts'
import { geometryOfShape, shapeContains, type PackShape } from './pack-shape.ts'
import type { Extent } from '../../model/area.ts'

const maxFeatures = 100_000
const maxConditions = 500
/** Features of one layer rarely overlap. A file in which all of them do would make every query read all of it. */
const maxContaining = 5_000
/** All polygons around a point are read at once. The largest geometry of a pack has this many positions. */
const maxPositions = 2 ** 19

/**
 * The features that a query finds, each with its row, in the order of the query. `invalid`: a geometry in reach is
 * invalid, so it is not known whether there are more.
 */
export type FeatureMatches = { matches: { row: number; feature: Feature }[]; invalid: boolean }

/** Answers queries about the features of a layer with a box index. */
export class LayerSearch {
  readonly #name: string
  readonly #features: PackFeatures
  readonly #index: BoxIndex
  readonly #hasPolygons: boolean
  readonly #conditions = new Map<string, (properties: Properties) => boolean>()
  /** Whether the current query has met an invalid geometry. Queries are synchronous. */
  #invalidInReach = false

  constructor(name: string, features: PackFeatures, index: BoxIndex, hasPolygons: boolean) {
    this.#name = name
    this.#features = features
    this.#index = index
    this.#hasPolygons = hasPolygons
  }

  /**
   * Answers a query as described at `PackLayer.query`.
   * @throws {UpstreamError} `too_large` above `maxFeatures`, and `bad_value` if nothing was found but a geometry in
   * reach is invalid: then it is not known whether there is nothing.
   */
  query(query: FeatureQuery): Feature[] {
    this.#invalidInReach = false
    const { count_only, limit = Infinity } = query
    const found =
      count_only && limit === Infinity ? this.#countMatches(query) : this.#find(query, (_, feature) => feature)
    if (found.length > 0 || !this.#invalidInReach) return found
    throw invalidGeometryError(this.#name)
  }

  /**
   * Returns the rows of the features that contain the point, in table order; null if a geometry in reach is invalid.
   * @throws {UpstreamError} like `query`.
   */
  containingRows(at: Point): number[] | null {
    this.#invalidInReach = false
    const rows = this.#hasPolygons ? this.#rowsContaining(at, acceptsAll) : []
    return this.#invalidInReach ? null : rows
  }

  /** The features of a box. Invalid geometries are left out. */
  inBox(query: BoxQuery): BoxFeature[] {
    return rowsInBox(this.#index, query).flatMap((row) => this.featureAt(row) ?? [])
  }

  /** The feature of a row; null if it has no valid geometry. */
  featureAt(row: number): BoxFeature | null {
    const shape = this.#features.shape(row)
    return shape && { row, properties: this.#features.properties(row), geometry: geometryOfShape(shape) }
  }

  /** The rows from a position on, as `RowSource` describes them. */
  rowsFrom(position: number, box: Extent | null, limit: number): RowPosition[] {
    if (box) return rowPositionsInBox(this.#index, { box, position, limit })
    return this.#features.rowsFrom(position, limit).map((row) => ({ row, next: row + 1 }))
  }

  /** Answers a query that does not only count. */
  match(query: Omit<FeatureQuery, 'count_only'>): FeatureMatches {
    this.#invalidInReach = false
    const matches = this.#find(query, (row, feature) => ({ row, feature }))
    return { matches, invalid: this.#invalidInReach }
  }

  /** Adds the area, because a field may read the smallest of several polygons that contain a point. */
  withArea(feature: Feature, row: number): Feature {
    return attributeOf(feature.properties, 'area') === undefined
      ? { ...feature, properties: { ...feature.properties, area: this.#features.area_m2(row) } }
      : feature
  }

  #find<T>(
    { at, radius_m, where, limit = Infinity, count_only, with_geometry }: FeatureQuery,
    resultOf: (row: number, feature: Feature) => T,
  ): T[] {
    const accepts = this.#acceptsOf(where)
    const featureOf = (row: number, distance_m: number): Feature => ({
      properties: count_only ? {} : this.#features.properties(row),
      distance_m,
      ...(with_geometry && { geometry: this.#geometryOf(row) }),
    })
    const inside = this.#hasPolygons ? this.#rowsContaining(at, accepts).slice(0, limit) : []
    if (radius_m === 0 && inside.length > 1)
      return inside.map((row) => resultOf(row, this.withArea(featureOf(row, 0), row)))
    const results = inside.map((row) => resultOf(row, featureOf(row, 0)))
    if (radius_m === 0) return results
    if (results.length < limit)
      this.#visitNearest(at, { radius_m, limit, accepts, inside }, (row, distance_m, fraction) => {
        const feature = featureOf(row, distance_m)
        results.push(resultOf(row, fraction === undefined ? feature : { ...feature, fraction }))
        return results.length
      })
    return results
  }

  /** Returns one empty feature for each match. The caller reads only the count. */
  #countMatches({ at, radius_m, where }: FeatureQuery): Feature[] {
    const accepts = this.#acceptsOf(where)
    const from = xyzOf(at)
    const point = canonicalPoint(at)
    const { featureIdOf } = this.#features
    const countedIds = new Set<number>()
    let count = 0
    visitRowsWithin(this.#index, at, radius_m, (row, isWithin) => {
      const shape = this.#readShape(row)
      if (!shape || (featureIdOf && countedIds.has(featureIdOf(row))) || !accepts(row)) return
      if (!isWithin && !(this.#hasPolygons && shapeContains(shape, point)) && !isNear(shape, at, from, radius_m)) return
      if (featureIdOf) countedIds.add(featureIdOf(row))
      count++
    })
    if (count > maxFeatures) throw this.#tooLargeError()
    return Array.from({ length: count }, () => emptyFeature)
  }

  #acceptsOf(where: string | undefined): (row: number) => boolean {
    if (where === undefined) return acceptsAll
    const passes = this.#conditionFor(where)
    return (row) => passes(this.#features.properties(row))
  }

  #rowsContaining(at: Point, accepts: (row: number) => boolean): number[] {
    const point = canonicalPoint(at)
    const rows: number[] = []
    let positions = 0
    visitRowsAt(this.#index, point, (row) => {
      const shape = this.#readShape(row)
      positions += shape?.starts.at(-1) ?? 0
      if (positions > maxPositions)
        throw new UpstreamError(
          'too_large',
          `The polygons of ${this.#name} around the point have more than ${maxPositions.toLocaleString('en-US')} positions. To divide them, build the pack with \`fieldstone pack build\` without --whole.`,
        )
      if (shape && shapeContains(shape, point) && accepts(row)) rows.push(row)
      if (rows.length > maxContaining)
        throw new UpstreamError(
          'too_large',
          `More than ${maxContaining} features of ${this.#name} contain the point. Remove duplicate features.`,
        )
    })
    rows.sort((a, b) => a - b)
    const { featureIdOf } = this.#features
    return featureIdOf && rows.length > 1 ? [...new Map(rows.map((row) => [featureIdOf(row), row])).values()] : rows
  }

  #visitNearest(
    at: Point,
    {
      radius_m,
      limit,
      accepts,
      inside,
    }: { radius_m: number; limit: number; accepts: (row: number) => boolean; inside: number[] },
    visit: (row: number, distance_m: number, fraction: number | undefined) => number,
  ): void {
    const from = xyzOf(at)
    const { featureIdOf } = this.#features
    const seenIds = new Set(featureIdOf ? inside.map(featureIdOf) : inside)
    const fractions = new Map<number, () => number | undefined>()
    visitNearestRows(this.#index, at, {
      reach_m: radius_m,
      limit: limit - inside.length,
      featureIdOf,
      measure: (row, reach_m) => {
        const shape = this.#readShape(row)
        if (!shape || seenIds.has(featureIdOf ? featureIdOf(row) : row) || !accepts(row)) return null
        const measurement = measureShape(shape, at, from, reach_m)
        if (measurement && limit === 1) fractions.set(row, measurement.fraction)
        return measurement && measurement.distance_m
      },
      onFound: (row, distance_m) => {
        if (featureIdOf && seenIds.has(featureIdOf(row))) return true
        if (featureIdOf) seenIds.add(featureIdOf(row))
        const count = visit(row, distance_m, fractions.get(row)?.())
        if (count > maxFeatures) throw this.#tooLargeError()
        return count < limit
      },
    })
  }

  #readShape(row: number): PackShape | null {
    const shape = this.#features.shape(row)
    if (!shape && this.#features.isInvalid(row)) this.#invalidInReach = true
    return shape
  }

  #tooLargeError(): UpstreamError {
    return new UpstreamError('too_large', `More than ${maxFeatures} features of ${this.#name} are within the radius.`)
  }

  /** Of a feature that is stored in pieces, only the piece of the row. */
  #geometryOf(row: number): Geometry {
    const shape = this.#features.shape(row)
    return shape ? geometryOfShape(shape) : { points: [], lines: [], polygons: [] }
  }

  /**
   * There are few conditions, because they come from the catalog. A condition that contains the year changes every
   * year.
   */
  #conditionFor(where: string): (properties: Properties) => boolean {
    const cached = this.#conditions.get(where)
    if (cached) return cached
    const condition = compileCondition(where)
    if (this.#conditions.size >= maxConditions) this.#conditions.clear()
    this.#conditions.set(where, condition)
    return condition
  }
}

/** The error of a query that found nothing but an invalid geometry: it is not known whether there is nothing. */
export function invalidGeometryError(layer: string): UpstreamError {
  return new UpstreamError(
    'bad_value',
    `The pack has an invalid geometry in ${layer} here. Build the pack again from the publisher's file.`,
  )
}

function acceptsAll(): boolean {
  return true
}

/** Stands for a feature that is only counted. */
const emptyFeature: Feature = { properties: {}, distance_m: 0 }

/** Longitudes 180 and -180 are the same meridian. */
function canonicalPoint(at: Point): Point {
  return at.lng === 180 ? { lat: at.lat, lng: -180 } : at
}

function isNear(shape: PackShape, at: Point, from: Xyz, radius_m: number): boolean {
  const measurement = measureShape(shape, at, from, radius_m)
  return measurement !== null && measurement.distance_m <= radius_m
}
