import { attempt, openCache, orNull } from './cache.ts'

/** An answer of a source as it was kept: JSON, when it came (ms), and until when it is fresh. */
type Kept = { data: string; kept_at: number; fresh_until: number }

/**
 * What other servers have answered, in `cache.db`. It may be deleted at any time: what cannot be read is not there, what cannot be written is let go.
 * The answers to one question come together, so they are written together, a moment later: a transaction costs more than what it writes. They are found at once.
 */
export type Readings = {
  find(key: string): Kept | null
  keep(key: string, data: string, kept_at: number, fresh_until: number): void
  /** Forgets what was fresh until before then, and the oldest of what is too much. */
  sweep(before: number): void
  close(): void
}

const rowsMax = 500_000
const dataMax_characters = 4_000_000
/** So long, so many and so much may wait to be written. */
const waitMax_ms = 50
const waitMax_rows = 256
const waitMax_characters = 8_000_000

const tables = [
  'CREATE TABLE IF NOT EXISTS readings (key TEXT PRIMARY KEY, data TEXT NOT NULL, kept_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  'CREATE INDEX IF NOT EXISTS readings_by_time ON readings (fresh_until)',
]

export function openReadings(folder: string): Readings {
  const db = openCache(folder, tables)
  const found = db.query<Kept, [string]>('SELECT data, kept_at, fresh_until FROM readings WHERE key = ?')
  const kept = db.query('INSERT OR REPLACE INTO readings (key, data, kept_at, fresh_until) VALUES (?, ?, ?, ?)')
  const expired = db.query('DELETE FROM readings WHERE fresh_until < ?')
  const surplus = db.query('DELETE FROM readings WHERE key IN (SELECT key FROM readings ORDER BY kept_at DESC LIMIT -1 OFFSET ?)')
  const waiting = new Map<string, Kept>()
  let waiting_characters = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  return {
    find: (key) => waiting.get(key) ?? orNull(() => found.get(key)),
    keep(key, data, kept_at, fresh_until) {
      if (data.length > dataMax_characters) return
      waiting.set(key, { data, kept_at, fresh_until })
      waiting_characters += data.length
      if (waiting.size >= waitMax_rows || waiting_characters > waitMax_characters) write()
      else timer ??= setTimeout(write, waitMax_ms).unref()
    },
    sweep(before) {
      write()
      attempt(expired, before)
      attempt(surplus, rowsMax)
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
    if (rows.length === 0) return
    orNull(db.transaction(() => {
      for (const [key, { data, kept_at, fresh_until }] of rows) attempt(kept, key, data, kept_at, fresh_until)
    }).immediate)
  }
}
