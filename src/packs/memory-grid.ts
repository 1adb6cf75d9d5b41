import type { Database } from 'bun:sqlite'
import type { Point } from '../model/place.ts'
import type { Grid } from '../model/source.ts'
import { readAllRows } from './geopackage-rows.ts'

type Row = { lat: number; west: number; step: number; cells: Uint8Array }

/** A small grid in memory, with values at the intersections of regularly spaced latitudes and longitudes. */
export type MemoryGrid = { window(at: Point, radius_cells: number): Grid }

/**
 * Reads a grid from a table whose rows run from north to south. `cells` holds little-endian 16-bit integers in
 * hundredths; the first is at `west`.
 */
export function loadMemoryGrid(db: Database, table: string): MemoryGrid {
  const rows = readAllRows<Row>(db, table)
  const [top] = rows
  if (!top) throw new Error(`The grid ${table} has no rows.`)
  const cells = rows.map((row) => new Int16Array(row.cells.slice().buffer))
  const width = cells[0]!.length
  return {
    window({ lat, lng }, radius_cells) {
      // The first cell extends half a step west of its node.
      const x = ((lng - top.west + top.step / 2 + 720) % 360) / top.step - 0.5
      const y = (top.lat - lat) / top.step
      const column = Math.floor(x) - radius_cells
      const row = Math.floor(y) - radius_cells
      const size = 2 * radius_cells + 2
      const value = (i: number, j: number) =>
        j >= 0 && j < width && i >= 0 && i < rows.length ? cells[i]![j]! / 100 : null
      const window = Array.from({ length: size * size }, (_, n) =>
        value(row + Math.floor(n / size), column + (n % size)),
      )
      return { width: size, height: size, at_x: x - column + 0.5, at_y: y - row + 0.5, cells: window }
    },
  }
}
