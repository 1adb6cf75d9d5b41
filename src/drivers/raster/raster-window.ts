import type { QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import { tileSide } from './tiled-geotiff.ts'
import { cellPositionOf, type GridPosition } from '../../raster/cell-window.ts'
import type { SampleType } from '../../raster/decode.ts'
import type { CellRange } from '../../raster/grid.ts'

/** The grid of a raster, as far as positions need it. It may have no limits. */
export type CellGrid = GridPosition

/** The cells of a grid that boxes touch: the range of each box, and the range of all of them. */
export type CellWindows = { ranges: CellRange[]; whole: CellRange }

/** Finds the cells of boxes, with some cells more on every side. Null if the raster has none of them. */
export function cellWindowsOf(grid: CellGrid, boxes: readonly QueryBox[]): CellWindows | null {
  const ranges = boxes.flatMap((box) => cellRangeOfBox(grid, box) ?? [])
  if (ranges.length === 0) return null
  const whole = {
    left: Math.min(...ranges.map(({ left }) => left)),
    right: Math.max(...ranges.map(({ right }) => right)),
    top: Math.min(...ranges.map(({ top }) => top)),
    bottom: Math.max(...ranges.map(({ bottom }) => bottom)),
  }
  return { ranges, whole }
}

/** Whether a tile of the copied raster, counted from the corner of the whole range, touches one of the ranges. */
export function touchesTile({ ranges, whole }: CellWindows, column: number, row: number): boolean {
  return ranges.some((range) => rangesTouch(range, tileRangeOf(whole, column, row)))
}

/** The cells of a tile of the copied raster. */
export function tileRangeOf({ left, top }: CellRange, column: number, row: number): CellRange {
  const range = { left: left + column * tileSide, top: top + row * tileSide }
  return { ...range, right: range.left + tileSide, bottom: range.top + tileSide }
}

/** The number of tiles that a copy has. */
export function countTiles(windows: CellWindows): number {
  const { left, right, top, bottom } = windows.whole
  let count = 0
  for (let row = 0; row * tileSide < bottom - top; row++)
    for (let column = 0; column * tileSide < right - left; column++) if (touchesTile(windows, column, row)) count++
  return count
}

/** The EPSG code of a coordinate system. @throws {UpstreamError} if it has none. */
export function epsgOf(crs: string, host: string): number {
  const code = /^(?:EPSG|ESRI):(\d+)$/.exec(crs)?.[1]
  const epsg = code === undefined ? undefined : (esriAliases.get(Number(code)) ?? Number(code))
  if (epsg !== undefined) return epsg
  throw new UpstreamError(
    'unsupported_request',
    `The raster of ${host} has the coordinate system ${crs.slice(0, 60)}, which has no EPSG code.`,
  )
}

/** The number that a copy stores for cells without data, if the service declares none. */
export const defaultNodata: Record<SampleType, number> = {
  uint8: 255,
  int8: -128,
  uint16: 65_535,
  int16: -32_768,
  uint32: 4_294_967_295,
  int32: -2_147_483_648,
  float32: -9_999_999,
  float64: -9_999_999,
}

/** The numbers of Esri for systems that have an EPSG code. */
const esriAliases = new Map([
  [102_100, 3857],
  [102_039, 5070],
])
const edgeSteps = 16
/** Windows of slopes and interpolations need cells beside the area. */
const marginCells = 4

function rangesTouch(a: CellRange, b: CellRange): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/** The cells of a box. A projected box has curved edges, so points on them are sampled. */
function cellRangeOfBox(grid: CellGrid, { w, s, e, n }: QueryBox): CellRange | null {
  const positions = Array.from({ length: edgeSteps + 1 }, (_, i) => i / edgeSteps).flatMap((part) => {
    const [lng, lat] = [w + (e - w) * part, s + (n - s) * part]
    return [
      { lat: s, lng },
      { lat: n, lng },
      { lat, lng: w },
      { lat, lng: e },
    ].map((at) => cellPositionOf(grid, at))
  })
  const [xs, ys] = [positions.map(({ x }) => x), positions.map(({ y }) => y)]
  const range = {
    left: Math.max(0, Math.floor(Math.min(...xs)) - marginCells),
    right: Math.min(grid.width, Math.ceil(Math.max(...xs)) + marginCells),
    top: Math.max(0, Math.floor(Math.min(...ys)) - marginCells),
    bottom: Math.min(grid.height, Math.ceil(Math.max(...ys)) + marginCells),
  }
  return range.left < range.right && range.top < range.bottom ? range : null
}
