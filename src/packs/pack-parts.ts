import { runCoroutine, waitFor, type Coroutine } from '../async/maybe-promise.ts'
import { boundsOfGeometry } from '../geo/overlay/simplify.ts'
import type { AreaFeature, AreaQuery } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import type { Feature, FeatureQuery } from '../model/source.ts'
import { boxMinDistance_m } from './layer/box-distance.ts'
import type { BoxFeature, BoxQuery, RowSource } from './layer/features-in-box.ts'
import { invalidGeometryError } from './layer/layer-search.ts'
import type { PackLayer } from './layer/pack-layer.ts'
import type { FeatureLayer, PackDataset, PackPart } from './pack.ts'
import type { PackTable } from './layer/pack-table.ts'
import { unionOfExtents } from '../geo/boxes.ts'

/** Combines the parts of a pack into one dataset. `parts`: at least one, the newest first. */
export function combineParts(parts: readonly PackPart[]): PackDataset {
  return parts.length === 1 ? parts[0]! : new CombinedParts(parts)
}

/** Answers each query from the parts that cover the point. */
class CombinedParts implements PackDataset {
  readonly layers: ReadonlyMap<string, FeatureLayer>
  readonly tables: ReadonlyMap<string, PackTable>
  readonly raster = null
  readonly margin_m = null
  readonly coverage: PackDataset['coverage']
  readonly vintage: string | null
  readonly vintageAt?: (at: Point) => string | null
  readonly files: readonly PackPart[]
  readonly #index: PartIndex

  constructor(parts: readonly PackPart[]) {
    this.files = parts
    this.#index = new PartIndex(parts)
    const layerNames = new Set(parts.flatMap(({ layers }) => [...layers.keys()]))
    const tableNames = new Set(parts.flatMap(({ tables }) => [...tables.keys()]))
    this.layers = new Map([...layerNames].map((name) => [name, createCombinedLayer(name, this.#index)]))
    this.tables = new Map([...tableNames].map((name) => [name, createCombinedTable(name, parts)]))
    const vintages = [...new Set(parts.map(({ vintage }) => vintage))]
    this.vintage = rangeOf(vintages.filter((it) => it !== null))
    if (vintages.length > 1) this.vintageAt = (at) => this.at(at).vintage
    this.coverage = parts.some(({ coverage }) => coverage === null) ? null : parts.flatMap((it) => it.coverage ?? [])
  }

  covers(at: Point): boolean {
    return this.#index.coversPoint(at)
  }

  at(point: Point): PackDataset {
    const complete = this.#index.complete(point, 0)
    if (complete) return complete
    const covering = this.#index.covering(point)
    if (covering.some(({ raster }) => raster)) return farthestFromEdge(covering, point)
    return covering.length === 0 ? this : combineParts(covering)
  }
}

/** The only vintage, or the first and the last. */
function rangeOf(vintages: string[]): string | null {
  const sorted = vintages.toSorted()
  return sorted.length > 1 ? `${sorted[0]} to ${sorted.at(-1)}` : (sorted[0] ?? null)
}

/** The raster whose edge is farthest from the point, because a window can extend beyond the edge. */
function farthestFromEdge(parts: readonly PackPart[], { lat, lng }: Point): PackPart {
  const distanceToEdge = ({ raster, box }: PackPart) => {
    const { west, east, south, north } = raster?.bounds ?? box
    return Math.min(lng - west, east - lng, lat - south, north - lat)
  }
  return parts.reduce((best, part) => (distanceToEdge(part) > distanceToEdge(best) ? part : best))
}

function createCombinedLayer(name: string, index: PartIndex): FeatureLayer {
  return {
    query(query) {
      const { at, radius_m } = query
      const complete = index.complete(at, radius_m)?.layers.get(name)
      if (complete) return complete.query(query)
      const near = radius_m === 0 ? index.covering(at) : index.within(at, radius_m)
      const parts = near.filter(({ layers }) => layers.has(name))
      if (parts.length === 1) return parts[0]!.layers.get(name)!.query(query)
      return queryParts(parts, name, query)
    },
    containingRows: (at) => index.containingRows(at, name),
    get bounds() {
      return unionOfExtents(index.layersNamed(name).map(({ layer }) => layer.bounds))
    },
    get rows() {
      return index.layersNamed(name).reduce((sum, { layer }) => sum + layer.rows, 0)
    },
    inBox: (query) => featuresOfParts(index.layersNamed(name), query),
    sources: () => sourcesOfParts(index.layersNamed(name)),
    featuresIn: (query) => runCoroutine(featuresInParts(index.layersNamed(name), query)),
  }
}

/**
 * The features of a box. A feature that several parts have is listed once, but pieces of one feature are all listed.
 */
function featuresOfParts(parts: readonly NamedLayer[], query: BoxQuery): BoxFeature[] {
  const found = parts.map(({ layer, key }) => ({ layer, key, features: layer.inBox(query) }))
  const [first, ...others] = found.filter(({ features }) => features.length > 0)
  if (!first || others.length === 0) return first?.features ?? []
  const unique = new Map<string, BoxFeature>()
  for (const { layer, key, features } of [first, ...others])
    for (const feature of features) unique.set(pieceIdentityOf(feature, { layer, key }), feature)
  return [...unique.values()].slice(0, query.limit)
}

/** The rows of each part. A feature that an earlier part has too is only in that part. */
function sourcesOfParts(parts: readonly NamedLayer[]): RowSource[] {
  return parts.map(({ layer, key }, i) => {
    const [source] = layer.sources() as [RowSource]
    return {
      ...source,
      featureAt(row) {
        const feature = source.featureAt(row)
        if (!feature || i === 0) return feature
        const query = { box: boundsOfGeometry(feature.geometry), detail_degrees: 0, limit: Infinity }
        const identity = pieceIdentityOf(feature, { layer, key })
        const isCopy = parts
          .slice(0, i)
          .some((earlier) => earlier.layer.inBox(query).some((it) => pieceIdentityOf(it, earlier) === identity))
        return isCopy ? null : feature
      },
    }
  })
}

/** A text that is the same for copies of one feature, or of one piece of it, in several parts. */
function pieceIdentityOf({ row, geometry }: BoxFeature, { layer, key }: NamedLayer): string {
  return `${layer.identityOf(row, key)} ${Bun.hash(JSON.stringify(geometry))}`
}

/** The features that touch an area. The newest part that has a feature gives all its pieces. */
function* featuresInParts(parts: readonly NamedLayer[], query: AreaQuery): Coroutine<AreaFeature[]> {
  const owners = new Map<string, PackLayer>()
  const found: AreaFeature[] = []
  for (const { layer, key } of parts)
    for (const feature of yield* waitFor(layer.featuresIn(query))) {
      const identity = layer.identityOf(feature.row, key)
      if (!owners.has(identity)) owners.set(identity, layer)
      if (owners.get(identity) === layer) found.push({ ...feature, key: identity })
    }
  return found
}

/** A layer of a part, and the column that identifies its features. */
type NamedLayer = { layer: PackLayer; key: string | null }

/** A feature of one part. Copies of one feature have the same identity. */
type Candidate = { layer: PackLayer; row: number; feature: Feature; identity: string }

/** Queries several parts. A feature that several of them have is returned once, from the nearest copy. */
function queryParts(parts: readonly PackPart[], name: string, query: FeatureQuery): Feature[] {
  const { count_only: _, ...featureQuery } = query
  const commonKey = parts.every(({ key }) => key === parts[0]!.key) ? (parts[0]?.key ?? null) : null
  const found = new Map<string, Candidate[]>()
  let hasInvalid = false
  for (const { layers } of parts) {
    const layer = layers.get(name)!
    const { matches, invalid } = layer.match(featureQuery)
    hasInvalid ||= invalid
    for (const match of matches)
      addCandidate(found, { ...match, layer, identity: layer.identityOf(match.row, commonKey) })
  }
  if (found.size === 0 && hasInvalid) throw invalidGeometryError(name)
  const candidates = [...found.values()]
    .flat()
    .toSorted((a, b) => a.feature.distance_m - b.feature.distance_m)
    .slice(0, query.limit)
  if (query.radius_m > 0 || candidates.length < 2) return candidates.map(({ feature }) => feature)
  return candidates.map(({ layer, feature, row }) => layer.withArea(feature, row))
}

/** Adds a feature, unless another part has the same feature and its copy is as near. */
function addCandidate(found: Map<string, Candidate[]>, candidate: Candidate): void {
  const copies = found.get(candidate.identity)
  if (copies?.[0]!.layer === candidate.layer) copies.push(candidate)
  else if (!copies || candidate.feature.distance_m < copies[0]!.feature.distance_m)
    found.set(candidate.identity, [candidate])
}

/** A table of all parts. The newest part that has the key gives all rows of the key. */
function createCombinedTable(name: string, parts: readonly PackPart[]): PackTable {
  const tables = parts.flatMap((part) => part.tables.get(name) ?? [])
  return {
    rows(key) {
      for (const table of tables) {
        const rows = table.rows(key)
        if (rows.length > 0) return rows
      }
      return []
    },
    notes: [],
  }
}

/** Finds parts by the boxes of their coverage. It returns them in the order of the list, the newest first. */
class PartIndex {
  readonly #parts: readonly PackPart[]
  /** West, east, south and north of each part. A pack has few parts, so a scan is faster than a tree. */
  readonly #boxes: Float64Array

  constructor(parts: readonly PackPart[]) {
    this.#parts = parts
    this.#boxes = Float64Array.from(
      parts.flatMap(({ box: { west, east, south, north } }) => [west, east, south, north]),
    )
  }

  coversPoint(at: Point): boolean {
    return this.#next(at, 0) >= 0
  }

  /** The layers of this name, of all parts. */
  layersNamed(name: string): NamedLayer[] {
    return this.#parts.flatMap(({ layers, key }) => {
      const layer = layers.get(name)
      return layer ? [{ layer, key }] : []
    })
  }

  /** The parts that cover a point. */
  covering(at: Point): PackPart[] {
    const found: PackPart[] = []
    for (let i = this.#next(at, 0); i >= 0; i = this.#next(at, i + 1)) found.push(this.#parts[i]!)
    return found
  }

  /** The first part that covers the point and states that it is complete for a radius around it. */
  complete(at: Point, radius_m: number): PackPart | null {
    for (let i = this.#next(at, 0); i >= 0; i = this.#next(at, i + 1)) {
      const { margin_m } = this.#parts[i]!
      if (margin_m !== null && margin_m >= radius_m) return this.#parts[i]!
    }
    return null
  }

  /** The position of each part that decides an answer without a radius, and its rows. See `FeatureLayer`. */
  containingRows(at: Point, name: string): number[] | null {
    const complete = this.complete(at, 0)
    const numbers: number[] = []
    for (const part of complete?.layers.has(name) ? [complete] : this.covering(at)) {
      const rows = part.layers.has(name) ? part.layers.get(name)!.containingRows(at) : noRows
      if (!rows) return null
      numbers.push(this.#parts.indexOf(part), rows.length, ...rows)
    }
    return numbers
  }

  /** The parts whose coverage may be within the radius. */
  within(at: Point, radius_m: number): PackPart[] {
    const reach_degrees = radius_m / minMetersPerDegreeOfLatitude
    return this.#parts.filter((_, i) => {
      const [south, north] = [this.#boxes[4 * i + 2]!, this.#boxes[4 * i + 3]!]
      if (at.lat < south - reach_degrees || at.lat > north + reach_degrees) return false
      return boxMinDistance_m(at, this.#boxes, 4 * i) <= radius_m
    })
  }

  /** The number of the next part that covers the point, from `start` on; -1 if there is none. */
  #next(at: Point, start: number): number {
    const { lat, lng } = at
    const boxes = this.#boxes
    for (let i = start; i < this.#parts.length; i++) {
      const [west, east] = [boxes[4 * i]!, boxes[4 * i + 1]!]
      // A box that crosses the antimeridian extends beyond 180 or -180.
      const isBetween = (lng >= west && lng <= east) || lng + 360 <= east || lng - 360 >= west
      if (isBetween && lat >= boxes[4 * i + 2]! && lat <= boxes[4 * i + 3]! && this.#parts[i]!.covers(at)) return i
    }
    return -1
  }
}

const noRows: readonly number[] = []
const minMetersPerDegreeOfLatitude = 110_000
