import Flatbush from 'flatbush'
import type { AreaFeature, AreaQuery } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import type { Feature, FeatureQuery } from '../model/source.ts'
import { boxMinDistance_m, unionBoxOf, type DegreeBox } from './box-distance.ts'
import type { BoxFeature, BoxQuery } from './features-in-box.ts'
import { invalidGeometryError } from './layer-search.ts'
import type { PackLayer } from './pack-layer.ts'
import type { FeatureLayer, PackDataset, PackPart } from './pack.ts'
import type { PackTable } from './pack-table.ts'

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
  readonly #index: PartIndex

  constructor(parts: readonly PackPart[]) {
    this.#index = new PartIndex(parts)
    const layerNames = new Set(parts.flatMap(({ layers }) => [...layers.keys()]))
    const tableNames = new Set(parts.flatMap(({ tables }) => [...tables.keys()]))
    this.layers = new Map([...layerNames].map((name) => [name, createCombinedLayer(name, this.#index)]))
    this.tables = new Map([...tableNames].map((name) => [name, createCombinedTable(name, parts)]))
    this.vintage = describeVintages(parts)
    this.coverage = parts.some(({ coverage }) => coverage === null) ? null : parts.flatMap((it) => it.coverage ?? [])
  }

  covers(at: Point): boolean {
    return this.#index.covering(at).length > 0
  }

  at(point: Point): PackDataset {
    const covering = this.#index.covering(point)
    const complete = covering.find(({ margin_m }) => margin_m !== null)
    if (complete) return complete
    if (covering.some(({ raster }) => raster)) return farthestFromEdge(covering, point)
    return covering.length === 0 ? this : combineParts(covering)
  }
}

/** The vintage of all parts, or the range of their vintages. */
function describeVintages(parts: readonly PackPart[]): string | null {
  const vintages = [...new Set(parts.flatMap(({ vintage }) => vintage ?? []))].toSorted()
  return vintages.length > 1 ? `${vintages[0]} to ${vintages.at(-1)}` : (vintages[0] ?? null)
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
      const parts = index.answering(query).filter(({ layers }) => layers.has(name))
      if (parts.length === 1) return parts[0]!.layers.get(name)!.query(query)
      return queryParts(parts, name, query)
    },
    get bounds() {
      return unionBoxOf(index.layersNamed(name).map(({ layer }) => layer.bounds))
    },
    get rows() {
      return index.layersNamed(name).reduce((sum, { layer }) => sum + layer.rows, 0)
    },
    inBox: (query) => featuresOfParts(index.layersNamed(name), query),
    featuresIn: (query) => featuresInParts(index.layersNamed(name), query),
  }
}

/** The features of a box. A feature that several parts have is listed once. */
function featuresOfParts(parts: readonly NamedLayer[], query: BoxQuery): BoxFeature[] {
  const found = new Map<string, BoxFeature>()
  for (const { layer, key } of parts)
    for (const feature of layer.inBox(query)) found.set(layer.identityOf(feature.row, key), feature)
  return [...found.values()].slice(0, query.limit)
}

/** Does the same for an area. The newest part that has a feature gives all its pieces. */
function featuresInParts(parts: readonly NamedLayer[], query: AreaQuery): AreaFeature[] {
  const owners = new Map<string, PackLayer>()
  return parts.flatMap(({ layer, key }) =>
    layer.featuresIn(query).flatMap((feature) => {
      const identity = layer.identityOf(feature.row, key)
      if (!owners.has(identity)) owners.set(identity, layer)
      return owners.get(identity) === layer ? [{ ...feature, key: identity }] : []
    }),
  )
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
  readonly #tree: Flatbush
  /** The number of the part of each box in the tree. */
  readonly #numbers: number[] = []

  constructor(parts: readonly PackPart[]) {
    this.#parts = parts
    const boxes = parts.map(({ box }) => splitAtAntimeridian(box))
    this.#tree = new Flatbush(boxes.flat().length)
    for (const [number, pieces] of boxes.entries()) {
      for (const { west, south, east, north } of pieces) {
        this.#tree.add(west, south, east, north)
        this.#numbers.push(number)
      }
    }
    this.#tree.finish()
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
    const boxes = this.#inBox({ west: at.lng, east: at.lng, south: at.lat, north: at.lat })
    return boxes.filter((part) => part.covers(at))
  }

  /** The parts that can have features of the answer. One that states that it is complete for the radius is enough. */
  answering({ at, radius_m }: FeatureQuery): PackPart[] {
    const covering = this.covering(at)
    const complete = covering.find(({ margin_m }) => margin_m !== null && margin_m >= radius_m)
    if (complete) return [complete]
    if (radius_m === 0) return covering
    return this.#inBox(circleBoxOf(at, radius_m)).filter(
      ({ box: { west, east, south, north } }) =>
        boxMinDistance_m(at, Float64Array.of(west, east, south, north), 0) <= radius_m,
    )
  }

  #inBox(box: DegreeBox): PackPart[] {
    const found = splitAtAntimeridian(box).flatMap(({ west, south, east, north }) =>
      this.#tree.search(west, south, east, north).map((i) => this.#numbers[i]!),
    )
    if (found.length < 2) return found.map((number) => this.#parts[number]!)
    return [...new Set(found)].toSorted((a, b) => a - b).map((number) => this.#parts[number]!)
  }
}

/** The pieces of a box between longitudes -180 and 180. The antimeridian belongs to both sides. */
function splitAtAntimeridian({ west, east, south, north }: DegreeBox): DegreeBox[] {
  if (east - west >= 360) return [{ west: -180, east: 180, south, north }]
  if (east >= 180) return [...pieceOf(west, 180), { west: -180, east: east - 360, south, north }]
  if (west <= -180) return [...pieceOf(-180, east), { west: west + 360, east: 180, south, north }]
  return pieceOf(west, east)

  function pieceOf(from: number, to: number): DegreeBox[] {
    return from <= to ? [{ west: from, east: to, south, north }] : []
  }
}

/** A box that contains the circle. */
function circleBoxOf({ lat, lng }: Point, radius_m: number): DegreeBox {
  const deltaLat = radius_m / minMetersPerDegreeOfLatitude
  const farthest = Math.abs(lat) + deltaLat
  const deltaLng = farthest >= 89 ? 180 : deltaLat / Math.cos((farthest * Math.PI) / 180)
  return { west: lng - deltaLng, east: lng + deltaLng, south: lat - deltaLat, north: lat + deltaLat }
}

const minMetersPerDegreeOfLatitude = 110_000
