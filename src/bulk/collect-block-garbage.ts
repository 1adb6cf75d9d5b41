import { createGarbageCollector } from '../async/collect-garbage.ts'

/** Blocks between two collections of their garbage, which the engine itself collects too late. */
const blocksBetweenCollections = 16
/** A larger heap makes a run a few percent faster, but each thread has one. */
const heapGrowthMax_bytes = 8 * 1_048_576

/** Returns a function that each thread of a run calls after each block. */
export function createBlockGarbageCollector(): () => void {
  return createGarbageCollector(blocksBetweenCollections, heapGrowthMax_bytes)
}
