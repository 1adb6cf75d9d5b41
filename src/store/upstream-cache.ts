import { tryWrite, maxClockCorrection_ms, openCacheDatabase, nullOnError } from './cache-database.ts'
import { sweepCache } from './cache-sweep.ts'
import { freeBytesIn, minFreeSpace_bytes } from './free-space.ts'

/** An answer of a source as it was kept: JSON, when it came (ms), and until when it is fresh. */
type CachedAnswer = { data: string; kept_at: number; fresh_until: number }

/**
 * What other servers have answered, in `cache.db`. It may be deleted at any time: what cannot be read is not there, what cannot be written is let go.
 * The answers to one question come together, so they are written together, a moment later: a transaction costs more than what it writes. They are found at once.
 */
export type UpstreamCache = {
  /** What is kept, fresh or not. A row from the future is not there: it was written when the clock was wrong. */
  find(key: string, now: number): CachedAnswer | null
  put(key: string, data: string, kept_at: number, fresh_until: number): void
  /** Forgets what was fresh until before then, and of the rest what is too much. */
  sweep(before: number): Promise<void>
  close(): void
}

/** What `cache.db` may hold before answers are forgotten that are fresh still. */
const maxUsed_bytes = 4 * 2 ** 30
const dataMax_characters = 4_000_000
/** The cache takes no room that runs need. */
const minFreeSpaceLeft_bytes = 2 * minFreeSpace_bytes
/** So long, so many and so much may wait to be written. */
const flushDelay_ms = 250
const maxPending_rows = 256
const maxPending_characters = 8_000_000

const tables = [
  'CREATE TABLE IF NOT EXISTS readings (key TEXT PRIMARY KEY, data TEXT NOT NULL, kept_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  'CREATE INDEX IF NOT EXISTS readings_by_time ON readings (fresh_until)',
]

/** Keeps them beside the geocodes, in one file. */
export function openUpstreamCache(folder: string): UpstreamCache {
  const db = openCacheDatabase(folder, tables)
  const findRow = db.query<CachedAnswer, [string]>('SELECT data, kept_at, fresh_until FROM readings WHERE key = ?')
  const putRow = db.query('INSERT OR REPLACE INTO readings (key, data, kept_at, fresh_until) VALUES (?, ?, ?, ?)')
  const pending = new Map<string, CachedAnswer>()
  let pending_characters = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  return {
    find(key, now) {
      const row = pending.get(key) ?? nullOnError(() => findRow.get(key))
      return row && row.kept_at <= now + maxClockCorrection_ms ? row : null
    },
    put(key, data, kept_at, fresh_until) {
      if (data.length > dataMax_characters) return
      pending.set(key, { data, kept_at, fresh_until })
      pending_characters += data.length
      if (pending.size >= maxPending_rows || pending_characters > maxPending_characters) flush()
      else timer ??= setTimeout(flush, flushDelay_ms).unref()
    },
    sweep(before) {
      flush()
      return sweepCache(db, 'readings', before, maxUsed_bytes)
    },
    close() {
      flush()
      db.close()
    },
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
        for (const [key, { data, kept_at, fresh_until }] of rows) tryWrite(putRow, key, data, kept_at, fresh_until)
      }).immediate,
    )
  }
}
