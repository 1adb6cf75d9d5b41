/** Things that can be read again, kept up to a number of bytes over all shelves together; what was not asked for lately goes first. */
export type ByteCache = { openPartition<T>(): CachePartition<T> }

/** One kind of things, by a number of its own. */
export type CachePartition<T> = {
  get(key: number): T | undefined
  set(key: number, value: T, bytes: number): T
  close(): void
}

/**
 * Opens a cache in two generations: what is asked for moves to the young one, and when that has half of the bytes, the old one is let go.
 * A hit in the young one writes nothing, so that a hot row costs one look into a map.
 */
export function createByteCache(limit_bytes: number): ByteCache {
  const partitions = new Set<{ rotate(): void }>()
  let young_bytes = 0
  return { openPartition }

  function openPartition<T>(): CachePartition<T> {
    let [young, old] = [new Map<number, CacheEntry<T>>(), new Map<number, CacheEntry<T>>()]
    const partition = {
      rotate() {
        old = young
        young = new Map()
      },
    }
    partitions.add(partition)
    const put = (key: number, entry: CacheEntry<T>) => {
      young.set(key, entry)
      young_bytes += entry.bytes
      if (young_bytes > limit_bytes / 2) rotateAll()
      return entry.value
    }
    return {
      get(key) {
        const recent = young.get(key)
        if (recent) return recent.value
        const entry = old.get(key)
        return entry && put(key, entry)
      },
      set: (key, value, bytes) => put(key, { value, bytes: bytes + entryOverhead_bytes }),
      close() {
        partitions.delete(partition)
        partition.rotate()
        partition.rotate()
      },
    }
  }

  function rotateAll() {
    young_bytes = 0
    for (const partition of partitions) partition.rotate()
  }
}

type CacheEntry<T> = { value: T; bytes: number }

/** What an entry costs beside its value. */
const entryOverhead_bytes = 100
