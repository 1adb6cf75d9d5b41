import type { Database } from 'bun:sqlite'
import { runCoroutine, type MaybePromise } from '../../async/maybe-promise.ts'
import type { AreaQuery, Extent } from '../../model/area.ts'
import type { Point } from '../../model/place.ts'
import { pluralize } from '../../model/text.ts'
import type { Feature, FeatureQuery } from '../../model/source.ts'
import { nodeBounds, createRtreeIndex, createMemoryIndex, type BoxIndex, type BoxNode } from './box-index.ts'
import { spansLongitude } from './box-search.ts'
import { buildLayerIndex, type BuiltIndex } from './feature-boxes.ts'
import type { BoxSource, RowSource } from './features-in-box.ts'
import type { ByteCache } from './byte-cache.ts'
import type { PackTableInfo } from '../../files/geopackage/geopackage.ts'
import { packFeaturesInExtent, type RowInExtent } from './layer-area.ts'
import { LayerSearch, type FeatureMatches } from './layer-search.ts'
import { resolveColumns } from './pack-columns.ts'
import { PackFeatures } from './pack-features.ts'
import { unprojectOf } from './pack-projection.ts'
import { FileError } from '../../files/file-error.ts'
import { clampToPoles, findOutOfRange } from '../out-of-range.ts'
import { translateReadErrors } from '../read-errors.ts'

/** A layer of a GeoPackage on disk. */
export type PackLayer = BoxSource & {
  /** Returns the features that contain the point, in table order, then those within the radius, nearest first. */
  query(query: FeatureQuery): Feature[]
  /** Answers the same query with the row of each feature, to combine the layers of several files. */
  match(query: FeatureQuery): FeatureMatches
  /**
   * Returns the rows of the features that contain the point, or numbers that stand for them: where they are the same,
   * queries without a radius have equal answers, of the same vintage. null if a geometry in reach is invalid.
   */
  containingRows(at: Point): number[] | null
  /** Returns the features that touch an extent, in table order, cut at it, with the row of each. */
  featuresIn(query: AreaQuery): MaybePromise<RowInExtent[]>
  /** A text that is the same for copies of one feature in several files. `key` is the column that identifies it. */
  identityOf(row: number, key: string | null): string
  /** Adds the area in square meters to the properties of the feature of a row. */
  withArea(feature: Feature, row: number): Feature
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
  /** The box tree of a layer without an R-tree, if it is already built. */
  builtIndex?: BuiltIndex | undefined
}

/**
 * Opens a layer. Reads no features unless it has to build a missing box tree in memory.
 * @throws FileError if the layer cannot be served.
 */
export function openPackLayer(
  db: Database,
  table: PackTableInfo,
  { builtIndex, ...requirements }: LayerRequirements,
  cache: ByteCache,
): PackLayer {
  const { geometry, name } = table
  if (!geometry) throw new FileError(`${name} is a table without geometry. Expected a layer of features.`)
  const hasPolygons = !/POINT|LINE/.test(geometry.type)
  if (requirements.needsPolygons && !hasPolygons)
    throw new FileError(`The layer ${name} has geometries of type ${geometry.type}. Expected polygons.`)
  const unproject = unprojectOf(geometry.srs, name)
  const columns = resolveColumns(table, requirements.attributes, requirements.renames)
  const features = new PackFeatures(db, table, { columns, unproject }, cache)
  const nodes = cache.openPartition<BoxNode>()
  const built = table.rtree ? null : (builtIndex ?? buildLayerIndex(db, table))
  const rawIndex = built ? createMemoryIndex(built.tree) : createRtreeIndex(db, table.rtree!, nodes, unproject)
  const outOfRange = unproject ? null : findOutOfRange(rawIndex, table.rows)
  const bounds = outOfRange?.bounds ?? indexBounds(rawIndex)
  if (outOfRange?.isMajority)
    throw new FileError(
      `The layer ${name} declares coordinates in degrees (${geometry.srs?.srs_name}), but ${describeExtent(indexBounds(rawIndex))}. The declared coordinate system (CRS) is wrong.`,
    )
  const index = outOfRange?.first ? clampToPoles(rawIndex) : rawIndex
  const search = new LayerSearch(name, features, index, hasPolygons)
  const source: RowSource = {
    rowsFrom: (position, box, limit) => translateReadErrors(name, () => search.rowsFrom(position, box, limit)),
    featureAt: (row) => translateReadErrors(name, () => search.featureAt(row)),
  }
  return {
    query: (featureQuery) => translateReadErrors(name, () => search.query(featureQuery)),
    match: (featureQuery) => translateReadErrors(name, () => search.match(featureQuery)),
    containingRows: (at) => translateReadErrors(name, () => search.containingRows(at)),
    featuresIn: (areaQuery) =>
      translateReadErrors(name, () => runCoroutine(packFeaturesInExtent({ name, features, index }, areaQuery))),
    identityOf: (row, key) => translateReadErrors(name, () => features.identityOf(row, key)),
    withArea: (feature, row) => translateReadErrors(name, () => search.withArea(feature, row)),
    bounds,
    rows: table.rows,
    inBox: (boxQuery) => translateReadErrors(name, () => search.inBox(boxQuery)),
    sources: () => [source],
    boundsContain: ({ lat, lng }) =>
      lat >= bounds.south && lat <= bounds.north && spansLongitude(bounds.west, bounds.east, lng),
    invalidCount: () => features.invalidCount() + (built?.invalid ?? 0),
    notes: [
      ...(outOfRange?.first
        ? [
            `${pluralize(outOfRange.count, 'feature')} of ${name} ${outOfRange.count === 1 ? 'is skipped because its' : 'are skipped because their'} coordinates are out of range. The first is row ${outOfRange.first.row}: ${describeExtent(outOfRange.first.box)}.`,
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
}

function indexBounds(index: BoxIndex): Extent {
  const [west, east, south, north] = nodeBounds(index.node(index.root, index.level))
  return { west, east, south, north }
}

function describeExtent({ west, east, south, north }: Extent): string {
  return `x ranges from ${west} to ${east} and y from ${south} to ${north}`
}
