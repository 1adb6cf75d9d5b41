/** A cached geocoding outcome as JSON, and the providers that were queried for it. */
export type CachedGeocode = { outcome: string; providers: string }

/**
 * The geocoding outcomes by normalized address. It is a cache, so its errors fail no request: a read that fails finds
 * nothing, and a write that fails is ignored.
 */
export type GeocodeStore = {
  /** Finds an outcome if it is fresh. Ignores rows from the future, which were written while the clock was wrong. */
  find(key: string, now: number): Promise<CachedGeocode | null>
  put(key: string, geocode: CachedGeocode, times: GeocodeTimes): Promise<void>
  /** Deletes the rows that expired before a time. */
  sweep(before: number): Promise<void>
}

/** When an outcome was cached, and when it expires. */
export type GeocodeTimes = { cached_at: number; fresh_until: number }

/** The largest backward correction of the clock that does not invalidate cached rows. */
export const maxClockCorrection_ms = 3_600_000
