import type { Point } from './place.ts'
import type { Budget, Geometry, Grid, Properties } from './source.ts'

/** A box in WGS 84 degrees. A layer's box across the antimeridian has `east` above 180 or `west` below -180. */
export type Extent = { west: number; south: number; east: number; north: number }

/** A ring or a line: x, y, x, y, … in degrees. A ring need not repeat its first vertex. */
export type FlatPath = number[]

/**
 * A feature near an area, cut at the extent of the query. `key` is the same for the pieces of one feature. Each polygon
 * is a list of rings with the even-odd rule.
 */
export type AreaFeature = {
  key: number | string
  properties: Properties
  polygons: FlatPath[][]
  lines: FlatPath[]
  points: FlatPath
  /** The area of the complete feature in square meters, for layers that know it. */
  featureArea_m2?: () => number
}

/** A polygon (rings, outer rings clockwise) or lines that select features. It holds the area with a small margin. */
export type AreaFilter = { kind: 'polygon' | 'line'; paths: FlatPath[] }

/**
 * Asks for the features that touch an extent. `where` is an SQL condition; `level` as in `FeatureQuery`. `filter`: only
 * features that touch this, too, are needed, so that a service need not send the others.
 */
export type AreaQuery = { extent: Extent; where?: string; level?: number; filter?: AreaFilter }

/** A complete feature of a service. `key` is unique in the answer. */
export type KeyedFeature = { key: number | string; geometry: Geometry; properties: Properties }

/**
 * A layer that returns the features that touch an extent, in table order, cut at it. It returns a promise if they have
 * many positions, because it then reads them in several turns of the event loop.
 */
export type AreaLayer = { featuresIn(query: AreaQuery): AreaFeature[] | Promise<AreaFeature[]> }

/** A rectangle of cells. Rows are counted from the north. */
export type CellRect = { column: number; row: number; width: number; height: number }

/** The cells of a raster by column and row. */
export type CellSource = {
  width: number
  height: number
  /** The number of rows that are stored together. */
  rowsPerChunk: number
  /** The position of a point in cells from the north-west corner. */
  positionOf(at: Point): { x: number; y: number }
  /** The point at a position in cells from the north-west corner. */
  pointAt(position: { x: number; y: number }): Point
  /** Reads the cells of a rectangle. Cells outside the raster and without data are null. */
  read(rect: CellRect, budget: Budget): Promise<Grid>
}

/**
 * A piece of a raster: its cells, null where the publisher has no file, and the polygons in which they count; null:
 * everywhere.
 */
export type RasterPiece = { cells: CellSource | null; polygons: readonly FlatPath[][] | null }

/** Asks for the cells near an area. `level` selects one of several rasters of a dataset. */
export type CellQuery = { at: Point; extent: Extent; level?: number }

/** A source of features with their geometry. */
export type AreaSource = {
  features(query: AreaQuery, budget: Budget): AreaFeature[] | Promise<AreaFeature[]>
  /** The polygons in which the source can answer; null: wherever its dataset has coverage. */
  coverage: readonly FlatPath[][] | null
}
