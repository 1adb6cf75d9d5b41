import { attempt, openCache, orNull } from './cache.ts'

/** An answer of a source as it was kept: JSON, when it came (ms), and until when it is fresh. */
type Kept = { data: string; kept_at: number; fresh_until: number }

/** What other servers have answered, in `cache.db`. It may be deleted at any time: what cannot be read is not there, what cannot be written is let go. */
export type Readings = {
  find(key: string): Kept | null
  keep(key: string, data: string, kept_at: number, fresh_until: number): void
  /** Forgets what was fresh until before then, and the oldest of what is too much. */
  sweep(before: number): void
  close(): void
}

const rowsMax = 500_000
const dataMax_characters = 4_000_000

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
  return {
    find: (key) => orNull(() => found.get(key)),
    keep(key, data, kept_at, fresh_until) {
      if (data.length <= dataMax_characters) attempt(kept, key, data, kept_at, fresh_until)
    },
    sweep(before) {
      attempt(expired, before)
      attempt(surplus, rowsMax)
    },
    close: () => db.close(),
  }
}
