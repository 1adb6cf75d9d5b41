import { checkedText, withChecksum } from '../checked-text.ts'
import { maxClockCorrection_ms } from '../geocodes.ts'
import { tryWrite, openCacheDatabase, nullOnError } from './cache-database.ts'
import { sweepCache } from './cache-sweep.ts'
import { freeBytesIn, minFreeSpace_bytes } from '../free-space.ts'

/** A cached response as JSON. Times are milliseconds since 1970. */
type CachedAnswer = { data: string; cached_at: number; fresh_until: number }

/**
 * The responses of other servers in `cache.db`. Read errors and damaged rows count as misses; write errors are ignored.
 * Rows are written in batches after a short delay, because a transaction costs more than its rows, but `find` sees them
 * at once.
 */
export type UpstreamCache = {
  /** Returns the row, fresh or not. Ignores rows from the future, which were written while the clock was wrong. */
  find(key: string, now: number): CachedAnswer | null
  put(key: string, data: string, cached_at: number, fresh_until: number): void
  /** Deletes the rows that expired before a time, and more if the file is too large. */
  sweep(before: number): Promise<void>
  close(): void
}

/** When `cache.db` uses more than this, fresh rows are deleted too. */
const maxUsed_bytes = 4 * 2 ** 30
const dataMax_characters = 4_000_000
/** Nothing is cached below this free space, which runs need. */
const minFreeSpaceLeft_bytes = 2 * minFreeSpace_bytes
/** A batch is written after this delay, or when it has this many rows or characters. */
const flushDelay_ms = 250
const maxPending_rows = 256
const maxPending_characters = 8_000_000

const tables = [
  'CREATE TABLE IF NOT EXISTS upstream_responses (key TEXT PRIMARY KEY, data TEXT NOT NULL, cached_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  'CREATE INDEX IF NOT EXISTS upstream_responses_by_expiry ON upstream_responses (fresh_until)',
]

/** Opens the upstream cache. It shares `cache.db` with the geocode cache. */
export function openUpstreamCache(folder: string): UpstreamCache {
  const db = openCacheDatabase(folder, tables)
  const findRow = db.query<CachedAnswer, [string]>(
    'SELECT data, cached_at, fresh_until FROM upstream_responses WHERE key = ?',
  )
  const putRow = db.query(
    'INSERT OR REPLACE INTO upstream_responses (key, data, cached_at, fresh_until) VALUES (?, ?, ?, ?)',
  )
  const pending = new Map<string, CachedAnswer>()
  let pending_characters = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  return {
    find(key, now) {
      const row = pending.get(key) ?? findStored(key)
      return row && row.cached_at <= now + maxClockCorrection_ms ? row : null
    },
    put(key, data, cached_at, fresh_until) {
      if (data.length > dataMax_characters) return
      pending.set(key, { data, cached_at, fresh_until })
      pending_characters += data.length
      if (pending.size >= maxPending_rows || pending_characters > maxPending_characters) flush()
      else timer ??= setTimeout(flush, flushDelay_ms).unref()
    },
    sweep(before) {
      flush()
      return sweepCache(db, 'upstream_responses', before, maxUsed_bytes)
    },
    close() {
      flush()
      db.close()
    },
  }

  function findStored(key: string): CachedAnswer | null {
    const row = nullOnError(() => findRow.get(key))
    const data = row && checkedText(row.data, key, row.cached_at, row.fresh_until)
    return row && data !== null ? { ...row, data } : null
  }

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = null
    const rows = [...pending]
    pending.clear()
    pending_characters = 0
    if (rows.length === 0 || (nullOnError(() => freeBytesIn(folder)) ?? 0) < minFreeSpaceLeft_bytes) return
    nullOnError(
      db.transaction(() => {
        for (const [key, { data, cached_at, fresh_until }] of rows)
          tryWrite(putRow, key, withChecksum(data, key, cached_at, fresh_until), cached_at, fresh_until)
      }).immediate,
    )
  }
}
