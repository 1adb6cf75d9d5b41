import type { FlatPath } from '../../src/model/area.ts'

/** A generator of random numbers from 0 to 1 with a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A ring around a center that does not cross itself. With `grid`, its vertices lie on a grid of this width. */
export function randomStar(
  random: () => number,
  { x, y, size, vertices, grid }: { x: number; y: number; size: number; vertices: number; grid?: number },
): FlatPath {
  const toGrid = (value: number) => (grid === undefined ? value : Math.round(value / grid) * grid)
  return Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * (i + 0.8 * random())) / vertices
    const radius = size * (0.3 + 0.7 * random())
    return [toGrid(x + radius * Math.cos(angle)), toGrid(y + radius * Math.sin(angle))]
  }).flat()
}

/** A ring as GeoJSON positions, closed. */
export function positionsOf(ring: FlatPath): number[][] {
  const positions = Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i]!, ring[2 * i + 1]!])
  return [...positions, positions[0]!]
}
