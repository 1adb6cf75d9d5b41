import { maxClockCorrection_ms, type CachedGeocode, type GeocodeStore } from '../geocodes.ts'
import { StorageError } from '../storage-error.ts'
import type { PostgresPools } from './postgres-pool.ts'

/** Rows per DELETE, so that no statement takes long. */
const batch_rows = 1000

/**
 * Creates the geocode store on PostgreSQL. All processes share it, so that none pays for what another one has found.
 */
export function createPostgresGeocodes({ quick, work }: PostgresPools): GeocodeStore {
  return {
    async find(key, now) {
      const rows = await unlessStorageFails(
        quick.query<CachedGeocode>(
          'SELECT outcome, providers FROM geocodes WHERE key = $1 AND fresh_until > $2 AND cached_at <= $3',
          key,
          now,
          now + maxClockCorrection_ms,
        ),
      )
      return rows?.[0] ?? null
    },
    async put(key, { outcome, providers }, { cached_at, fresh_until }) {
      await unlessStorageFails(
        quick.query(
          `INSERT INTO geocodes (key, outcome, providers, cached_at, fresh_until) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (key) DO UPDATE SET outcome = excluded.outcome, providers = excluded.providers,
             cached_at = excluded.cached_at, fresh_until = excluded.fresh_until`,
          key,
          outcome,
          providers,
          cached_at,
          fresh_until,
        ),
      )
    },
    async sweep(before) {
      const deleteBatch = () =>
        work.query(
          `DELETE FROM geocodes WHERE key IN (
             SELECT key FROM geocodes WHERE fresh_until < $1 ORDER BY fresh_until LIMIT ${batch_rows}) RETURNING 1`,
          before,
        )
      while ((await deleteBatch()).length > 0);
    },
  }
}

/** Resolves with null if the storage fails: an error of a cache must never fail a request. */
async function unlessStorageFails<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}
