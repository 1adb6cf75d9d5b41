import { attempt, correction_ms, openCache, orNull } from './cache.ts'
import { sweepCache } from './cache-sweep.ts'

/** A verdict about an address as it was kept: JSON, and of which providers it was asked. */
type KeptGeocode = { verdict: string; providers: string }

type Row = KeptGeocode & { kept_at: number; fresh_until: number }

/** What became of addresses, in `cache.db`, by their normalised form. What cannot be read is not there, what cannot be written is let go. */
export type Geocodes = {
  /** What is kept and still fresh at that time. A row from the future is not: it was written when the clock was wrong. */
  find(key: string, now: number): KeptGeocode | null
  keep(key: string, geocode: KeptGeocode, kept_at: number, fresh_until: number): void
  /** Forgets what was fresh until before then, and of the rest what is too much. */
  sweep(before: number): Promise<void>
  close(): void
}

/** More than is kept of readings, which go first: an address may have been paid for. */
const heldMax_bytes = 5 * 2 ** 30

const tables = [
  `CREATE TABLE IF NOT EXISTS geocodes (
    key TEXT PRIMARY KEY, verdict TEXT NOT NULL, providers TEXT NOT NULL, kept_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS geocodes_by_time ON geocodes (fresh_until)',
]

/** Keeps them beside the readings, in one file. */
export function openGeocodes(folder: string): Geocodes {
  const db = openCache(folder, tables)
  const found = db.query<Row, [string]>('SELECT verdict, providers, kept_at, fresh_until FROM geocodes WHERE key = ?')
  const kept = db.query('INSERT OR REPLACE INTO geocodes (key, verdict, providers, kept_at, fresh_until) VALUES (?, ?, ?, ?, ?)')
  return {
    find(key, now) {
      const row = orNull(() => found.get(key))
      if (!row || now >= row.fresh_until || row.kept_at > now + correction_ms) return null
      return { verdict: row.verdict, providers: row.providers }
    },
    keep: (key, { verdict, providers }, kept_at, fresh_until) => attempt(kept, key, verdict, providers, kept_at, fresh_until),
    sweep: (before) => sweepCache(db, 'geocodes', before, heldMax_bytes),
    close: () => db.close(),
  }
}
