import type { Point } from '../../src/model/place.ts'

/** The column and row of the tile of a point. */
export function columnAndRowOf({ lat, lng }: Point, z: number): [x: number, y: number] {
  const mercator = Math.asinh(Math.tan((lat * Math.PI) / 180))
  return [Math.floor(((lng + 180) / 360) * 2 ** z), Math.floor(((1 - mercator / Math.PI) / 2) * 2 ** z)]
}
