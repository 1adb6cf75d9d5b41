import { processorTimeOf } from './processor-time.ts'
import { reportWithPeer } from './report.ts'

/** The edges of a box, in degrees. */
export type Box = [west: number, south: number, east: number, north: number]

/** Divides a square into rows of equal boxes. `size`: the side of the square, in degrees. */
export function partBoxes([west, south, size]: readonly [number, number, number], perSide: number): Box[] {
  const step = size / perSide
  return Array.from({ length: perSide ** 2 }, (_, i) => {
    const [x, y] = [west + (i % perSide) * step, south + Math.floor(i / perSide) * step]
    return [x, y, x + step, y + step]
  })
}

/** Returns the features whose center is inside the box, or less than this many degrees outside it. */
export function featuresNear<T extends { lng: number; lat: number }>(
  features: readonly T[],
  [west, south, east, north]: Box,
  margin: number,
): T[] {
  return features.filter(
    ({ lng, lat }) => lng > west - margin && lng < east + margin && lat > south - margin && lat < north + margin,
  )
}

const rounds = 5

/** Compares how fast a pack in parts and the same pack in one file answer, in turns. `count`: the points of one round. */
export async function compareRates(
  what: string,
  count: number,
  answer: { parts: () => unknown; one: () => unknown },
): Promise<void> {
  const times: Record<keyof typeof answer, number[]> = { one: [], parts: [] }
  for (let round = 0; round < rounds; round++) {
    times.one.push(await processorTimeOf(answer.one))
    times.parts.push(await processorTimeOf(answer.parts))
  }
  const [parts, one] = [times.parts, times.one].map((all) => count / Math.min(...all)) as [number, number]
  reportWithPeer({ what, ours: parts.toFixed(0), peer: one.toFixed(0), ratio: parts / one, promised: 0.9 })
}
