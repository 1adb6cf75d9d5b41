/** Things that can be read again, kept up to a number of bytes over all shelves together; what was not asked for lately goes first. */
export type ByteCache = { shelf<T>(): CacheShelf<T> }

/** One kind of things, by a number of its own. */
export type CacheShelf<T> = { get(key: number): T | undefined; set(key: number, value: T, bytes: number): T; close(): void }

/**
 * Opens a cache in two generations: what is asked for moves to the young one, and when that has half of the bytes, the old one is let go.
 * A hit in the young one writes nothing, so that a hot row costs one look into a map.
 */
export function openByteCache(limit_bytes: number): ByteCache {
  const shelves = new Set<{ turn(): void }>()
  let young_bytes = 0
  return { shelf }

  function shelf<T>(): CacheShelf<T> {
    let [young, old] = [new Map<number, Kept<T>>(), new Map<number, Kept<T>>()]
    const it = {
      turn() {
        old = young
        young = new Map()
      },
    }
    shelves.add(it)
    const put = (key: number, kept: Kept<T>) => {
      young.set(key, kept)
      young_bytes += kept.bytes
      if (young_bytes > limit_bytes / 2) turnAll()
      return kept.value
    }
    return {
      get(key) {
        const fresh = young.get(key)
        if (fresh) return fresh.value
        const kept = old.get(key)
        return kept && put(key, kept)
      },
      set: (key, value, bytes) => put(key, { value, bytes: bytes + entry_bytes }),
      close() {
        shelves.delete(it)
        it.turn()
        it.turn()
      },
    }
  }

  function turnAll() {
    young_bytes = 0
    for (const it of shelves) it.turn()
  }
}

type Kept<T> = { value: T; bytes: number }

/** What an entry costs beside its value. */
const entry_bytes = 100
