import { attempt, correction_ms, openCache, orNull } from './cache.ts'
import { sweepCache } from './cache-sweep.ts'
import { freeIn, roomMin_bytes } from './free-room.ts'

/** An answer of a source as it was kept: JSON, when it came (ms), and until when it is fresh. */
type Kept = { data: string; kept_at: number; fresh_until: number }

/**
 * What other servers have answered, in `cache.db`. It may be deleted at any time: what cannot be read is not there, what cannot be written is let go.
 * The answers to one question come together, so they are written together, a moment later: a transaction costs more than what it writes. They are found at once.
 */
export type Readings = {
  /** What is kept, fresh or not. A row from the future is not there: it was written when the clock was wrong. */
  find(key: string, now: number): Kept | null
  keep(key: string, data: string, kept_at: number, fresh_until: number): void
  /** Forgets what was fresh until before then, and of the rest what is too much. */
  sweep(before: number): Promise<void>
  close(): void
}

/** What `cache.db` may hold before answers are forgotten that are fresh still. */
const heldMax_bytes = 4 * 2 ** 30
const dataMax_characters = 4_000_000
/** The cache takes no room that runs need. */
const roomLeft_bytes = 2 * roomMin_bytes
/** So long, so many and so much may wait to be written. */
const waitMax_ms = 250
const waitMax_rows = 256
const waitMax_characters = 8_000_000

const tables = [
  'CREATE TABLE IF NOT EXISTS readings (key TEXT PRIMARY KEY, data TEXT NOT NULL, kept_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  'CREATE INDEX IF NOT EXISTS readings_by_time ON readings (fresh_until)',
]

/** Keeps them beside the geocodes, in one file. */
export function openReadings(folder: string): Readings {
  const db = openCache(folder, tables)
  const found = db.query<Kept, [string]>('SELECT data, kept_at, fresh_until FROM readings WHERE key = ?')
  const kept = db.query('INSERT OR REPLACE INTO readings (key, data, kept_at, fresh_until) VALUES (?, ?, ?, ?)')
  const waiting = new Map<string, Kept>()
  let waiting_characters = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  return {
    find(key, now) {
      const row = waiting.get(key) ?? orNull(() => found.get(key))
      return row && row.kept_at <= now + correction_ms ? row : null
    },
    keep(key, data, kept_at, fresh_until) {
      if (data.length > dataMax_characters) return
      waiting.set(key, { data, kept_at, fresh_until })
      waiting_characters += data.length
      if (waiting.size >= waitMax_rows || waiting_characters > waitMax_characters) write()
      else timer ??= setTimeout(write, waitMax_ms).unref()
    },
    sweep(before) {
      write()
      return sweepCache(db, 'readings', before, heldMax_bytes)
    },
    close() {
      write()
      db.close()
    },
  }

  function write(): void {
    if (timer) clearTimeout(timer)
    timer = null
    const rows = [...waiting]
    waiting.clear()
    waiting_characters = 0
    if (rows.length === 0 || (orNull(() => freeIn(folder)) ?? 0) < roomLeft_bytes) return
    orNull(db.transaction(() => {
      for (const [key, { data, kept_at, fresh_until }] of rows) attempt(kept, key, data, kept_at, fresh_until)
    }).immediate)
  }
}
