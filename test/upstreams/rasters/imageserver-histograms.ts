import type { Point } from '../../../src/model/place.ts'
import { jsonAnswer, type ServiceAnswer } from '../service.ts'
import { arcgisErrorAnswer } from './imageserver-catalog.ts'
import { degreesOf, type RasterPosition } from './imageserver-geometry.ts'
import { rasterGrid } from './raster.ts'

type Zone = {
  rings: RasterPosition[][]
  pixelSize: string | null
  withStatistics: boolean
  value(at: Point): number | null
}

/**
 * The counts of codes 0 to 255 among the cells of a polygon. With cells larger than the polygon the list is empty, and
 * no error says so.
 */
export function histograms({ rings, pixelSize, withStatistics, value }: Zone): ServiceAnswer {
  const size = sizeOf(pixelSize)
  if (size === null) return arcgisErrorAnswer(400, 'Invalid pixelSize.')
  const counts = Array.from({ length: 256 }, () => 0)
  const [west, south, east, north] = boxOf(rings)
  if ((east - west) * (north - south) > 4_000_000 * size * size)
    return arcgisErrorAnswer(400, 'The requested image exceeds the size limit.')
  const end = size > east - west ? south : north
  for (let y = firstMiddle(south, rasterGrid.north, size); y < end; y += size) {
    for (let x = firstMiddle(west, rasterGrid.west, size); x < east; x += size) {
      const code = inside(rings, [x, y]) ? value(degreesOf([x, y])) : null
      if (code !== null) counts[code]!++
    }
  }
  const found = counts.some((count) => count > 0)
  const list = found ? [{ size: 256, min: -0.5, max: 255.5, counts }] : []
  return jsonAnswer(
    withStatistics ? { statistics: found ? [statisticsOf(counts)] : [], histograms: list } : { histograms: list },
  )
}

/** The first middle of a cell of the grid at or after a position. */
function firstMiddle(from: number, origin: number, size: number): number {
  return origin + (Math.ceil((from - origin) / size - 0.5) + 0.5) * size
}

function sizeOf(text: string | null): number | null {
  if (text === null) return 30
  const size = Number(/^\{.*"x"\s*:\s*([\d.]+)/.exec(text)?.[1] ?? /^([\d.]+),[\d.]+$/.exec(text)?.[1])
  return size > 0 ? size : null
}

function boxOf(rings: RasterPosition[][]): [number, number, number, number] {
  const xs = rings.flat().map(([x]) => x)
  const ys = rings.flat().map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

function inside(rings: RasterPosition[][], [x, y]: RasterPosition): boolean {
  let odd = false
  for (const ring of rings) {
    for (const [nth, [ax, ay]] of ring.entries()) {
      const [bx, by] = ring.at(nth - 1)!
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd
    }
  }
  return odd
}

function statisticsOf(counts: number[]) {
  const cells = counts.reduce((sum, count) => sum + count, 0)
  const mean = counts.reduce((sum, count, code) => sum + count * code, 0) / cells
  const variance = counts.reduce((sum, count, code) => sum + count * (code - mean) ** 2, 0) / cells
  return {
    min: counts.findIndex((count) => count > 0),
    max: counts.findLastIndex((count) => count > 0),
    mean,
    standardDeviation: Math.sqrt(variance),
    skipX: 1,
    skipY: 1,
    count: cells,
  }
}
