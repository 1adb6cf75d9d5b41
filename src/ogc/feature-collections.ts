/**
 * Features and answers in the forms of the OGC standards (Features, EDR, CoverageJSON). The routes are in
 * `src/http/ogc`.
 */
import type { TaskSteps } from '../async/incremental-task.ts'
import type { CatalogSnapshot } from '../fetch/catalog/catalog-state.ts'
import { listedOptionOf, type DatasetHandle, type SourceOption } from '../fetch/sources/source-registry.ts'
import { geoJsonOf, roundDegrees } from '../geo/text/geojson.ts'
import { geometryMeetsBox } from '../geo/meets-box.ts'
import { ApiError } from '../model/error.ts'
import type { Geometry, Position } from '../model/source.ts'
import { firstPosition, type BoxFeature, type RowSource } from '../packs/layer/features-in-box.ts'
import type { Extent } from '../model/area.ts'
import { unionOfExtents } from '../geo/boxes.ts'

/** The local features of a dataset as a collection of OGC API – Features. */
export interface FeatureCollection {
  handle: DatasetHandle
  option: SourceOption
  bounds: Extent
  /** The files that the features are read from. */
  sources: readonly RowSource[]
}

/** Where a page begins: the number of the file, and the position in it. */
export type PageStart = { source: number; position: number }

/** The start of the first page. */
export const firstPage: PageStart = { source: 0, position: firstPosition }

/** What a page has: features whose geometry has a point in common with the box, in the order of their files. */
export interface PageQuery {
  box: Extent | null
  limit: number
  start: PageStart
}

/** A page of features, each as JSON. `next` is null on the last page. */
export type FeaturePage = { features: string[]; next: PageStart | null }

/** A page ends when it is this long, so that large polygons do not fill the memory. */
const pageMax_characters = 4_194_304
/** A page ends after this many rows, also if few of them are in the box. */
const pageRowsMax = 20_000
const rowsPerRead = 100

/** Lists the collections that this server has now, in steps of one. The bounds of a layer take a while at first. */
export function* listFeatureCollections({ registry }: CatalogSnapshot): TaskSteps<FeatureCollection[]> {
  const collections: FeatureCollection[] = []
  for (const handle of registry.datasets()) {
    const collection = collectionOf(handle)
    if (collection) collections.push(collection)
    yield
  }
  return collections
}

/** Returns a collection by the id of its dataset. @throws {ApiError} `not_found` */
export function findFeatureCollection(id: string, { catalog, registry }: CatalogSnapshot): FeatureCollection {
  const collection = catalog.datasets.has(id) ? collectionOf(registry.dataset(id)) : null
  if (collection) return collection
  throw new ApiError(
    'not_found',
    `There is no collection ${JSON.stringify(id.slice(0, 100))}. Collections are embedded layers and packs of features. GET /ogc/collections lists them.`,
  )
}

function collectionOf(handle: DatasetHandle): FeatureCollection | null {
  const option = listedOptionOf(handle)
  if (!option) return null
  const layers = option.boxes!()
  return {
    handle,
    option,
    bounds: unionOfExtents(layers.map(({ bounds }) => bounds)),
    sources: layers.flatMap((layer) => layer.sources()),
  }
}

/** Reads a page, in steps of one feature. */
export function* readFeaturePage(
  { sources }: FeatureCollection,
  { box, limit, start }: PageQuery,
): TaskSteps<FeaturePage> {
  const features: string[] = []
  let { source, position } = start
  let characters = 0
  let rows = 0
  const isFull = () => features.length >= limit || characters >= pageMax_characters || rows >= pageRowsMax
  while (source < sources.length && !isFull()) {
    const found = sources[source]!.rowsFrom(position, box, rowsPerRead)
    for (const { row, next } of found) {
      if (isFull()) break
      position = next
      rows++
      const feature = sources[source]!.featureAt(row)
      if (feature && (!box || geometryMeetsBox(feature.geometry, box))) {
        const text = featureTextOf(feature, idOf(source, row, sources))
        characters += text.length
        features.push(text)
      }
      yield
    }
    if (found.length > 0) continue
    source++
    position = firstPosition
  }
  while (source < sources.length && sources[source]!.rowsFrom(position, box, 1).length === 0) {
    source++
    position = firstPosition
  }
  return { features, next: source < sources.length ? { source, position } : null }
}

/** Returns a feature as JSON. `members` are put before its last brace. @throws {ApiError} `not_found` */
export function readFeature({ handle, sources }: FeatureCollection, id: string, members: object): string {
  const [, file, row] = /^(?:(\d{1,6})\.)?(\d{1,15})$/.exec(id) ?? []
  const isValid = row !== undefined && (file === undefined) === (sources.length === 1)
  const feature = isValid ? (sources[Number(file ?? 0)]?.featureAt(Number(row)) ?? null) : null
  if (!feature)
    throw new ApiError(
      'not_found',
      `The collection ${handle.id} has no feature ${JSON.stringify(id.slice(0, 100))}. Use the id of a feature of its items.`,
    )
  const text = featureTextOf(feature, idOf(Number(file ?? 0), feature.row, sources))
  return `${text.slice(0, -1)},${JSON.stringify(members).slice(1)}`
}

/** The id of a feature: its row, after the number of its file if there are several. */
function idOf(source: number, row: number, sources: readonly RowSource[]): number | string {
  return sources.length === 1 ? row : `${source}.${row}`
}

function featureTextOf({ properties, geometry }: BoxFeature, id: number | string): string {
  return JSON.stringify({ type: 'Feature', id, geometry: geoJsonOf(roundGeometry(geometry)), properties })
}

function roundGeometry({ points, lines, polygons }: Geometry): Geometry {
  const round = ([lng, lat]: Position): Position => [roundDegrees(lng), roundDegrees(lat)]
  return {
    points: points.map(round),
    lines: lines.map((line) => line.map(round)),
    polygons: polygons.map((rings) => rings.map((ring) => ring.map(round))),
  }
}
