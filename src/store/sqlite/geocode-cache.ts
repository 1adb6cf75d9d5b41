import { tryWrite, maxClockCorrection_ms, openCacheDatabase, nullOnError } from './cache-database.ts'
import { sweepCache } from './cache-sweep.ts'

/** A cached geocoding outcome as JSON, and the providers that were queried for it. */
type CachedGeocode = { outcome: string; providers: string }

type Row = CachedGeocode & { cached_at: number; fresh_until: number }

/**
 * The geocoding outcomes in `cache.db` by normalized address. Read errors count as misses; write errors are ignored.
 */
export type GeocodeCache = {
  /** Returns the outcome if it is fresh. Ignores rows from the future, which were written while the clock was wrong. */
  find(key: string, now: number): CachedGeocode | null
  put(key: string, geocode: CachedGeocode, cached_at: number, fresh_until: number): void
  /** Deletes the rows that expired before a time, and more if the file is too large. */
  sweep(before: number): Promise<void>
  close(): void
}

/**
 * Higher than the limit of the upstream cache, so that its rows are deleted first: a geocode may have been paid for.
 */
const maxUsed_bytes = 5 * 2 ** 30

const tables = [
  `CREATE TABLE IF NOT EXISTS geocodes (
    key TEXT PRIMARY KEY, outcome TEXT NOT NULL, providers TEXT NOT NULL, cached_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS geocodes_by_expiry ON geocodes (fresh_until)',
]

/** Opens the geocode cache. It shares `cache.db` with the upstream cache. */
export function openGeocodeCache(folder: string): GeocodeCache {
  const db = openCacheDatabase(folder, tables)
  const findRow = db.query<Row, [string]>(
    'SELECT outcome, providers, cached_at, fresh_until FROM geocodes WHERE key = ?',
  )
  const putRow = db.query(
    'INSERT OR REPLACE INTO geocodes (key, outcome, providers, cached_at, fresh_until) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    find(key, now) {
      const row = nullOnError(() => findRow.get(key))
      if (!row || now >= row.fresh_until || row.cached_at > now + maxClockCorrection_ms) return null
      return { outcome: row.outcome, providers: row.providers }
    },
    put: (key, { outcome, providers }, cached_at, fresh_until) =>
      tryWrite(putRow, key, outcome, providers, cached_at, fresh_until),
    sweep: (before) => sweepCache(db, 'geocodes', before, maxUsed_bytes),
    close: () => db.close(),
  }
}
