import { positionsOf, randomStar } from './random-polygons.ts'

/** A square of degrees in which the geometries lie. */
type Square = { west: number; south: number; size: number }

/** Returns a GeoJSON geometry with up to two damages. One of 25 has thousands of vertices. */
export function damagedGeometry(random: () => number, { west, south, size }: Square): object {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(list.length * random())]!
  const [x, y, scale] = [west + size * random(), south + size * random(), 10 ** (-7 + 6 * random())]
  const vertices = 3 + Math.floor((random() < 0.04 ? 9_000 : 8) * random())
  let ring: unknown[] = positionsOf(
    randomStar(random, { x, y, size: scale, vertices, grid: pick([1e-9, 1e-5, scale / 3]) }),
  )
  const at = Math.floor(ring.length * random())
  const damages: (() => void)[] = [
    () => ring.splice(at, 0, ring[at], ring[at]),
    () => ring.splice(at, 0, pick(ring)),
    () => ring.pop(),
    () => (ring = ring.toReversed()),
    () => (ring = ring.slice(0, 3)),
    () => (ring[at] = [x]),
    () => (ring[at] = [x, null]),
    () => (ring[at] = [y, x]),
    () => (ring[at] = [x + 1e-13, y, 5]),
    () =>
      (ring[at] = pick([
        [180, 51.9],
        [-180, 51.9],
        [0, 0],
        [1e300, 39],
      ])),
    () => (ring = [...ring, ...ring]),
    () => (ring = ring.map(() => ring[0])),
  ]
  for (let count = Math.floor(3 * random()); count > 0; count--) pick(damages)()
  return pick([
    () => ({ type: 'Polygon', coordinates: [ring] }),
    () => ({ type: 'Polygon', coordinates: [ring, ring] }),
    () => ({
      type: 'Polygon',
      coordinates: [ring, positionsOf(randomStar(random, { x, y, size: scale / 4, vertices: 5 }))],
    }),
    () => ({ type: 'MultiPolygon', coordinates: [[ring], [ring]] }),
    () => ({ type: 'LineString', coordinates: ring }),
    () => ({ type: 'MultiLineString', coordinates: [ring, ring] }),
    () => ({ type: 'Polygon', coordinates: ring }),
    () => ({ type: 'Polygon', coordinates: [[ring]] }),
  ])()
}
