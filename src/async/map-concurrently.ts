/**
 * Runs the work for all items, in order, at most `atATime` at a time. Resolves with the results in order. After a
 * failure, it begins no other item.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  atATime: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const runNext = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      try {
        results[index] = await work(items[index]!, index)
      } catch (error) {
        next = items.length
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: atATime }, runNext))
  return results
}
