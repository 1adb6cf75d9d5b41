import type { Database } from 'bun:sqlite'
import { xyzOf, type Xyz } from '../geo/ecef.ts'
import { attributeOf } from '../geo/attribute.ts'
import { compileCondition } from '../geo/sql-condition.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Feature, FeatureQuery, Properties } from '../model/source.ts'
import type { Box } from './box-bound.ts'
import { boundsOf, indexInFile, indexInMemory, type BoxIndex, type BoxNode } from './box-index.ts'
import { nearestRows, rowsAt, rowsWithin } from './box-search.ts'
import type { ByteCache } from './byte-cache.ts'
import { quoted, type PackTableFacts } from './geopackage-file.ts'
import { columnsOf } from './pack-columns.ts'
import { openFeatures, type PackFeatures } from './pack-features.ts'
import { measured } from './pack-measure.ts'
import { boxInDegrees, unprojectOf } from './pack-projection.ts'
import { PackRefused } from './pack-refused.ts'
import { holds, type PackShape, type Unproject } from './pack-shape.ts'
import { betweenPoles, straysOf } from './pack-strays.ts'
import { readably } from './readably.ts'

/** A layer of a GeoPackage on disk. */
export type PackLayer = {
  /** The features that hold the point, in the order of the table, then (for a radius) those within it, nearest first. */
  near(query: FeatureQuery): Feature[]
  /** Whether the point lies in the box round everything the layer has. */
  boxHolds(at: Point): boolean
  /** How many geometries could not be read so far; they are passed over. */
  broken(): number
  notes: string[]
  close(): void
}

/** What a layer is asked to have: the attributes that are read (`renamed`: by what names it has them), and whether it must have polygons. */
export type LayerWanted = { attributes: readonly string[]; renamed: ReadonlyMap<string, string>; polygons: boolean }

/** Opens a layer, reading no feature of it unless it has no R-tree. Refuses what cannot be served, with a sentence. */
export function openPackLayer(db: Database, table: PackTableFacts, wanted: LayerWanted, cache: ByteCache): PackLayer {
  const { geometry, name } = table
  if (!geometry) throw new PackRefused(`${name} is a table without geometry; a layer of features was expected.`)
  const hasPolygons = !/POINT|LINE/.test(geometry.type)
  if (wanted.polygons && !hasPolygons) throw new PackRefused(`The layer ${name} has geometries of the type ${geometry.type}; polygons were expected.`)
  const unproject = unprojectOf(geometry.srs, name)
  const features = openFeatures(db, table, columnsOf(table, wanted.attributes, wanted.renamed), unproject, cache)
  const nodes = cache.shelf<BoxNode>()
  const indexed = table.rtree ? indexInFile(db, table.rtree, nodes, unproject) : indexOfRows(db, table, features, unproject)
  const strays = unproject ? null : straysOf(indexed, table.rows)
  const bounds = strays?.bounds ?? boxOf(indexed)
  if (strays?.isMost) throw new PackRefused(`The layer ${name} says that it is in degrees (${geometry.srs?.srs_name}), and ${reached(boxOf(indexed))}: its coordinate system (CRS) is another.`)
  const index = strays?.first ? betweenPoles(indexed) : indexed
  const { wholeOf } = features
  const conditions = new Map<string, (properties: Properties) => boolean>()
  return {
    near: (query) => readably(name, () => near(query)),
    boxHolds: ({ lat, lng }) => lat >= bounds.south && lat <= bounds.north && [lng, lng - 360, lng + 360].some((x) => x >= bounds.west && x <= bounds.east),
    broken: features.broken,
    notes: [...(strays?.first ? [`${strays.count} of the features of ${name} ${strays.count === 1 ? 'does' : 'do'} not lie on the earth, and ${strays.count === 1 ? 'is' : 'are'} left out: of the first, row ${strays.first.row}, ${reached(strays.first.box)}.`] : []),
      ...(table.rtree ? [] : [`The layer ${name} has no R-tree, so one was built in memory; \`fieldstone pack build\` writes one into the file.`])],
    close() {
      nodes.close()
      features.close()
    },
  }

  function near({ at, radius_m, where, limit = Infinity, count_only }: FeatureQuery): Feature[] {
    const passes = where === undefined ? null : conditionFor(where)
    const accepts = (row: number) => passes === null || passes(features.properties(row))
    const featureOf = (row: number, distance_m: number): Feature => ({ properties: count_only ? {} : features.properties(row), distance_m })
    if (count_only && limit === Infinity) return counted(at, radius_m, accepts)
    const inside = hasPolygons ? holding(at, accepts).slice(0, limit) : []
    if (radius_m === 0) return inside.length > 1 ? inside.map(withArea) : inside.map((row) => featureOf(row, 0))
    const found = inside.map((row) => featureOf(row, 0))
    if (found.length < limit) around(at, { radius_m, limit, accepts, inside }, (row, distance_m, fraction) => {
      const feature = featureOf(row, distance_m)
      found.push(fraction === undefined ? feature : { ...feature, fraction })
      return found.length
    })
    return found
  }

  /** As many as there are, in no order: only their number will be read. */
  function counted(at: Point, radius_m: number, accepts: (row: number) => boolean): Feature[] {
    const from = xyzOf(at)
    const here = placeOnce(at)
    const wholes = new Set<number>()
    let count = 0
    rowsWithin(index, at, radius_m, (row, isWithin) => {
      const shape = features.shape(row)
      if (!shape || (wholeOf && wholes.has(wholeOf(row))) || !accepts(row)) return
      if (!isWithin && !(hasPolygons && holds(shape, here)) && !isNear(shape, at, from, radius_m)) return
      if (wholeOf) wholes.add(wholeOf(row))
      count++
    })
    if (count > mostFound) throw tooMany()
    return Array.from({ length: count }, () => one)
  }

  function holding(at: Point, accepts: (row: number) => boolean): number[] {
    const here = placeOnce(at)
    const rows: number[] = []
    rowsAt(index, here, (row) => {
      const shape = features.shape(row)
      if (shape && holds(shape, here) && accepts(row)) rows.push(row)
    })
    rows.sort((a, b) => a - b)
    return wholeOf && rows.length > 1 ? [...new Map(rows.map((row) => [wholeOf(row), row])).values()] : rows
  }

  function around(at: Point, { radius_m, limit, accepts, inside }: { radius_m: number; limit: number; accepts: (row: number) => boolean; inside: number[] }, put: (row: number, distance_m: number, fraction: number | undefined) => number): void {
    const from = xyzOf(at)
    const done = new Set(wholeOf ? inside.map(wholeOf) : inside)
    const fractions = new Map<number, () => number | undefined>()
    nearestRows(index, at, {
      reach_m: radius_m,
      limit: limit - inside.length,
      wholeOf,
      measure(row, reach_m) {
        const shape = features.shape(row)
        if (!shape || done.has(wholeOf ? wholeOf(row) : row) || !accepts(row)) return null
        const found = measured(shape, at, from, reach_m)
        if (found && limit === 1) fractions.set(row, found.fraction)
        return found && found.distance_m
      },
      found(row, distance_m) {
        if (wholeOf && done.has(wholeOf(row))) return true
        if (wholeOf) done.add(wholeOf(row))
        const count = put(row, distance_m, fractions.get(row)?.())
        if (count > mostFound) throw tooMany()
        return count < limit
      },
    })
  }

  function tooMany(): UpstreamError {
    return new UpstreamError('too_large', `More than ${mostFound} features of ${name} lie within the radius.`)
  }

  /** Where several polygons hold a point, a field may ask for the smallest. */
  function withArea(row: number): Feature {
    const properties = features.properties(row)
    return { properties: attributeOf(properties, 'area') === undefined ? { ...properties, area: features.area_m2(row) } : properties, distance_m: 0 }
  }

  /** Conditions come from the catalog, so there are few; those that name a year change with it. */
  function conditionFor(where: string): (properties: Properties) => boolean {
    const known = conditions.get(where)
    if (known) return known
    const condition = compileCondition(where)
    if (conditions.size >= mostConditions) conditions.clear()
    conditions.set(where, condition)
    return condition
  }
}

/** A feature of which nothing will be read. */
const one: Feature = { properties: {}, distance_m: 0 }

/** The antimeridian is one line with two names. */
function placeOnce(at: Point): Point {
  return at.lng === 180 ? { lat: at.lat, lng: -180 } : at
}

function isNear(shape: PackShape, at: Point, from: Xyz, radius_m: number): boolean {
  const found = measured(shape, at, from, radius_m)
  return found !== null && found.distance_m <= radius_m
}

const mostFound = 100_000
const mostConditions = 500
const mostIndexed = 200_000
const envelope_bytes = 40

function indexOfRows(db: Database, { name, rows, geometry }: PackTableFacts, features: PackFeatures, unproject: Unproject): BoxIndex {
  if (rows > mostIndexed) throw new PackRefused(`The layer ${name} has no R-tree and up to ${rows} features; without one at most ${mostIndexed} are served. Build it with \`fieldstone pack build\`, or make it in QGIS.`)
  const ids: number[] = []
  const boxes: number[] = []
  const begin = db.query(`SELECT rowid, substr(${quoted(geometry!.column)}, 1, ${envelope_bytes}) FROM ${quoted(name)}`)
  for (const [id, head] of begin.values() as [number, unknown][]) {
    const box = envelopeOf(head, unproject) ?? features.shape(id)?.box
    if (!box) continue
    ids.push(id)
    boxes.push(box.west, box.east, box.south, box.north)
  }
  return indexInMemory(Float64Array.from(ids), Float64Array.from(boxes))
}

/** The box that the head of a geometry says of it, where it says one: what follows need not be read. */
function envelopeOf(head: unknown, unproject: Unproject): Box | null {
  if (!(head instanceof Uint8Array) || head.length < envelope_bytes || ((head[3]! >> 1) & 7) === 0 || head[3]! & 0x10) return null
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const [west, east, south, north] = [8, 16, 24, 32].map((at) => view.getFloat64(at, (head[3]! & 1) === 1)) as [number, number, number, number]
  if (!(west <= east && south <= north)) return null
  return unproject ? boxInDegrees(unproject, west, east, south, north) : { west, east, south, north }
}

function boxOf(index: BoxIndex): Box {
  const [west, east, south, north] = boundsOf(index.node(index.root, index.level))
  return { west, east, south, north }
}

function reached({ west, east, south, north }: Box): string {
  return `its x reaches from ${west} to ${east}, its y from ${south} to ${north}`
}
