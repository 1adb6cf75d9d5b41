import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Grid } from '../model/source.ts'
import { offsetPoint } from './imageserver-geometry.ts'

/** A hundred points in one question take 3DEP 20 s, and a 504 is as likely. */
const sideMax = 7

/** Points round a point, row by row from the north-west, and the window they make: `cell_m` apart, or as far as a radius takes. */
export function createLattice(at: Point, cell_m: number, { radius_cells, radius_m = 0 }: LatticeSize): Lattice {
  const side = radius_m > 0 ? sideMax : 2 * radius_cells + 1
  if (side > sideMax)
    throw new UpstreamError(
      'unsupported_request',
      `A window of ${side} by ${side} cells was asked for; a service is asked for at most ${sideMax} by ${sideMax}.`,
    )
  const step_m = Math.max(cell_m, (2 * radius_m) / side)
  const offsets_m = Array.from({ length: side }, (_, i) => (i - (side - 1) / 2) * step_m)
  const points = offsets_m.flatMap((south_m) =>
    offsets_m.map((east_m) => wrapLongitude(offsetPoint(at, east_m, -south_m))),
  )
  return { points, width: side, height: side, at_x: side / 2, at_y: side / 2, cell_x_m: step_m, cell_y_m: step_m }
}

type LatticeSize = { radius_cells: number; radius_m: number | undefined }
type Lattice = Omit<Grid, 'cells'> & { points: Point[] }

function wrapLongitude({ lat, lng }: Point): Point {
  return { lat, lng: lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng }
}
