import Flatbush from 'flatbush'
import { coordinateStep_degrees, geometryOfFeature, type FlatGeometries } from '../geo/flat-geometries.ts'
import type { Geometry, Properties } from '../model/source.ts'
import type { DegreeBox } from './box-distance.ts'
import { startWalk, type BoxIndex } from './box-index.ts'

/**
 * Asks for the features whose bounding boxes meet a box, at most `limit`. Of features smaller than `detail_degrees`, one
 * is enough for each square of that size, because a map would draw them over each other.
 */
export type BoxQuery = { box: DegreeBox; detail_degrees: number; limit: number }

/** A feature of a box, by its row. */
export type BoxFeature = { row: number; properties: Properties; geometry: Geometry }

/** A layer that lists its features by box. `rows`: an upper bound of their number. */
export type BoxSource = { bounds: DegreeBox; rows: number; inBox(query: BoxQuery): BoxFeature[] }

/** Returns the rows of a box index whose boxes meet the box of the query. */
export function rowsInBox(index: BoxIndex, { box, detail_degrees, limit }: BoxQuery): number[] {
  const nodeAt = startWalk(index)
  const selection = new RowSelection(detail_degrees)
  descend(index.root, index.level)
  return [...selection.rows].slice(0, limit)

  function descend(id: number, level: number): void {
    const { ids, boxes } = nodeAt(id, level)
    for (let i = 0; i < ids.length && selection.rows.size < limit; i++) {
      const [west, east, south, north] = [boxes[4 * i]!, boxes[4 * i + 1]!, boxes[4 * i + 2]!, boxes[4 * i + 3]!]
      if (south > box.north || north < box.south || !meetsLongitudes(west, east, box)) continue
      if (level > 0) descend(ids[i]!, level - 1)
      else selection.add(ids[i]!, { west, east, south, north })
    }
  }
}

/** The boxes of the rings and lines of a layer. */
export type RingIndex = () => Flatbush

/** Returns a function that indexes the boxes of the rings and lines at the first call. */
export function createRingIndex(shapes: FlatGeometries): RingIndex {
  let index: Flatbush | null = null
  return () => (index ??= indexRings(shapes))
}

/** Lists the features of flat geometries by box. */
export function createFlatBoxSource(
  shapes: FlatGeometries,
  indexOf: RingIndex,
  propertiesAt: (row: number) => Properties,
): BoxSource {
  const { starts, ringFeatures } = shapes
  return {
    rows: (ringFeatures.at(-1) ?? -1) + 1,
    get bounds() {
      const { minX, minY, maxX, maxY } = indexOf()
      return { west: minX, south: minY, east: maxX, north: maxY }
    },
    inBox({ box, detail_degrees, limit }) {
      if (starts.length < 2) return []
      const selection = new RowSelection(detail_degrees)
      const rings = indexOf()
      rings.search(box.west, box.south, box.east, box.north, (ring) => {
        if (selection.rows.size < limit) selection.add(ringFeatures[ring]!, ringBox(shapes, ring))
        return false
      })
      return [...selection.rows].map((row) => ({
        row,
        properties: propertiesAt(row),
        geometry: geometryOfFeature(shapes, row),
      }))
    },
  }
}

/** The rows of an answer. Of small ones, it keeps one for each square. */
class RowSelection {
  readonly rows = new Set<number>()
  readonly #squares = new Set<string>()
  readonly #detail_degrees: number

  constructor(detail_degrees: number) {
    this.#detail_degrees = detail_degrees
  }

  add(row: number, { west, east, south, north }: DegreeBox): void {
    const detail = this.#detail_degrees
    if (detail > 0 && east - west < detail && north - south < detail) {
      const square = `${Math.floor(west / detail)} ${Math.floor(south / detail)}`
      if (this.#squares.has(square)) return
      this.#squares.add(square)
    }
    this.rows.add(row)
  }
}

function meetsLongitudes(west: number, east: number, box: DegreeBox): boolean {
  return [0, -360, 360].some((shift) => west + shift <= box.east && east + shift >= box.west)
}

function indexRings(shapes: FlatGeometries): Flatbush {
  const index = new Flatbush(Math.max(1, shapes.ringFeatures.length))
  for (let ring = 0; ring < shapes.ringFeatures.length; ring++) {
    const { west, south, east, north } = ringBox(shapes, ring)
    index.add(west, south, east, north)
  }
  if (shapes.ringFeatures.length === 0) index.add(0, 0, 0, 0)
  index.finish()
  return index
}

function ringBox({ coordinates, starts }: FlatGeometries, ring: number): DegreeBox {
  const box = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity }
  for (let vertex = starts[ring]!; vertex < starts[ring + 1]!; vertex++) {
    const [x, y] = [
      coordinates[2 * vertex]! * coordinateStep_degrees,
      coordinates[2 * vertex + 1]! * coordinateStep_degrees,
    ]
    box.west = Math.min(box.west, x)
    box.east = Math.max(box.east, x)
    box.south = Math.min(box.south, y)
    box.north = Math.max(box.north, y)
  }
  return box
}
