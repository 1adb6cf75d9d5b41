/**
 * Returns a seeded random generator of numbers from 0 to 1 (a linear congruential generator, good enough to scatter
 * points).
 */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
