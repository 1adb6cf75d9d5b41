import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogSnapshot } from '../fetch/catalog/catalog-state.ts'
import { listedOptionOf, type DatasetHandle, type SourceOption } from '../fetch/sources/source-registry.ts'
import { ApiError } from '../model/error.ts'
import { createByteCache, type CachePartition } from '../packs/layer/byte-cache.ts'
import type { BoxSource } from '../packs/layer/features-in-box.ts'
import type { ColoredField, TileJson } from './tile-json.ts'
import { encodeTile, maxTileZoom, tileBoxOf, type TilePosition } from './vector-tile.ts'
import type { Field, ReadSpec } from '../catalog/records.ts'
import { unionOfExtents } from '../geo/boxes.ts'

const cache_bytes = 32 * 1024 * 1024
const tileFeaturesMax = 4_000
/** A tile of a lower zoom would take longer than a request may hold up the others. */
const lowestZoom = 6
/** A tile of the lowest zoom reads about this many rows of the index. */
const rowsPerTile = 10_000
/** A feature smaller than this share of a tile is drawn as one of its neighbors: a quarter of a pixel. */
const detailShare = 1 / 2048
/** Web maps end at this latitude. */
const maxLat = 85

/** Draws the local features of datasets as vector tiles, and caches them in memory. */
export class TileLayers {
  readonly #snapshot: () => CatalogSnapshot
  readonly #cache = createByteCache(cache_bytes)
  readonly #partitions = new WeakMap<SourceOption, CachePartition<Uint8Array>>()

  constructor(snapshot: () => CatalogSnapshot) {
    this.#snapshot = snapshot
  }

  /** The datasets that have tiles on this server now. */
  list(base_url: string): TileJson[] {
    const { catalog, registry } = this.#snapshot()
    return [...registry.datasets()].flatMap((handle) => {
      const option = listedOptionOf(handle)
      return option ? [describe(handle, option, { base_url, catalog })] : []
    })
  }

  describe(id: string, base_url: string): TileJson {
    const { handle, option } = this.#requireLayer(id)
    return describe(handle, option, { base_url, catalog: this.#snapshot().catalog })
  }

  /** Returns the tile, empty if it has no features. @throws {ApiError} `not_found` outside the zooms of the dataset. */
  tile(id: string, position: TilePosition): Uint8Array {
    const { option } = this.#requireLayer(id)
    const minzoom = minZoomOf(option.boxes!())
    if (position.z < minzoom || position.z > maxTileZoom)
      throw new ApiError('not_found', `${id} has tiles from zoom ${minzoom} to ${maxTileZoom}.`)
    const key = (position.z * 2 ** maxTileZoom + position.x) * 2 ** maxTileZoom + position.y
    const partition = this.#partitionOf(option)
    const cached = partition.get(key)
    if (cached) return cached
    const box = tileBoxOf(position)
    const detail_degrees = position.z === maxTileZoom ? 0 : (box.east - box.west) * detailShare
    const features = option.boxes!().flatMap((source) => source.inBox({ box, detail_degrees, limit: tileFeaturesMax }))
    const bytes = features.length === 0 ? new Uint8Array() : encodeTile(id, features, position)
    return partition.set(key, bytes, bytes.length)
  }

  #requireLayer(id: string): { handle: DatasetHandle; option: SourceOption } {
    const { catalog, registry } = this.#snapshot()
    const handle = catalog.datasets.has(id) ? registry.dataset(id) : null
    const option = handle && listedOptionOf(handle)
    if (handle && option) return { handle, option }
    throw new ApiError(
      'not_found',
      handle
        ? `The dataset ${id} has no tiles: ${handle.dataset.withholds_geometry ? 'its terms do not allow them' : 'tiles are made of embedded layers and packs of features, and this server has none for it'}.`
        : `Unknown dataset ${JSON.stringify(id.slice(0, 100))}. GET /tiles lists the datasets with tiles.`,
    )
  }

  #partitionOf(option: SourceOption): CachePartition<Uint8Array> {
    const known = this.#partitions.get(option)
    if (known) return known
    const partition = this.#cache.openPartition<Uint8Array>()
    this.#partitions.set(option, partition)
    return partition
  }
}

function describe(
  { id, dataset }: DatasetHandle,
  { boxes, vintage }: SourceOption,
  { base_url, catalog }: { base_url: string; catalog: Catalog },
): TileJson {
  const sources = boxes!()
  const colored_fields = coloredFieldsOf(id, catalog.fields.values())
  const { west, south, east, north } = unionOfExtents(sources.map(({ bounds }) => bounds))
  return {
    tilejson: '3.0.0',
    id,
    name: dataset.title,
    attribution: dataset.attribution ?? `${dataset.publisher}. ${dataset.license}.`,
    vintage: vintage ?? dataset.vintage ?? null,
    tiles: [`${base_url}/tiles/${encodeURIComponent(id)}/{z}/{x}/{y}.mvt`],
    minzoom: minZoomOf(sources),
    maxzoom: maxTileZoom,
    bounds: [Math.max(-180, west), Math.max(-maxLat, south), Math.min(180, east), Math.min(maxLat, north)],
    vector_layers: [{ id, fields: attributesOf(colored_fields) }],
    colored_fields,
  }
}

/** The attributes of the tiles that fields are read from, with those fields. */
function attributesOf(fields: readonly ColoredField[]): Record<string, string> {
  const byAttribute = Map.groupBy(fields, ({ attribute }) => attribute)
  return Object.fromEntries(
    [...byAttribute].map(([attribute, readers]) => {
      const names = readers.map(({ name }) => name).join(', ')
      return [attribute, `The value of the field${readers.length > 1 ? 's' : ''} ${names}.`]
    }),
  )
}

/** The lowest zoom at which a tile has few enough features, if they are spread evenly over the bounds. */
function minZoomOf(sources: readonly BoxSource[]): number {
  const rows = sources.reduce((sum, source) => sum + source.rows, 0)
  const { west, south, east, north } = unionOfExtents(sources.map(({ bounds }) => bounds))
  const share = Math.min(1, Math.max(1e-9, ((east - west) / 360) * ((north - south) / 180)))
  return Math.min(maxTileZoom, Math.max(lowestZoom, Math.ceil(Math.log(rows / share / rowsPerTile) / Math.log(4))))
}

/** Members of a read that leave the value of the attribute as it is, or replace codes with their labels. */
const plainMembers = new Set(['dataset', 'op', 'attribute', 'pick', 'fallback', 'classes', 'sentinels'])
/** In addition, members that leave the value of a number as it is. */
const plainNumberMembers = new Set([...plainMembers, 'cast', 'search_radii_m'])

/** Returns the fields that a map can color the features of a dataset by. */
export function coloredFieldsOf(dataset: string, fields: Iterable<Field>): ColoredField[] {
  return [...fields].flatMap((field) => {
    if (field.read.dataset !== dataset) return []
    return field.type === 'string' ? textField(field) : numberField(field)
  })
}

function textField(field: Field): ColoredField[] {
  const { read, name } = field
  if (read.op !== 'attribute' || read.attribute === undefined || !hasOnly(plainMembers, read)) return []
  const codes = typeof read.classes === 'object' ? read.classes : {}
  // A key with a wildcard stands for many codes.
  if (Object.keys(codes).some((code) => code.endsWith('*'))) return []
  return [{ name, attribute: read.attribute, classes: classesOf(field, codes), numbers: null }]
}

/** A number of the features at a point, or of the nearest one. Numbers that are codes have labels, and no ramp. */
function numberField({ read, name, type, unit, class_labels }: Field): ColoredField[] {
  const isNumber = (type === 'integer' || type === 'float') && class_labels === undefined && unit !== 'class'
  if (!isNumber || (read.op !== 'attribute' && read.op !== 'nearest_attribute')) return []
  if (read.attribute === undefined || !hasOnly(plainNumberMembers, read)) return []
  const no_value = (read.sentinels ?? []).filter((it) => typeof it === 'number')
  return [{ name, attribute: read.attribute, classes: [], numbers: { unit, no_value } }]
}

function hasOnly(members: ReadonlySet<string>, read: ReadSpec): boolean {
  return Object.keys(read).every((member) => members.has(member))
}

/** The values of the attribute with what they mean. `codes`: the labels of codes, which are the values of the field. */
function classesOf({ enum: values, class_labels: labels = {} }: Field, codes: Record<string, string>) {
  const textOf = (value: string) => (Object.hasOwn(labels, value) ? `${value}: ${labels[value]}` : value)
  const coded = Object.entries(codes).map(([code, label]) => ({ value: code, text: textOf(label) }))
  if (coded.length > 0) return coded
  return (values ?? Object.keys(labels)).map((value) => ({ value: String(value), text: textOf(String(value)) }))
}
