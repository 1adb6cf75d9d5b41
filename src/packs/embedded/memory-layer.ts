import {
  createIncrementalTask,
  type IncrementalTask,
  type TaskSteps,
  type YieldToEventLoop,
} from '../../async/incremental-task.ts'
import { CellIndex } from '../../geo/cell-index.ts'
import { arcToChord_m, chordToArc_m, xyzOf } from '../../geo/ecef.ts'
import { buildEdgeIndex, EdgeIndex, type EdgeIndexArrays } from '../../geo/edge-index.ts'
import { geometryOfFeature, type FlatGeometries } from '../../geo/flat-geometries.ts'
import { pointInside } from '../../geo/representative-point.ts'
import type { AreaFeature, AreaQuery } from '../../model/area.ts'
import type { Point } from '../../model/place.ts'
import type { Feature, FeatureQuery, Geometry, Properties, Value } from '../../model/source.ts'
import {
  buildFilter,
  snapTolerancesOf,
  type FilterArrays,
  type LayerIndexes,
  type LayerLayout,
} from './embedded-layout.ts'
import { createFlatBoxSource, createRingIndex, type BoxSource } from '../layer/features-in-box.ts'
import { memoryFeaturesInExtent } from '../layer/layer-area.ts'
import { LayerColumns } from '../layer/layer-columns.ts'

/** A layer in memory, usually a mapped file. Its arrays are read in place. */
export type MemoryLayer = {
  /**
   * Returns the features that contain the point, then those within the radius, nearest first. Prepares for the query if
   * that is not done.
   */
  query(query: FeatureQuery): Feature[]
  /** Returns a search for the feature of a query at many points. Prepares for the query if that is not done. */
  rowSearch(query: Omit<FeatureQuery, 'at'>): RowSearch
  /**
   * Null if the layer is ready for such a query. Otherwise evaluates the condition, builds the index of the edges of
   * polygons, and resolves when it is ready.
   */
  prepare(query: Pick<FeatureQuery, 'radius_m' | 'where'>): Promise<void> | null
  /** Returns the features that touch an extent, cut at it. Needs no index of edges. */
  featuresIn(query: AreaQuery): AreaFeature[]
  /** The number of features. */
  features: number
  /** The attributes of the feature at this position. The object is shared, so do not change it. */
  propertiesAt(row: number): Properties
  /** Lists the features by box. */
  boxes: BoxSource
  /** One attribute of a feature; undefined if the layer has no such column. */
  valueAt(row: number, name: string): Value | undefined
  /** The geometry of a feature. */
  geometryAt(row: number): Geometry
  /** The features whose text in a column is one of these, in any ASCII case. A polygon has a point inside it. */
  pointsWithText(column: string, texts: readonly string[]): { at: Point; properties: Properties }[]
}

/** Finds the feature of a query without creating objects. */
export type RowSearch = {
  /** Returns the row of the feature at a point; `noRow` if there is none, `severalRows` if there may be several. */
  find(lat: number, lng: number): number
  /** The distance of the feature that was found last. */
  distance_m: number
}

export const noRow = -1
export const severalRows = -2

type Filter = { accepts: Uint8Array; edges: EdgeIndex | null }
type LayerSearch = {
  columns: LayerColumns
  shapes: FlatGeometries
  polygons: CellIndex | null
  edges: IncrementalTask<EdgeIndex>
  snap: { edges: EdgeIndex; tolerances_m: ReadonlyMap<number, number>; maxTolerance_m: number } | null
}

/** Opens a layer. The conditions of queries are evaluated in time slices of `loopTurn`. */
export function openMemoryLayer(layout: LayerLayout, indexes: LayerIndexes, loopTurn: YieldToEventLoop): MemoryLayer {
  const columns = new LayerColumns(layout.columns, layout.features)
  const tolerances_m = snapTolerancesOf(layout)
  const search: LayerSearch = {
    columns,
    shapes: layout.shapes,
    polygons: layout.cells && new CellIndex(layout.shapes, indexes.rows!, layout.cells),
    edges: createIncrementalTask(() => openEdges(layout.shapes, indexes.edges), loopTurn),
    snap: indexes.snapEdges && {
      edges: new EdgeIndex(indexes.snapEdges),
      tolerances_m,
      maxTolerance_m: Math.max(...tolerances_m.values()),
    },
  }
  if (indexes.edges) search.edges.runSync()
  const findContaining = memoizeContaining(search)
  const prepared = new Map(layout.conditions.map((where, i) => [where, indexes.filters[i]!]))
  const filters = new Map<string, IncrementalTask<Filter>>()
  const rings = createRingIndex(layout.shapes, indexes.boxes)
  const propertiesAt = (row: number) => columns.at(row)
  return {
    features: layout.features,
    query(query) {
      const filter = query.where === undefined ? null : filterFor(query.where).runSync()
      return findFeatures(search, findContaining(query.at.lat, query.at.lng), filter, query)
    },
    rowSearch(query) {
      const filter = query.where === undefined ? null : filterFor(query.where).runSync()
      return createRowSearch({ ...search, findContaining }, filter, query)
    },
    prepare({ radius_m, where }) {
      const filter = where === undefined ? null : filterFor(where)
      const edges = radius_m === 0 ? null : search.edges
      if ((filter?.isDone() ?? true) && (edges?.isDone() ?? true)) return null
      return runBoth(filter, edges)
    },
    featuresIn: ({ extent, where }) =>
      memoryFeaturesInExtent(
        { shapes: layout.shapes, rings, cells: search.polygons, propertiesAt },
        extent,
        where === undefined ? null : filterFor(where).runSync().accepts,
      ),
    propertiesAt,
    boxes: createFlatBoxSource(layout.shapes, rings, propertiesAt),
    valueAt: (row, name) => columns.valueAt(row, name),
    geometryAt: (row) => geometryOfFeature(layout.shapes, row),
    pointsWithText: (column, texts) =>
      columns
        .rowsWithText(column, texts)
        .map((row) => ({ at: pointOf(geometryOfFeature(layout.shapes, row)), properties: columns.at(row) })),
  }

  /** Evaluates a condition that was not prepared on first use. There are few, because they come from the catalog. */
  function filterFor(where: string): IncrementalTask<Filter> {
    const cached = filters.get(where)
    if (cached) return cached
    const arrays = prepared.get(where)
    const filter = createIncrementalTask(function* () {
      return openFilter(arrays ?? (yield* buildFilter(layout, columns, where)))
    }, loopTurn)
    if (arrays) filter.runSync()
    filters.set(where, filter)
    return filter
  }
}

/** The point of a feature, or one inside its polygons. */
function pointOf({ points: [point], polygons }: Geometry): Point {
  if (point) return { lat: point[1], lng: point[0] }
  return pointInside(polygons.flat().map((ring) => ring.flatMap(([lng, lat]) => [lng, lat])))
}

async function runBoth(first: IncrementalTask<unknown> | null, second: IncrementalTask<unknown> | null): Promise<void> {
  await first?.run()
  await second?.run()
}

/** Opens the index of edges, or builds it. */
function* openEdges(shapes: FlatGeometries, edges: EdgeIndexArrays | null): TaskSteps<EdgeIndex> {
  return new EdgeIndex(edges ?? (yield* buildEdgeIndex(shapes, () => true)))
}

function openFilter({ accepts, edges }: FilterArrays): Filter {
  return { accepts, edges: edges && new EdgeIndex(edges) }
}

/** The points whose features are remembered: several times those of a block. */
const rememberedPoints = 8192

/**
 * One request queries a layer for the same point several times: for its jurisdiction, its coverage and its values. A
 * block does so for each of its points.
 */
function memoizeContaining({ polygons }: LayerSearch): FindContaining {
  if (!polygons) return () => noRows
  const lats = new Float64Array(rememberedPoints).fill(NaN)
  const lngs = new Float64Array(rememberedPoints)
  const containing = Array.from({ length: rememberedPoints }, () => noRows)
  return (lat, lng) => {
    const slot = (Math.imul(lat * 1e6, 31) ^ (lng * 1e6)) & (rememberedPoints - 1)
    if (lats[slot] === lat && lngs[slot] === lng) return containing[slot]!
    lats[slot] = lat
    lngs[slot] = lng
    return (containing[slot] = polygons.featuresContaining(lat, lng))
  }
}

type FindContaining = (lat: number, lng: number) => readonly number[]

/** `containing`: the features that contain the point, whether they pass the filter or not. */
function findFeatures(
  search: LayerSearch,
  containing: readonly number[],
  filter: Filter | null,
  query: FeatureQuery,
): Feature[] {
  const { radius_m, limit = Infinity } = query
  const candidates = containing.length === 0 ? snapToPolygon(search, query.at) : containing
  const inside = filter ? candidates.filter((row) => filter.accepts[row] === 1) : candidates
  const features: Feature[] = []
  for (const row of inside) if (features.length < limit) features.push(featureOf(search, row, 0, query.with_geometry))
  if (radius_m > 0 && features.length < limit) addNearest(search, filter, query, inside, features)
  return features
}

/** Adds the features within the radius to those inside, nearest first, up to the limit. */
// oxlint-disable-next-line max-params -- A query is answered millions of times an hour, and a record would be garbage.
function addNearest(
  search: LayerSearch,
  filter: Filter | null,
  { at, radius_m, limit = Infinity, with_geometry }: FeatureQuery,
  inside: readonly number[],
  features: Feature[],
): void {
  const add = (row: number, distance2: number) =>
    features.push(featureOf(search, row, chordToArc_m(Math.sqrt(distance2)), with_geometry))
  const maxDistance2 = arcToChord_m(radius_m) ** 2
  if (inside.length === 0 && limit === 1) {
    const edges = filter?.edges ?? search.edges.runSync()
    const row = edges.nearest(xyzOf(at), { maxDistance2, accepts: filter?.edges ? null : (filter?.accepts ?? null) })
    if (row >= 0) add(row, edges.distance2)
    return
  }
  const seen = new Set(inside)
  search.edges
    .runSync()
    .visitNearest(xyzOf(at), { maxDistance2, accepts: filter?.accepts ?? null }, (row, distance2) => {
      if (!seen.has(row)) add(row, distance2)
      seen.add(row)
      return features.length < limit
    })
}

/** The same as the first feature of `findFeatures`, if that is the only one. */
function createRowSearch(
  search: LayerSearch & { findContaining: FindContaining },
  filter: Filter | null,
  { radius_m, limit }: Omit<FeatureQuery, 'at'>,
): RowSearch {
  const edges = radius_m > 0 ? (filter?.edges ?? search.edges.runSync()) : null
  const edgeSearch = {
    maxDistance2: arcToChord_m(radius_m) ** 2,
    accepts: filter?.edges ? null : (filter?.accepts ?? null),
  }
  const rowSearch: RowSearch = {
    distance_m: 0,
    find(lat, lng) {
      rowSearch.distance_m = 0
      const containing = search.findContaining(lat, lng)
      const candidates = containing.length === 0 ? snapToPolygon(search, { lat, lng }) : containing
      const inside = filter ? candidates.filter((row) => filter.accepts[row] === 1) : candidates
      if (inside.length > 0) return inside.length === 1 || limit === 1 ? inside[0]! : severalRows
      if (!edges) return noRow
      if (limit !== 1) return severalRows
      const row = edges.nearest(xyzOf({ lat, lng }), edgeSearch)
      if (row >= 0) rowSearch.distance_m = chordToArc_m(Math.sqrt(edges.distance2))
      return row < 0 ? noRow : row
    },
  }
  return rowSearch
}

const noRows: readonly number[] = []

function featureOf({ columns, shapes }: LayerSearch, row: number, distance_m: number, with_geometry?: true): Feature {
  const properties = columns.at(row)
  return with_geometry
    ? { properties, distance_m, geometry: geometryOfFeature(shapes, row) }
    : { properties, distance_m }
}

/** The nearest polygon whose tolerance reaches the point. Call it if no polygon contains the point. */
function snapToPolygon({ snap }: LayerSearch, at: Point): readonly number[] {
  if (!snap) return noRows
  const nearest: number[] = []
  const maxDistance2 = arcToChord_m(snap.maxTolerance_m) ** 2
  snap.edges.visitNearest(xyzOf(at), { maxDistance2, accepts: null }, (row, distance2) => {
    if (chordToArc_m(Math.sqrt(distance2)) <= snap.tolerances_m.get(row)!) nearest.push(row)
    return nearest.length === 0
  })
  return nearest
}
