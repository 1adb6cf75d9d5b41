import type { Point } from './place.ts'

/** One plain value; null means that there is no value here. */
export type Value = string | number | boolean | null
/** Plain values by name. */
export type Properties = Record<string, Value>

/** WGS 84 degrees in the order of GeoJSON and Esri JSON. */
export type Position = readonly [lng: number, lat: number]

/** The geometry of a feature. A polygon is a list of rings, outer rings and holes, with the even-odd rule. */
export type Geometry = { points: Position[]; lines: Position[][]; polygons: Position[][][] }

/**
 * A vector feature and its distance from the query point; 0 when the point is inside it. `fraction` is the position of
 * the nearest point on a line, from 0 (start) to 1 (end); only some sources set it. `geometry`: only when the query
 * asks for it, and only from sources that have it.
 */
export type Feature = { properties: Properties; distance_m: number; fraction?: number; geometry?: Geometry }

/** A window of cells, row by row from the northwest; null where the raster has no data. */
export type Grid = {
  width: number
  height: number
  /** Position of the point in cells from the northwest corner. The first cell spans 0 to 1; its center is 0.5. */
  at_x: number
  at_y: number
  cells: (number | null)[]
  /** Ground distance between neighboring cells at the point, in meters. Rasters of codes may omit it. */
  cell_x_m?: number
  cell_y_m?: number
  /** Direction of the columns (upward) at the point, in degrees clockwise from true north. Default: 0. */
  up_degrees?: number
  /** Cells per value inside the query circle, from sources that count themselves; `cells` may then be empty. */
  counts?: Record<string, number>
  /** The year of the data, from sources whose editions are counted back from the newest. */
  year?: number
  /** The day on which the file of the cells last changed, YYYY-MM-DD, from hosts that state it. */
  modified?: string
}

/**
 * Where an answer came from: `hit` is the cache, `miss` is the source. `stale` is an expired cache entry that replaces
 * the answer of a source that failed with `failure`. `fetched_ms`: when the source answered, since 1970.
 */
export type Freshness = { fetched_ms: number } & (
  { cache: 'hit' | 'miss' } | { cache: 'stale'; age_s: number; failure: Error }
)

/** The limits of one query, and the callbacks of its caller. Every function that waits takes one. */
export type Budget = {
  signal: AbortSignal
  /** Receives the freshness of the answer. */
  onFreshness?: (freshness: Freshness) => void
  /** Deadline on the clock of `performance.now()`. */
  until_ms?: number
  onBilledCall?: OnBilledCall
}

/** Records a call that its provider bills, before it is made. When it throws, the call is not made. */
export type OnBilledCall = (source: string) => Promise<void>

/** A source is a function from a query to data. Data in memory is returned without a promise. */
type Source<Query, Data> = (query: Query, budget: Budget) => Data | Promise<Data>

/**
 * Asks for the features within a radius, nearest first, at most `limit`. Radius 0 asks for the features that contain
 * the point. `where` is an SQL condition. `level` selects a layer of a dataset that has one per level. With
 * `count_only` the caller reads only the number of features, `with_geometry` also their geometry.
 */
export type FeatureQuery = {
  at: Point
  radius_m: number
  where?: string
  limit?: number
  level?: number
  count_only?: true
  with_geometry?: true
}

/**
 * Asks for a window that extends at least `radius_cells` cells, and `radius_m` meters when given, in every direction
 * from the cell of the point. `edition` 0 is the newest, -1 the one before. `level` selects one of several rasters of a
 * dataset, such as a storm category.
 */
export type RasterQuery = { at: Point; radius_cells: number; radius_m?: number; edition?: number; level?: number }

/** Asks for the record of a point or a key. With `with_geometry`, local features have their geometry, as in GeoJSON. */
export type DocumentQuery = { at: Point; key?: string; with_geometry?: true }

/** The three shapes of data, each with its query. Drivers create sources and operators read them, independently. */
export type Sources = {
  features: Source<FeatureQuery, Feature[]>
  raster: Source<RasterQuery, Grid>
  document: Source<DocumentQuery, unknown>
}
/** One of the three shapes of data. */
export type Shape = keyof Sources
/** A source of any shape. */
export type AnySource = Source<never, unknown>
