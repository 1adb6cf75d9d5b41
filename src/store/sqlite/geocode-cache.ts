import type { Database } from 'bun:sqlite'
import { createGeocodes, type GeocodeStore } from '../geocodes.ts'
import { createCacheSql, openCacheDatabase } from './cache-database.ts'
import { sweepCache } from './cache-sweep.ts'

/** The geocode store in `cache.db`. The sweep deletes more than what expired if the file is too large. */
export type GeocodeCache = GeocodeStore & { close(): void }

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

/** Opens the `cache.db` of a folder, and creates the table of the geocodes. */
export function openGeocodeDatabase(folder: string): Database {
  return openCacheDatabase(folder, tables)
}

/** Opens the geocode cache. It shares `cache.db` with the upstream cache. */
export function openGeocodeCache(folder: string): GeocodeCache {
  const db = openGeocodeDatabase(folder)
  return {
    ...createGeocodes(createCacheSql(db), (before) => sweepCache(db, 'geocodes', before, maxUsed_bytes)),
    close: () => db.close(),
  }
}
