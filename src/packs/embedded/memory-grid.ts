import type { Point } from '../../model/place.ts'
import type { Grid } from '../../model/source.ts'

/**
 * A grid with values at the intersections of regularly spaced latitudes and longitudes. Its rows run from north to
 * south; each begins at `west`. `cells` are in hundredths.
 */
export type GridArrays = { north: number; west: number; step: number; width: number; cells: Int16Array }

/** A small grid in memory. */
export type MemoryGrid = { window(at: Point, radius_cells: number): Grid }

/** Opens a grid. */
export function openMemoryGrid({ north, west, step, width, cells }: GridArrays): MemoryGrid {
  const height = cells.length / width
  return {
    window({ lat, lng }, radius_cells) {
      // The first cell extends half a step west of its node.
      const x = ((lng - west + step / 2 + 720) % 360) / step - 0.5
      const y = (north - lat) / step
      const column = Math.floor(x) - radius_cells
      const row = Math.floor(y) - radius_cells
      const size = 2 * radius_cells + 2
      const value = (i: number, j: number) =>
        j >= 0 && j < width && i >= 0 && i < height ? cells[i * width + j]! / 100 : null
      const window = Array.from({ length: size * size }, (_, n) =>
        value(row + Math.floor(n / size), column + (n % size)),
      )
      return { width: size, height: size, at_x: x - column + 0.5, at_y: y - row + 0.5, cells: window }
    },
  }
}
