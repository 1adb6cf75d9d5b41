import type { Database } from 'bun:sqlite'
import type { Point } from '../model/place.ts'
import { pluralize } from '../model/pluralize.ts'
import type { Feature, FeatureQuery } from '../model/source.ts'
import type { DegreeBox } from './box-distance.ts'
import { nodeBounds, createRtreeIndex, createMemoryIndex, type BoxIndex, type BoxNode } from './box-index.ts'
import type { ByteCache } from './byte-cache.ts'
import { quoteIdentifier, type PackTableInfo } from './geopackage-file.ts'
import { LayerSearch } from './layer-search.ts'
import { resolveColumns } from './pack-columns.ts'
import { openPackFeatures, type PackFeatures } from './pack-features.ts'
import { boxInDegrees, unprojectOf } from './pack-projection.ts'
import { PackError } from './pack-error.ts'
import type { Unproject } from './pack-shape.ts'
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
  const columns = resolveColumns(table, requirements.attributes, requirements.renames)
  const features = openPackFeatures(db, table, { columns, unproject }, cache)
  const nodes = cache.openPartition<BoxNode>()
  const rawIndex = table.rtree
    ? createRtreeIndex(db, table.rtree, nodes, unproject)
    : buildIndex(db, table, features, unproject)
  const outOfRange = unproject ? null : findOutOfRange(rawIndex, table.rows)
  const bounds = outOfRange?.bounds ?? indexBounds(rawIndex)
  if (outOfRange?.isMajority)
    throw new PackError(
      `The layer ${name} declares coordinates in degrees (${geometry.srs?.srs_name}), but ${describeExtent(indexBounds(rawIndex))}. The declared coordinate system (CRS) is wrong.`,
    )
  const index = outOfRange?.first ? clampToPoles(rawIndex) : rawIndex
  const search = new LayerSearch(name, features, index, hasPolygons)
  return {
    query: (featureQuery) => translateReadErrors(name, () => search.query(featureQuery)),
    boundsContain: ({ lat, lng }) =>
      lat >= bounds.south &&
      lat <= bounds.north &&
      [lng, lng - 360, lng + 360].some((x) => x >= bounds.west && x <= bounds.east),
    invalidCount: () => features.invalidCount(),
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
      `The layer ${name} has up to ${rows} features but no R-tree. Without an R-tree, the maximum is ${maxUnindexedRows} features. Rebuild the file with \`fieldstone pack build\`, or create a spatial index in QGIS.`,
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
