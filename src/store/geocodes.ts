import { checkedText, withChecksum } from './checked-text.ts'
import type { Sql } from './sql.ts'
import { StorageError } from './storage-error.ts'

/** A cached geocoding outcome as JSON, and the providers that were queried for it. */
type CachedGeocode = { outcome: string; providers: string }

/**
 * The geocoding outcomes by normalized address. It is a cache, so its errors fail no request: a read that fails, or of a
 * damaged row, finds nothing, and a write that fails is ignored.
 */
export type GeocodeStore = {
  /** Finds an outcome if it is fresh. Ignores rows from the future, which were written while the clock was wrong. */
  find(key: string, now: number): Promise<CachedGeocode | null>
  put(key: string, geocode: CachedGeocode, times: GeocodeTimes): Promise<void>
  /** Deletes the rows that expired before a time. */
  sweep(before: number): Promise<void>
}

/** When an outcome was cached, and when it expires. */
type GeocodeTimes = { cached_at: number; fresh_until: number }

/** The largest backward correction of the clock that does not invalidate cached rows. */
export const maxClockCorrection_ms = 3_600_000

/** Creates the geocode store, which all processes share, so that none pays for what another one has found. */
export function createGeocodes(quick: Pick<Sql, 'get' | 'run'>, sweep: GeocodeStore['sweep']): GeocodeStore {
  return {
    async find(key, now) {
      const values = { key, now, latest: now + maxClockCorrection_ms }
      const found = await unlessStorageFails(quick.get<CachedGeocode & GeocodeTimes>(findGeocode, values))
      if (!found) return null
      const { providers, cached_at, fresh_until } = found
      const outcome = checkedText(found.outcome, key, providers, cached_at, fresh_until)
      return outcome === null ? null : { outcome, providers }
    },
    async put(key, { outcome, providers }, times) {
      const { cached_at, fresh_until } = times
      const checked = withChecksum(outcome, key, providers, cached_at, fresh_until)
      await unlessStorageFails(quick.run(putGeocode, { key, outcome: checked, providers, ...times }))
    },
    sweep,
  }
}

const findGeocode =
  'SELECT outcome, providers, cached_at, fresh_until FROM geocodes WHERE key = $key AND fresh_until > $now AND cached_at <= $latest'
const putGeocode = `INSERT INTO geocodes (key, outcome, providers, cached_at, fresh_until)
  VALUES ($key, $outcome, $providers, $cached_at, $fresh_until)
  ON CONFLICT (key) DO UPDATE SET outcome = excluded.outcome, providers = excluded.providers,
    cached_at = excluded.cached_at, fresh_until = excluded.fresh_until`

/** Rows per DELETE, so that no statement takes long. */
const batch_rows = 1000

/** Deletes the geocodes that expired before a time. */
export async function deleteExpiredGeocodes(work: Sql, before: number): Promise<void> {
  const deleteBatch = `DELETE FROM geocodes WHERE key IN (
    SELECT key FROM geocodes WHERE fresh_until < $before ORDER BY fresh_until LIMIT ${batch_rows})`
  while ((await work.run(deleteBatch, { before })) > 0);
}

/** Resolves with null if the storage fails: an error of a cache must never fail a request. */
async function unlessStorageFails<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}
