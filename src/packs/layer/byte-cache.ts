/** A cache with one byte limit for all partitions. It evicts the least recently used entries first. */
export type ByteCache = { openPartition<T>(): CachePartition<T> }

/** A part of the cache with its own keys. */
export type CachePartition<T> = {
  get(key: number): T | undefined
  set(key: number, value: T, bytes: number): T
  close(): void
}

/**
 * Creates a cache with two generations. A read moves an entry to the young generation. When the young generation holds
 * half of the bytes, the old one is dropped. A hit in the young generation writes nothing, so a hot row costs one map
 * lookup.
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

/** Estimated memory of an entry without its value. */
const entryOverhead_bytes = 100
