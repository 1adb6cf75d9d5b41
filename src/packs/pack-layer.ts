import type { Database } from 'bun:sqlite'
import { xyzOf, type Xyz } from '../geo/ecef.ts'
import { attributeOf } from '../geo/attribute.ts'
import { compileCondition } from '../geo/sql-condition.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { pluralize } from '../model/pluralize.ts'
import type { Feature, FeatureQuery, Properties } from '../model/source.ts'
import type { DegreeBox } from './box-distance.ts'
import { nodeBounds, createRtreeIndex, createMemoryIndex, type BoxIndex, type BoxNode } from './box-index.ts'
import { visitNearestRows, visitRowsAt, visitRowsWithin } from './box-search.ts'
import type { ByteCache } from './byte-cache.ts'
import { quoteIdentifier, type PackTableInfo } from './geopackage-file.ts'
import { resolveColumns } from './pack-columns.ts'
import { openPackFeatures, type PackFeatures } from './pack-features.ts'
import { measureShape } from './pack-measure.ts'
import { boxInDegrees, unprojectOf } from './pack-projection.ts'
import { PackError } from './pack-error.ts'
import { shapeContains, type PackShape, type Unproject } from './pack-shape.ts'
import { clampToPoles, findOutOfRange } from './out-of-range.ts'
import { translateReadErrors } from './read-errors.ts'

/** A layer of a GeoPackage on disk. */
export type PackLayer = {
  /** Returns the features that contain the point, in table order, then those within the radius, nearest first. */
  query(query: FeatureQuery): Feature[]
  /** Whether the point is in the bounds of the layer. */
  boundsContain(at: Point): boolean
  /** The number of invalid geometries found so far; queries skip them. */
  invalidCount(): number
  notes: string[]
  close(): void
}

/** What the catalog requires of a layer. */
export type LayerRequirements = {
  attributes: readonly string[]
  /** Column names in the file, by attribute in lower case. */
  renames: ReadonlyMap<string, string>
  needsPolygons: boolean
}

/**
 * Opens a layer. Reads no features unless it has to build a missing R-tree in memory.
 * @throws PackError if the layer cannot be served.
 */
export function openPackLayer(
  db: Database,
  table: PackTableInfo,
  requirements: LayerRequirements,
  cache: ByteCache,
): PackLayer {
  const { geometry, name } = table
  if (!geometry) throw new PackError(`${name} is a table without geometry. Expected a layer of features.`)
  const hasPolygons = !/POINT|LINE/.test(geometry.type)
  if (requirements.needsPolygons && !hasPolygons)
    throw new PackError(`The layer ${name} has geometries of type ${geometry.type}. Expected polygons.`)
  const unproject = unprojectOf(geometry.srs, name)
  const features = openPackFeatures(
    db,
    table,
    resolveColumns(table, requirements.attributes, requirements.renames),
    unproject,
    cache,
  )
  const nodes = cache.openPartition<BoxNode>()
  const rawIndex = table.rtree
    ? createRtreeIndex(db, table.rtree, nodes, unproject)
    : buildIndex(db, table, features, unproject)
  const outOfRange = unproject ? null : findOutOfRange(rawIndex, table.rows)
  const bounds = outOfRange?.bounds ?? indexBounds(rawIndex)
  if (outOfRange?.isMajority)
    throw new PackError(
      `The layer ${name} declares coordinates in degrees (${geometry.srs?.srs_name}), but ${describeExtent(indexBounds(rawIndex))}. Its coordinate system (CRS) is a different one.`,
    )
  const index = outOfRange?.first ? clampToPoles(rawIndex) : rawIndex
  const { featureIdOf } = features
  const conditions = new Map<string, (properties: Properties) => boolean>()
  return {
    query: (featureQuery) => translateReadErrors(name, () => query(featureQuery)),
    boundsContain: ({ lat, lng }) =>
      lat >= bounds.south &&
      lat <= bounds.north &&
      [lng, lng - 360, lng + 360].some((x) => x >= bounds.west && x <= bounds.east),
    invalidCount: features.invalidCount,
    notes: [
      ...(outOfRange?.first
        ? [
            `${pluralize(outOfRange.count, 'feature')} of ${name} ${outOfRange.count === 1 ? 'is' : 'are'} skipped because the coordinates are not on the earth. In the first, row ${outOfRange.first.row}, ${describeExtent(outOfRange.first.box)}.`,
          ]
        : []),
      ...(table.rtree
        ? []
        : [
            `The layer ${name} has no R-tree, so one was built in memory. \`fieldstone pack build\` writes one into the file.`,
          ]),
    ],
    close() {
      nodes.close()
      features.close()
    },
  }

  function query({ at, radius_m, where, limit = Infinity, count_only }: FeatureQuery): Feature[] {
    const passes = where === undefined ? null : conditionFor(where)
    const accepts = (row: number) => passes === null || passes(features.properties(row))
    const featureOf = (row: number, distance_m: number): Feature => ({
      properties: count_only ? {} : features.properties(row),
      distance_m,
    })
    if (count_only && limit === Infinity) return countMatches(at, radius_m, accepts)
    const inside = hasPolygons ? rowsContaining(at, accepts).slice(0, limit) : []
    if (radius_m === 0) return inside.length > 1 ? inside.map(withArea) : inside.map((row) => featureOf(row, 0))
    const results = inside.map((row) => featureOf(row, 0))
    if (results.length < limit)
      visitNearest(at, { radius_m, limit, accepts, inside }, (row, distance_m, fraction) => {
        const feature = featureOf(row, distance_m)
        results.push(fraction === undefined ? feature : { ...feature, fraction })
        return results.length
      })
    return results
  }

  /** Returns one empty feature for each match. The caller reads only the count. */
  function countMatches(at: Point, radius_m: number, accepts: (row: number) => boolean): Feature[] {
    const from = xyzOf(at)
    const point = canonicalPoint(at)
    const countedIds = new Set<number>()
    let count = 0
    visitRowsWithin(index, at, radius_m, (row, isWithin) => {
      const shape = features.shape(row)
      if (!shape || (featureIdOf && countedIds.has(featureIdOf(row))) || !accepts(row)) return
      if (!isWithin && !(hasPolygons && shapeContains(shape, point)) && !isNear(shape, at, from, radius_m)) return
      if (featureIdOf) countedIds.add(featureIdOf(row))
      count++
    })
    if (count > maxFeatures) throw tooLargeError()
    return Array.from({ length: count }, () => emptyFeature)
  }

  function rowsContaining(at: Point, accepts: (row: number) => boolean): number[] {
    const point = canonicalPoint(at)
    const rows: number[] = []
    visitRowsAt(index, point, (row) => {
      const shape = features.shape(row)
      if (shape && shapeContains(shape, point) && accepts(row)) rows.push(row)
    })
    rows.sort((a, b) => a - b)
    return featureIdOf && rows.length > 1 ? [...new Map(rows.map((row) => [featureIdOf(row), row])).values()] : rows
  }

  function visitNearest(
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
    const seenIds = new Set(featureIdOf ? inside.map(featureIdOf) : inside)
    const fractions = new Map<number, () => number | undefined>()
    visitNearestRows(index, at, {
      reach_m: radius_m,
      limit: limit - inside.length,
      featureIdOf,
      measure(row, reach_m) {
        const shape = features.shape(row)
        if (!shape || seenIds.has(featureIdOf ? featureIdOf(row) : row) || !accepts(row)) return null
        const measurement = measureShape(shape, at, from, reach_m)
        if (measurement && limit === 1) fractions.set(row, measurement.fraction)
        return measurement && measurement.distance_m
      },
      onFound(row, distance_m) {
        if (featureIdOf && seenIds.has(featureIdOf(row))) return true
        if (featureIdOf) seenIds.add(featureIdOf(row))
        const count = visit(row, distance_m, fractions.get(row)?.())
        if (count > maxFeatures) throw tooLargeError()
        return count < limit
      },
    })
  }

  function tooLargeError(): UpstreamError {
    return new UpstreamError('too_large', `More than ${maxFeatures} features of ${name} are within the radius.`)
  }

  /** Adds the area, because a field may read the smallest of several polygons that contain a point. */
  function withArea(row: number): Feature {
    const properties = features.properties(row)
    return {
      properties:
        attributeOf(properties, 'area') === undefined ? { ...properties, area: features.area_m2(row) } : properties,
      distance_m: 0,
    }
  }

  /** Conditions come from the catalog, so there are few. Those that contain the year change with it. */
  function conditionFor(where: string): (properties: Properties) => boolean {
    const cached = conditions.get(where)
    if (cached) return cached
    const condition = compileCondition(where)
    if (conditions.size >= maxConditions) conditions.clear()
    conditions.set(where, condition)
    return condition
  }
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

const maxFeatures = 100_000
const maxConditions = 500
const maxUnindexedRows = 200_000
const envelope_bytes = 40

function buildIndex(
  db: Database,
  { name, rows, geometry }: PackTableInfo,
  features: PackFeatures,
  unproject: Unproject,
): BoxIndex {
  if (rows > maxUnindexedRows)
    throw new PackError(
      `The layer ${name} has no R-tree and up to ${rows} features. The maximum without an R-tree is ${maxUnindexedRows}. Rebuild the file with \`fieldstone pack build\`, or create a spatial index in QGIS.`,
    )
  const ids: number[] = []
  const boxes: number[] = []
  const headers = db.query(
    `SELECT rowid, substr(${quoteIdentifier(geometry!.column)}, 1, ${envelope_bytes}) FROM ${quoteIdentifier(name)}`,
  )
  for (const [id, head] of headers.values() as [number, unknown][]) {
    const box = envelopeOf(head, unproject) ?? features.shape(id)?.box
    if (!box) continue
    ids.push(id)
    boxes.push(box.west, box.east, box.south, box.north)
  }
  return createMemoryIndex(Float64Array.from(ids), Float64Array.from(boxes))
}

/** The box declared in the header of a geometry, or null. It saves reading the rest. */
function envelopeOf(head: unknown, unproject: Unproject): DegreeBox | null {
  if (!(head instanceof Uint8Array) || head.length < envelope_bytes || ((head[3]! >> 1) & 7) === 0 || head[3]! & 0x10)
    return null
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const [west, east, south, north] = [8, 16, 24, 32].map((at) => view.getFloat64(at, (head[3]! & 1) === 1)) as [
    number,
    number,
    number,
    number,
  ]
  if (!(west <= east && south <= north)) return null
  return unproject ? boxInDegrees(unproject, { west, east, south, north }) : { west, east, south, north }
}

function indexBounds(index: BoxIndex): DegreeBox {
  const [west, east, south, north] = nodeBounds(index.node(index.root, index.level))
  return { west, east, south, north }
}

function describeExtent({ west, east, south, north }: DegreeBox): string {
  return `x ranges from ${west} to ${east} and y from ${south} to ${north}`
}
