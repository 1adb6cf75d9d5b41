import { runToEnd, type TaskSteps } from '../../async/incremental-task.ts'
import { normalizeAttributeName } from '../../geo/attribute.ts'
import type { CellArrays } from '../../geo/cell-index.ts'
import { buildEdgeIndex, type EdgeIndexArrays } from '../../geo/edge-index.ts'
import type { FlatGeometries } from '../../geo/flat-geometries.ts'
import { buildRingRows, type RingRows } from '../../geo/polygon.ts'
import { compileCondition, namesInCondition } from '../../geo/text/sql-condition.ts'
import { encodeLayout, layoutBlocks } from './layout-file.ts'
import { indexRings } from '../layer/features-in-box.ts'
import { LayerColumns, type ColumnArrays } from '../layer/layer-columns.ts'
import type { GridArrays } from './memory-grid.ts'

/** The origin, license, edition and derivation of an embedded layer. */
export type EmbeddedLayerInfo = {
  layer: string
  title: string
  /** JSON: the data packages, each `{ name, version, file, sha256 }`. */
  packages: string
  publisher: string
  source_url: string
  license: string
  attribution: string | null
  vintage: string
  features: number
  derivation: string
}

/**
 * A layer of features. A polygon cut at the shoreline has the attribute `SNAP_M`. It also contains points within that
 * many meters that no other polygon contains.
 */
export type LayerLayout = {
  features: number
  columns: ColumnArrays[]
  shapes: FlatGeometries
  /** null without polygons. */
  cells: CellArrays | null
  /** The conditions of the catalog on this layer. Their filters are built in advance. */
  conditions: string[]
}

/** The features that pass a condition: 1 for each, and an index of these only, if they are few points. */
export type FilterArrays = { accepts: Uint8Array; edges: EdgeIndexArrays | null }

/**
 * What can be derived from a layer. `edges` is null for a layer of polygons: these are rarely asked for what is near,
 * and their edges would double the file.
 */
export type LayerIndexes = {
  /** null without polygons. */
  rows: RingRows | null
  edges: EdgeIndexArrays | null
  /** The edges of the polygons with a `SNAP_M`; null if there are none. */
  snapEdges: EdgeIndexArrays | null
  /** The boxes of the rings and lines, as `indexRings` packs them; null for a layer of points, which needs no reading. */
  boxes: Uint8Array | null
  /** The filters of the conditions, in their order. */
  filters: FilterArrays[]
}

/** The content of the file of embedded data. */
export type EmbeddedLayout = {
  manifest: EmbeddedLayerInfo[]
  layers: Record<string, LayerLayout>
  grids: Record<string, GridArrays>
  /** Common words of American English, in lower case. A line feed stands before and after each. */
  words: Uint8Array
}

/** The content with everything that the search reads. */
export type IndexedLayout = EmbeddedLayout & { indexes: Record<string, LayerIndexes> }

/** Returns the blocks of the file that the service maps into memory. Derives the indexes that are not packed. */
export function indexedBlocks(layout: EmbeddedLayout | IndexedLayout): Uint8Array[] {
  const indexes = Object.entries(layout.layers).map(([name, layer]) => {
    const packed = 'indexes' in layout ? layout.indexes[name]! : buildIndexes(layer)
    return [name, { ...packed, edges: packed.edges ?? edgesOf(layer), boxes: packed.boxes ?? boxesOf(layer) }]
  })
  return layoutBlocks({ ...layout, indexes: Object.fromEntries(indexes) } satisfies IndexedLayout)
}

/** Writes what the executable contains: the packed content, without what compresses badly and is derived quickly. */
export function encodePacked({ manifest, layers, grids, words, indexes }: IndexedLayout): Uint8Array<ArrayBuffer> {
  const fewer = Object.entries(indexes).map(([name, it]) => [name, { ...it, edges: null, boxes: null }])
  const content = { manifest, layers, grids, words, indexes: Object.fromEntries(fewer) } satisfies IndexedLayout
  return encodeLayout(content, { packed: true })
}

/** The tolerance of each polygon that is cut at the shoreline. */
export function snapTolerancesOf({ columns }: LayerLayout): Map<number, number> {
  const column = columns.find(({ name }) => name === 'SNAP_M')
  const tolerances_m = new Map<number, number>()
  if (column && 'values' in column)
    for (const [row, value] of column.values.entries()) if (value > 0) tolerances_m.set(row, value)
  return tolerances_m
}

/** Derives the indexes of a layer. */
export function buildIndexes(layer: LayerLayout): LayerIndexes {
  const tolerances_m = snapTolerancesOf(layer)
  const hasPolygons = layer.cells !== null
  const columns = new LayerColumns(layer.columns, layer.features)
  return {
    rows: hasPolygons ? buildRingRows(layer.shapes) : null,
    edges: edgesOf(layer),
    boxes: boxesOf(layer),
    snapEdges: tolerances_m.size === 0 ? null : runToEnd(buildEdgeIndex(layer.shapes, (row) => tolerances_m.has(row))),
    filters: layer.conditions.map((where) => runToEnd(buildFilter(layer, columns, where))),
  }
}

function edgesOf({ shapes, cells }: LayerLayout): EdgeIndexArrays | null {
  return cells ? null : runToEnd(buildEdgeIndex(shapes, () => true))
}

/** Rows to evaluate a condition for before the task may yield. */
const rowsPerStep = 256
/** Points get an index of their own if at most one of this many passes the condition. */
const minShareForIndex = 2

/** Evaluates a condition for every feature. @throws Error with the position of a syntax error. */
export function* buildFilter(
  { shapes, features }: LayerLayout,
  columns: LayerColumns,
  where: string,
): TaskSteps<FilterArrays> {
  const condition = compileCondition(where)
  const names = new Set(namesInCondition(where).map(normalizeAttributeName))
  const propertiesAt = columns.createReader((name) => names.has(normalizeAttributeName(name)))
  const accepts = new Uint8Array(features)
  let count = 0
  for (let row = 0; row < features; row++) {
    if (condition(propertiesAt(row))) count += accepts[row] = 1
    if (row % rowsPerStep === 0) yield
  }
  const hasOnlyPoints = shapes.coordinates.length / 2 === shapes.ringFeatures.length
  const isWorthAnIndex = hasOnlyPoints && count * minShareForIndex <= features
  return { accepts, edges: isWorthAnIndex ? yield* buildEdgeIndex(shapes, (row) => accepts[row] === 1) : null }
}

function boxesOf({ shapes }: LayerLayout): Uint8Array | null {
  const hasPointsOnly = shapes.coordinates.length === 2 * shapes.ringFeatures.length
  return hasPointsOnly ? null : new Uint8Array(indexRings(shapes).data)
}
