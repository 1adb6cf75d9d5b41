import { geometryMeetsBox } from '../geo/meets-box.ts'
import type { Position } from '../model/source.ts'
import { tileIdOf } from './pmtiles-format.ts'
import { tileBoxOf, type TilePosition } from './vector-tile.ts'

/** Numbers of tiles: from `first` to before `end`. */
export type TileRange = { first: number; end: number }

type Polygon = Position[][]
type ZoomRange = { minzoom: number; maxzoom: number }

/** At this zoom, a tile is 10 km wide at the equator. Of a tile that the area touches, all parts are selected. */
const areaZoom = 12

/** Returns the numbers of the tiles that polygons touch, in order. At high zooms, these are all parts of larger tiles. */
export function tileRangesOf(
  polygons: readonly (readonly (readonly Position[])[])[],
  { minzoom, maxzoom }: ZoomRange,
): TileRange[] {
  const ranges: TileRange[] = []
  const wholeZoom = Math.min(maxzoom, areaZoom)
  const visit = (position: TilePosition, near: readonly Polygon[]) => {
    const { z, x, y } = position
    const touching = near.filter((rings) => touchesTile(rings, position))
    if (touching.length === 0) return
    const id = tileIdOf(position)
    const lastZoom = z === wholeZoom ? maxzoom : z
    for (let zoom = Math.max(z, minzoom); zoom <= lastZoom; zoom++) ranges.push(partsOfTile(id, z, zoom))
    if (z === wholeZoom) return
    for (const column of [2 * x, 2 * x + 1])
      for (const row of [2 * y, 2 * y + 1]) visit({ z: z + 1, x: column, y: row }, touching)
  }
  visit(
    { z: 0, x: 0, y: 0 },
    polygons.map((rings) => rings.map((ring) => [...ring])),
  )
  return mergeRanges(ranges)
}

/** Returns the number of the first tile of a zoom. */
function firstTileOf(zoom: number): number {
  return (4 ** zoom - 1) / 3
}

function touchesTile(rings: Polygon, position: TilePosition): boolean {
  return geometryMeetsBox({ points: [], lines: [], polygons: [rings] }, tileBoxOf(position))
}

/** The tiles of a higher zoom in a tile: the Hilbert curve passes through all of them in one piece. */
function partsOfTile(id: number, z: number, zoom: number): TileRange {
  const count = 4 ** (zoom - z)
  const first = firstTileOf(zoom) + (id - firstTileOf(z)) * count
  return { first, end: first + count }
}

function mergeRanges(ranges: readonly TileRange[]): TileRange[] {
  const merged: TileRange[] = []
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const last = merged.at(-1)
    if (last && last.end >= range.first) last.end = Math.max(last.end, range.end)
    else merged.push({ ...range })
  }
  return merged
}
