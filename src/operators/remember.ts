/** A map of what a pure function returned is emptied when it has this many results. */
const resultsMax = 5000

/** Stores what a pure function returned for a key, and returns it. */
export function remember<T>(results: Map<string, T>, key: string, result: T): T {
  if (results.size >= resultsMax) results.clear()
  results.set(key, result)
  return result
}
