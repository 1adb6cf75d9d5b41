import Flatbush from 'flatbush'
import { addToExtent, emptyExtent } from '../../geo/boxes.ts'
import { coordinateStep_degrees, geometryOfFeature, type FlatGeometries } from '../../geo/flat-geometries.ts'
import type { Geometry, Properties } from '../../model/source.ts'
import { startWalk, type BoxIndex } from './box-index.ts'
import type { Extent } from '../../model/area.ts'

/**
 * Asks for the features whose bounding boxes meet a box, at most `limit`. Of features smaller than `detail_degrees`,
 * one is enough for each square of that size, because a map would draw them over each other.
 */
export type BoxQuery = { box: Extent; detail_degrees: number; limit: number }

/** A feature of a box, by its row. */
export type BoxFeature = { row: number; properties: Properties; geometry: Geometry }

/** A row of a source, and the position from which the rows after it are read. */
export type RowPosition = { row: number; next: number }

/** The features of one file, in an order that stays the same while the file is open. */
export type RowSource = {
  /** Returns at most `limit` rows from a position on. With a box: those whose bounding boxes meet it. */
  rowsFrom(position: number, box: Extent | null, limit: number): RowPosition[]
  /** Returns the feature of a row; null if it has no geometry, or if an earlier source lists the same feature. */
  featureAt(row: number): BoxFeature | null
}

/** The position before the first row of a `RowSource`. */
export const firstPosition = Number.MIN_SAFE_INTEGER

/**
 * A layer that lists its features by box. `rows`: an upper bound of their number. `sources`: the files that it reads,
 * in order.
 */
export type BoxSource = {
  bounds: Extent
  rows: number
  inBox(query: BoxQuery): BoxFeature[]
  sources(): readonly RowSource[]
}

/** Returns the rows of a box index whose boxes meet the box of the query. */
export function rowsInBox(index: BoxIndex, { box, detail_degrees, limit }: BoxQuery): number[] {
  const selection = new RowSelection(detail_degrees)
  visitRowsInBox(index, box, (row, extent) => {
    selection.add(row, extent)
    return selection.rows.size < limit
  })
  return [...selection.rows]
}

/** Returns the rows of a box index whose boxes meet a box. A position is the number of rows before. */
export function rowPositionsInBox(
  index: BoxIndex,
  { box, position, limit }: { box: Extent; position: number; limit: number },
): RowPosition[] {
  const found: RowPosition[] = []
  let count = 0
  visitRowsInBox(index, box, (row) => {
    if (++count > position) found.push({ row, next: count })
    return found.length < limit
  })
  return found
}

/** Visits the rows whose boxes meet a box, each with its box, until `visit` returns false. */
export function visitRowsInBox(index: BoxIndex, box: Extent, visit: (row: number, extent: Extent) => boolean): void {
  const nodeAt = startWalk(index)
  descend(index.root, index.level)

  function descend(id: number, level: number): boolean {
    const { ids, boxes } = nodeAt(id, level)
    for (let i = 0; i < ids.length; i++) {
      const [west, east, south, north] = [boxes[4 * i]!, boxes[4 * i + 1]!, boxes[4 * i + 2]!, boxes[4 * i + 3]!]
      if (south > box.north || north < box.south || !meetsLongitudes(west, east, box)) continue
      if (!(level > 0 ? descend(ids[i]!, level - 1) : visit(ids[i]!, { west, east, south, north }))) return false
    }
    return true
  }
}

/** A box beyond 180 degrees also covers places on the other side of the antimeridian. */
const shifts_degrees = [0, -360, 360] as const

/** The boxes of the rings and lines of a layer. */
export type RingIndex = () => Flatbush

/** Returns a function that opens the packed index of the boxes at the first call, or makes one. */
export function createRingIndex(shapes: FlatGeometries, packed: Uint8Array | null): RingIndex {
  let index: Flatbush | null = null
  return () => (index ??= packed ? Flatbush.from(packed.buffer, packed.byteOffset) : indexRings(shapes))
}

/** Lists the features of flat geometries by box. */
export function createFlatBoxSource(
  shapes: FlatGeometries,
  indexOf: RingIndex,
  propertiesAt: (row: number) => Properties,
): BoxSource {
  const { starts, ringFeatures } = shapes
  const rows = (ringFeatures.at(-1) ?? -1) + 1
  const featureAt = (row: number) => ({ row, properties: propertiesAt(row), geometry: geometryOfFeature(shapes, row) })
  return {
    rows,
    get bounds() {
      const { minX, minY, maxX, maxY } = indexOf()
      return { west: minX, south: minY, east: maxX, north: maxY }
    },
    inBox({ box, detail_degrees, limit }) {
      if (starts.length < 2) return []
      const selection = new RowSelection(detail_degrees)
      const rings = indexOf()
      for (const shift of shifts_degrees)
        rings.search(box.west + shift, box.south, box.east + shift, box.north, (ring) => {
          if (selection.rows.size < limit) selection.add(ringFeatures[ring]!, ringBox(shapes, ring))
          return false
        })
      return [...selection.rows].map(featureAt)
    },
    sources: () => [{ rowsFrom, featureAt: (row) => (row >= 0 && row < rows ? featureAt(row) : null) }],
  }

  function rowsFrom(position: number, box: Extent | null, limit: number): RowPosition[] {
    const first = Math.max(0, position)
    if (!box) {
      const end = Math.min(rows, first + limit)
      return Array.from({ length: Math.max(0, end - first) }, (_, i) => ({ row: first + i, next: first + i + 1 }))
    }
    const found = new Set<number>()
    for (const shift of shifts_degrees)
      for (const ring of indexOf().search(box.west + shift, box.south, box.east + shift, box.north))
        if (ringFeatures[ring]! >= first) found.add(ringFeatures[ring]!)
    const sorted = [...found].toSorted((a, b) => a - b).slice(0, limit)
    return sorted.map((row) => ({ row, next: row + 1 }))
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

  add(row: number, { west, east, south, north }: Extent): void {
    const detail = this.#detail_degrees
    if (detail > 0 && east - west < detail && north - south < detail) {
      const square = `${Math.floor(west / detail)} ${Math.floor(south / detail)}`
      if (this.#squares.has(square)) return
      this.#squares.add(square)
    }
    this.rows.add(row)
  }
}

function meetsLongitudes(west: number, east: number, box: Extent): boolean {
  return shifts_degrees.some((shift) => west + shift <= box.east && east + shift >= box.west)
}

/** Indexes the boxes of the rings and lines. Reads all of their vertices. */
export function indexRings(shapes: FlatGeometries): Flatbush {
  const index = new Flatbush(Math.max(1, shapes.ringFeatures.length))
  for (let ring = 0; ring < shapes.ringFeatures.length; ring++) {
    const { west, south, east, north } = ringBox(shapes, ring)
    index.add(west, south, east, north)
  }
  if (shapes.ringFeatures.length === 0) index.add(0, 0, 0, 0)
  index.finish()
  return index
}

function ringBox({ coordinates, starts }: FlatGeometries, ring: number): Extent {
  const box = emptyExtent()
  for (let i = 2 * starts[ring]!; i < 2 * starts[ring + 1]!; i += 2)
    addToExtent(box, coordinates[i]! * coordinateStep_degrees, coordinates[i + 1]! * coordinateStep_degrees)
  return box
}
