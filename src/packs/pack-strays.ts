import type { Box } from './box-bound.ts'
import type { BoxIndex } from './box-index.ts'

/** The box round what lies on the earth, and the rows that do not: how many, and one of them with its own box. `isMost`: so many that the layer is in another coordinate system. */
export type Strays = { bounds: Box; count: number; first: { row: number; box: Box } | null; isMost: boolean }

/** Looks for boxes in a tree that are no degrees, only where a node says that there are some. */
export function straysOf(index: BoxIndex, rows: number): Strays {
  const found: Strays = { bounds: { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity }, count: 0, first: null, isMost: false }
  const most = Math.min(mostCounted, rows / 2)
  descend(index.root, index.level)
  return { ...found, isMost: found.isMost || (found.count > 0 && found.bounds.west > found.bounds.east) }

  function descend(id: number, level: number): void {
    const { ids, boxes } = index.node(id, level)
    for (let i = 0; i < ids.length && !found.isMost; i++) {
      const box = { west: boxes[4 * i]!, east: boxes[4 * i + 1]!, south: boxes[4 * i + 2]!, north: boxes[4 * i + 3]! }
      if (isInDegrees(box)) extend(found.bounds, box)
      else if (level > 0) descend(ids[i]!, level - 1)
      else note(ids[i]!, box)
    }
  }

  function note(row: number, box: Box): void {
    found.first ??= { row, box }
    found.count++
    found.isMost = found.count > most
  }
}

/** The same tree, its boxes cut off at the poles: beyond them distances have no meaning. */
export function betweenPoles(index: BoxIndex): BoxIndex {
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

/** So many are looked for one by one. */
const mostCounted = 10_000

function isInDegrees({ west, east, south, north }: Box): boolean {
  return west >= -360.1 && east <= 360.1 && south >= -90.1 && north <= 90.1
}

function extend(bounds: Box, { west, east, south, north }: Box): void {
  bounds.west = Math.min(bounds.west, west)
  bounds.east = Math.max(bounds.east, east)
  bounds.south = Math.min(bounds.south, south)
  bounds.north = Math.max(bounds.north, north)
}
