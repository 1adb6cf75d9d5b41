import { tryWrite, maxClockCorrection_ms, openCacheDatabase, nullOnError } from './cache-database.ts'
import { sweepCache } from './cache-sweep.ts'

/** A verdict about an address as it was kept: JSON, and of which providers it was asked. */
type CachedGeocode = { verdict: string; providers: string }

type Row = CachedGeocode & { kept_at: number; fresh_until: number }

/** What became of addresses, in `cache.db`, by their normalised form. What cannot be read is not there, what cannot be written is let go. */
export type GeocodeCache = {
  /** What is kept and still fresh at that time. A row from the future is not: it was written when the clock was wrong. */
  find(key: string, now: number): CachedGeocode | null
  put(key: string, geocode: CachedGeocode, kept_at: number, fresh_until: number): void
  /** Forgets what was fresh until before then, and of the rest what is too much. */
  sweep(before: number): Promise<void>
  close(): void
}

/** More than is kept of readings, which go first: an address may have been paid for. */
const maxUsed_bytes = 5 * 2 ** 30

const tables = [
  `CREATE TABLE IF NOT EXISTS geocodes (
    key TEXT PRIMARY KEY, verdict TEXT NOT NULL, providers TEXT NOT NULL, kept_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS geocodes_by_time ON geocodes (fresh_until)',
]

/** Keeps them beside the readings, in one file. */
export function openGeocodeCache(folder: string): GeocodeCache {
  const db = openCacheDatabase(folder, tables)
  const findRow = db.query<Row, [string]>('SELECT verdict, providers, kept_at, fresh_until FROM geocodes WHERE key = ?')
  const putRow = db.query(
    'INSERT OR REPLACE INTO geocodes (key, verdict, providers, kept_at, fresh_until) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    find(key, now) {
      const row = nullOnError(() => findRow.get(key))
      if (!row || now >= row.fresh_until || row.kept_at > now + maxClockCorrection_ms) return null
      return { verdict: row.verdict, providers: row.providers }
    },
    put: (key, { verdict, providers }, kept_at, fresh_until) =>
      tryWrite(putRow, key, verdict, providers, kept_at, fresh_until),
    sweep: (before) => sweepCache(db, 'geocodes', before, maxUsed_bytes),
    close: () => db.close(),
  }
}
