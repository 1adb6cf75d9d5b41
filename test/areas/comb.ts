import { signedRingArea_m2 } from '../../src/geo/ellipsoid.ts'
import type { FlatPath } from '../../src/model/area.ts'

type Comb = { vertices: number; angle_degrees: number; west: number; south: number; size: number }

/**
 * Returns a comb within a square of degrees, with teeth of random lengths at an angle to the parallels: its ring, and
 * the sum of the areas of its back and its teeth.
 */
export function randomComb(
  random: () => number,
  { vertices, angle_degrees, west, south, size }: Comb,
): { ring: FlatPath; area_m2: number } {
  const angle = (angle_degrees * Math.PI) / 180
  const [cos, sin] = [(size / 2) * Math.cos(angle), (size / 2) * Math.sin(angle)]
  const place = ([along, across]: Corner) => [
    west + size / 2 + along * cos - across * sin,
    south + along * sin + across * cos,
  ]
  const count = Math.floor((vertices - 3) / 4)
  const teeth = Array.from({ length: count }, (_, i): Corner[] => {
    const [near, far, tip] = [i / count, (i + 0.2 + 0.6 * random()) / count, 0.1 + 0.9 * random()]
    return [
      [back, near],
      [tip, near],
      [tip, far],
      [back, far],
    ]
  })
  const corners = teeth.flat()
  const pieces: Corner[][] = [...teeth, [[0, 0], [back, 0], corners.at(-1)!, [0, 1]]]
  return {
    ring: [[0, 0] as Corner, ...corners, [0, 1] as Corner].flatMap(place),
    area_m2: pieces.reduce((sum, piece) => sum + signedRingArea_m2(piece.flatMap(place)), 0),
  }
}

type Corner = [along: number, across: number]

/** The width of the back. */
const back = 0.01
