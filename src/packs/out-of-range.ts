import { boxAt, type DegreeBox } from './layer/box-distance.ts'
import { startWalk, type BoxIndex } from './layer/box-index.ts'

/** The rows whose boxes are not valid degrees. */
export type OutOfRangeRows = {
  /** The bounds of the rows that are valid. */
  bounds: DegreeBox
  count: number
  first: { row: number; box: DegreeBox } | null
  /** There are so many that the layer must be in another coordinate system. */
  isMajority: boolean
}

/** Finds the boxes that are not valid degrees. Descends only into nodes whose own box is out of range. */
export function findOutOfRange(index: BoxIndex, rows: number): OutOfRangeRows {
  const result: OutOfRangeRows = {
    bounds: { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity },
    count: 0,
    first: null,
    isMajority: false,
  }
  const limit = Math.min(maxOutOfRange, rows / 2)
  const nodeAt = startWalk(index)
  descend(index.root, index.level)
  return { ...result, isMajority: result.isMajority || (result.count > 0 && result.bounds.west > result.bounds.east) }

  function descend(id: number, level: number): void {
    const { ids, boxes } = nodeAt(id, level)
    for (let i = 0; i < ids.length && !result.isMajority; i++) {
      const box = boxAt(boxes, 4 * i)
      if (isInDegrees(box)) extend(result.bounds, box)
      else if (level > 0) descend(ids[i]!, level - 1)
      else recordRow(ids[i]!, box)
    }
  }

  function recordRow(row: number, box: DegreeBox): void {
    result.first ??= { row, box }
    result.count++
    result.isMajority = result.count > limit
  }
}

/** The same tree with its boxes clamped to the poles, because distances beyond them are undefined. */
export function clampToPoles(index: BoxIndex): BoxIndex {
  return {
    ...index,
    node(id, level) {
      const node = index.node(id, level)
      const { boxes } = node
      for (let i = 0; i < boxes.length; i += 4) {
        boxes[i + 2] = Math.max(-90, Math.min(90, boxes[i + 2]!))
        boxes[i + 3] = Math.max(-90, Math.min(90, boxes[i + 3]!))
      }
      return node
    },
  }
}

/** More out-of-range rows than this are a majority in a layer of any size. */
const maxOutOfRange = 10_000

function isInDegrees({ west, east, south, north }: DegreeBox): boolean {
  return west >= -360.1 && east <= 360.1 && south >= -90.1 && north <= 90.1
}

function extend(bounds: DegreeBox, { west, east, south, north }: DegreeBox): void {
  bounds.west = Math.min(bounds.west, west)
  bounds.east = Math.max(bounds.east, east)
  bounds.south = Math.min(bounds.south, south)
  bounds.north = Math.max(bounds.north, north)
}
