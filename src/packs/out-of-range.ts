import { boxAt } from './layer/box-distance.ts'
import { startWalk, type BoxIndex } from './layer/box-index.ts'
import type { Extent } from '../model/area.ts'
import { emptyExtent, addExtent } from '../geo/boxes.ts'

/** The rows whose boxes are not valid degrees. */
export type OutOfRangeRows = {
  /** The bounds of the rows that are valid. */
  bounds: Extent
  count: number
  first: { row: number; box: Extent } | null
  /** There are so many that the layer must be in another coordinate system. */
  isMajority: boolean
}

/** Finds the boxes that are not valid degrees. Descends only into nodes whose own box is out of range. */
export function findOutOfRange(index: BoxIndex, rows: number): OutOfRangeRows {
  const result: OutOfRangeRows = {
    bounds: emptyExtent(),
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
      if (isInDegrees(box)) addExtent(result.bounds, box)
      else if (level > 0) descend(ids[i]!, level - 1)
      else recordRow(ids[i]!, box)
    }
  }

  function recordRow(row: number, box: Extent): void {
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

function isInDegrees({ west, east, south, north }: Extent): boolean {
  return west >= -360.1 && east <= 360.1 && south >= -90.1 && north <= 90.1
}
