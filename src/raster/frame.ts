import { xyzOf } from '../geo/ecef.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Layout } from './layout.ts'
import type { Box, WindowQuery } from './raster.ts'

const cellsMax = 4_000_000

/** A window in cells of the raster, rows counted from the north: where it begins, how large it is, where the point lies in it. */
export type Frame = { column: number; row: number; width: number; height: number; at_x: number; at_y: number; cell_x_m: number; cell_y_m: number; up_degrees: number }

/** Which cells a question asks for. */
export function frameOf(layout: Layout, { at, radius_cells, radius_m = 0 }: WindowQuery): Frame {
  const { x, y } = positionOf(layout, at)
  const { x_m, y_m } = cellSizeAt(layout, x, y)
  const across = reachOf(radius_cells, radius_m / x_m)
  const down = reachOf(radius_cells, radius_m / y_m)
  const [width, height] = [2 * across + 1, 2 * down + 1]
  if (width * height > cellsMax) throw new UpstreamError('too_large', `The window has ${width} by ${height} cells, more than ${cellsMax}.`)
  const [column, row] = [Math.floor(x) - across, Math.floor(y) - down]
  return { column, row, width, height, at_x: x - column, at_y: y - row, cell_x_m: x_m, cell_y_m: y_m, up_degrees: upAt(layout, at, { x, y }) }
}

/** Whether a cell of the raster holds the point. */
export function coversPoint(layout: Layout, bounds: Box, at: Point): boolean {
  if (at.lat < bounds.south - slack || at.lat > bounds.north + slack) return false
  const { x, y } = positionOf(layout, at)
  return x >= 0 && x < layout.width && y >= 0 && y < layout.height
}

/** The box on WGS 84 round the raster: its edges are followed, since they are curves there. */
export function boundsOf({ width, height, place, projection }: Layout): Box {
  const edge: Point[] = []
  for (let i = 0; i <= edgeSteps; i++) {
    const [x, y] = [place.x + (place.step_x * width * i) / edgeSteps, place.y + (place.step_y * height * i) / edgeSteps]
    const [farX, farY] = [place.x + place.step_x * width, place.y + place.step_y * height]
    edge.push(projection.inverse(x, place.y), projection.inverse(x, farY), projection.inverse(place.x, y), projection.inverse(farX, y))
  }
  const points = edge.filter(({ lat, lng }) => Number.isFinite(lat) && Number.isFinite(lng))
  if (points.length === 0) return { west: -180, south: -90, east: 180, north: 90 }
  const [lats, lngs] = [points.map(({ lat }) => lat), points.map(({ lng }) => lng)]
  return { west: Math.min(...lngs), south: Math.min(...lats), east: Math.max(...lngs), north: Math.max(...lats) }
}

const edgeSteps = 20
/** The edges bulge between the points where they are followed. */
const slack = 0.5
/** A point from which the raster cannot be seen lies this far from it. */
const nowhere = -1e9

/** The bearing of a column at a point: a projection turns the north of its plane away from the true one. */
function upAt({ height, place, projection }: Layout, at: Point, { x, y }: { x: number; y: number }): number {
  if (projection.isGeographic) return 0
  const placed = (row: number) => projection.inverse(place.x + x * place.step_x, place.y + (place.step_y > 0 ? height - row : row) * place.step_y)
  const [above, below] = [placed(y - 0.5), placed(y + 0.5)]
  const east = (((above.lng - below.lng + 540) % 360) - 180) * Math.cos((at.lat * Math.PI) / 180)
  const up = (Math.atan2(east, above.lat - below.lat) * 180) / Math.PI
  return Number.isFinite(up) ? up : 0
}

function reachOf(radius_cells: number, cells: number): number {
  return Math.max(radius_cells, Math.ceil(cells))
}

/** Where a point lies in cells, rows counted from the north. */
function positionOf({ width, height, place, projection }: Layout, at: Point): { x: number; y: number } {
  const { x: east, y: north } = projection.forward(at)
  const middle = place.x + (place.step_x * width) / 2
  const x = ((projection.isGeographic ? middle + ((((east - middle + 540) % 360) + 360) % 360) - 180 : east) - place.x) / place.step_x
  const down = (north - place.y) / place.step_y
  const y = place.step_y > 0 ? height - down : down
  return Math.abs(x) < -nowhere && Math.abs(y) < -nowhere ? { x, y } : { x: nowhere + 0.5, y: nowhere + 0.5 }
}

/** The true size of the cells at a place, or at the edge that is nearest to it; where the projection has no ground, that of the raster's middle. */
function cellSizeAt({ width, height, place, projection }: Layout, x: number, y: number): { x_m: number; y_m: number } {
  const size = (column: number, row: number) => {
    const at = (dx: number, dy: number) => xyzOf(projection.inverse(place.x + (column + dx) * place.step_x, place.y + (row + dy) * place.step_y))
    const [w, e, n, s] = [at(-0.5, 0), at(0.5, 0), at(0, -0.5), at(0, 0.5)]
    return { x_m: Math.hypot(e.x - w.x, e.y - w.y, e.z - w.z), y_m: Math.hypot(s.x - n.x, s.y - n.y, s.z - n.z) }
  }
  const here = size(clamped(x, width), clamped(place.step_y > 0 ? height - y : y, height))
  if (here.x_m > 0 && here.y_m > 0) return here
  const middle = size(width / 2, height / 2)
  if (middle.x_m > 0 && middle.y_m > 0) return middle
  throw new UpstreamError('bad_response', 'The raster says that it lies where its coordinate system has no ground.')
}

function clamped(value: number, most: number): number {
  return Math.min(most, Math.max(0, value))
}
