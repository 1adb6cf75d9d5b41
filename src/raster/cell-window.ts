import { xyzOf } from '../geo/ecef.ts'
import { UpstreamError } from '../model/error.ts'
import type { CellRect, CellSource, Extent } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import type { RasterLayout } from './layout.ts'
import type { WindowQuery } from './raster.ts'

const cellsMax = 4_000_000

/**
 * A window in cells of the raster, with rows counted from the north. `column` and `row`: its first cell. `at_x` and
 * `at_y`: the position of the point, in cells from the north-west corner of the window. `up_degrees`: the bearing of a
 * column. /
 */
export type CellWindow = {
  column: number
  row: number
  width: number
  height: number
  at_x: number
  at_y: number
  cell_x_m: number
  cell_y_m: number
  up_degrees: number
}

/** What positions in a raster need of it. */
export type GridPosition = Pick<RasterLayout, 'width' | 'height' | 'geoTransform' | 'projection'>

/** Returns the cells that a query covers. Throws `too_large` beyond 4 million cells. */
export function cellWindowOf(layout: RasterLayout, { at, radius_cells, radius_m = 0 }: WindowQuery): CellWindow {
  const { x, y } = cellPositionOf(layout, at)
  const { x_m, y_m } = cellSizeAt(layout, x, y)
  const halfWidth = reachInCells(radius_cells, radius_m / x_m)
  const halfHeight = reachInCells(radius_cells, radius_m / y_m)
  const [width, height] = [2 * halfWidth + 1, 2 * halfHeight + 1]
  if (width * height > cellsMax)
    throw new UpstreamError(
      'too_large',
      `The raster window has ${width} by ${height} cells. The maximum is ${cellsMax} cells.`,
    )
  const [column, row] = [Math.floor(x) - halfWidth, Math.floor(y) - halfHeight]
  return {
    column,
    row,
    width,
    height,
    at_x: x - column,
    at_y: y - row,
    cell_x_m: x_m,
    cell_y_m: y_m,
    up_degrees: upDegreesAt(layout, at, { x, y }),
  }
}

/**
 * Returns a rectangle of cells as a window, with its middle as the point. Throws `too_large` beyond 4 million cells.
 */
export function windowOfRect(layout: GridPosition, rect: CellRect): CellWindow {
  const { column, row, width, height } = rect
  if (width * height > cellsMax)
    throw new UpstreamError(
      'too_large',
      `The raster window has ${width} by ${height} cells. The maximum is ${cellsMax} cells.`,
    )
  const { x_m, y_m } = cellSizeAt(layout, column + width / 2, row + height / 2)
  return { ...rect, at_x: width / 2, at_y: height / 2, cell_x_m: x_m, cell_y_m: y_m, up_degrees: 0 }
}

/** Whether a cell of the raster contains the point. */
export function coversPoint(layout: RasterLayout, bounds: Extent, at: Point): boolean {
  if (at.lat < bounds.south - edgeBulge_degrees || at.lat > bounds.north + edgeBulge_degrees) return false
  const { x, y } = cellPositionOf(layout, at)
  return x >= 0 && x < layout.width && y >= 0 && y < layout.height
}

/** Returns the WGS 84 bounding box of the raster. Samples the edges, because projected edges are curves in degrees. */
export function rasterBoundsOf({ width, height, geoTransform, projection }: RasterLayout): Extent {
  const edge: Point[] = []
  for (let i = 0; i <= edgeSteps; i++) {
    const [x, y] = [
      geoTransform.x + (geoTransform.step_x * width * i) / edgeSteps,
      geoTransform.y + (geoTransform.step_y * height * i) / edgeSteps,
    ]
    const [farX, farY] = [geoTransform.x + geoTransform.step_x * width, geoTransform.y + geoTransform.step_y * height]
    edge.push(
      projection.inverse(x, geoTransform.y),
      projection.inverse(x, farY),
      projection.inverse(geoTransform.x, y),
      projection.inverse(farX, y),
    )
  }
  const points = edge.filter(({ lat, lng }) => Number.isFinite(lat) && Number.isFinite(lng))
  if (points.length === 0) return { west: -180, south: -90, east: 180, north: 90 }
  const [lats, lngs] = [points.map(({ lat }) => lat), points.map(({ lng }) => lng)]
  return { west: Math.min(...lngs), south: Math.min(...lats), east: Math.max(...lngs), north: Math.max(...lats) }
}

const edgeSteps = 20
/** How far an edge may bulge between its sampled points. */
const edgeBulge_degrees = 0.5
/** The position of a point that the projection cannot represent. */
const unreachable_cells = -1e9

/** The bearing of a column at a point. In a projection, grid north differs from true north. */
function upDegreesAt(
  { height, geoTransform, projection }: RasterLayout,
  at: Point,
  { x, y }: { x: number; y: number },
): number {
  if (projection.isGeographic) return 0
  const pointAtRow = (row: number) =>
    projection.inverse(
      geoTransform.x + x * geoTransform.step_x,
      geoTransform.y + (geoTransform.step_y > 0 ? height - row : row) * geoTransform.step_y,
    )
  const [above, below] = [pointAtRow(y - 0.5), pointAtRow(y + 0.5)]
  const east = (((above.lng - below.lng + 540) % 360) - 180) * Math.cos((at.lat * Math.PI) / 180)
  const up = (Math.atan2(east, above.lat - below.lat) * 180) / Math.PI
  return Number.isFinite(up) ? up : 0
}

function reachInCells(radius_cells: number, cells: number): number {
  return Math.max(radius_cells, Math.ceil(cells))
}

/** The position of a point in cells, with rows counted from the north. */
export function cellPositionOf(
  { width, height, geoTransform, projection }: GridPosition,
  at: Point,
): { x: number; y: number } {
  const { x: east, y: north } = projection.forward(at)
  const middle = geoTransform.x + (geoTransform.step_x * width) / 2
  const x =
    ((projection.isGeographic ? middle + ((((east - middle + 540) % 360) + 360) % 360) - 180 : east) - geoTransform.x) /
    geoTransform.step_x
  const down = (north - geoTransform.y) / geoTransform.step_y
  const y = geoTransform.step_y > 0 ? height - down : down
  return Math.abs(x) < -unreachable_cells && Math.abs(y) < -unreachable_cells
    ? { x, y }
    : { x: unreachable_cells + 0.5, y: unreachable_cells + 0.5 }
}

/** The size of a raster, and its positions in cells as points. */
export function cellPositions(grid: GridPosition): Pick<CellSource, 'width' | 'height' | 'positionOf' | 'pointAt'> {
  return {
    width: grid.width,
    height: grid.height,
    positionOf: (at) => cellPositionOf(grid, at),
    pointAt: (position) => pointAtCell(grid, position),
  }
}

function pointAtCell(
  { height, geoTransform: { x: left, y: top, step_x, step_y }, projection }: GridPosition,
  { x, y }: { x: number; y: number },
): Point {
  const { lat, lng } = projection.inverse(left + x * step_x, top + (step_y > 0 ? height - y : y) * step_y)
  return { lat, lng: lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng }
}

/**
 * The size of a cell on the ground at a position, or at the nearest edge. Where the projection has no ground, the size
 * at the center of the raster. /
 */
function cellSizeAt(
  { width, height, geoTransform, projection }: GridPosition,
  x: number,
  y: number,
): { x_m: number; y_m: number } {
  const sizeOfCell = (column: number, row: number) => {
    const at = (dx: number, dy: number) =>
      xyzOf(
        projection.inverse(
          geoTransform.x + (column + dx) * geoTransform.step_x,
          geoTransform.y + (row + dy) * geoTransform.step_y,
        ),
      )
    const [w, e, n, s] = [at(-0.5, 0), at(0.5, 0), at(0, -0.5), at(0, 0.5)]
    return { x_m: Math.hypot(e.x - w.x, e.y - w.y, e.z - w.z), y_m: Math.hypot(s.x - n.x, s.y - n.y, s.z - n.z) }
  }
  const sizeAtPoint = sizeOfCell(clamp(x, width), clamp(geoTransform.step_y > 0 ? height - y : y, height))
  if (sizeAtPoint.x_m > 0 && sizeAtPoint.y_m > 0) return sizeAtPoint
  const sizeAtCenter = sizeOfCell(width / 2, height / 2)
  if (sizeAtCenter.x_m > 0 && sizeAtCenter.y_m > 0) return sizeAtCenter
  throw new UpstreamError('bad_response', 'The raster lies outside the area of its coordinate system.')
}

function clamp(value: number, max: number): number {
  return Math.min(max, Math.max(0, value))
}
