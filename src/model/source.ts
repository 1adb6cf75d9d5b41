import type { Point } from './place.ts'

/** One plain value; null is "no value here". */
export type Value = string | number | boolean | null
/** Plain values by their names. */
export type Properties = Record<string, Value>

/**
 * A vector feature and its distance from the point that was asked about (0 when the point is inside it).
 * `fraction`: of a line, where the nearest place on it lies, 0 at its start to 1 at its end, from a source that knows.
 */
export type Feature = { properties: Properties; distance_m: number; fraction?: number }

/** A window of cells, row by row from the north-west; `null` where the raster has no data. */
export type Grid = {
  width: number
  height: number
  /** Where the point lies, in cells from the north-west corner: the first cell reaches from 0 to 1, its centre is at 0.5. */
  at_x: number
  at_y: number
  cells: (number | null)[]
  /** True ground metres from one cell to the next at the point, eastward and southward; a raster of codes need not say. */
  cell_x_m?: number
  cell_y_m?: number
  /** Where the columns point upward at the point, clockwise from true north; without it, there. */
  up_degrees?: number
  /** How many cells of each value lie in the circle that was asked, from a source that counts itself; `cells` may then be empty. */
  counts?: Record<string, number>
  /** The year the cells are of, from a source that counts its editions back from its newest. */
  year?: number
}

/** How fresh an answer from another server is: from our cache, from the source, or from the cache though its time is up, since the source failed. */
export type Freshness = { cache: 'hit' | 'miss' } | { cache: 'stale'; age_s: number; failure: Error }

/**
 * What one question may spend. Everything that waits takes one. `seen`: who asks wants to know how fresh the answer is;
 * `until_ms`: when all of it must be over, by the monotonic clock; `billed`: who pays is told before a call that its provider bills.
 */
export type Budget = {
  signal: AbortSignal
  onFreshness?: (freshness: Freshness) => void
  until_ms?: number
  onBilledCall?: OnBilledCall
}

/** Writes down a call that its provider bills; the call is made after that, and not at all when it throws. */
export type OnBilledCall = (source: string) => Promise<void>

/** A source is a function: a question in, data out. */
type Source<Query, Data> = (query: Query, budget: Budget) => Promise<Data>

/**
 * Features within a radius, nearest first, at most `limit`; radius 0 asks what holds the point; `where` is a condition in SQL form.
 * `level`: one of the layers of a dataset that has one per level; `count_only`: only their number will be read.
 */
export type FeatureQuery = {
  at: Point
  radius_m: number
  where?: string
  limit?: number
  level?: number
  count_only?: true
}

/**
 * A window that reaches at least `radius_cells` cells, and `radius_m` metres when given, to every side of the cell that holds the point.
 * `edition`: the newest is 0, the one before it -1; `level`: one of several rasters of a dataset, such as the categories of a storm.
 */
export type RasterQuery = { at: Point; radius_cells: number; radius_m?: number; edition?: number; level?: number }

/**
 * The three shapes of data, and the one question each answers.
 * Drivers make these and operators use these; neither knows of the other.
 */
export type Sources = {
  features: Source<FeatureQuery, Feature[]>
  raster: Source<RasterQuery, Grid>
  document: Source<{ at: Point; key?: string }, unknown>
}
/** One of the three shapes of data. */
export type Shape = keyof Sources
/** A source of any shape, where the shape does not matter. */
export type AnySource = Source<never, unknown>
