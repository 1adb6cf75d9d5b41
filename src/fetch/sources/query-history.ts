import type { FeatureQuery } from '../../model/source.ts'

/**
 * The recent queries to one source whose answers are still cached. A request with a narrower query repeats the wider
 * one, because its answer is cached.
 */
export type QueryHistory = {
  /** Returns an answered query that contains this one. */
  findCovering(query: FeatureQuery): FeatureQuery | undefined
  record(query: FeatureQuery): void
}

/** Places in the history. The least recently queried one is removed first. */
const placesMax = 64

/** Creates the history of a source whose answers are cached for `fresh_ms`. */
export function createQueryHistory(fresh_ms: number, now: () => Date): QueryHistory {
  const queriesByPlace = new Map<string, RecordedQuery[]>()
  return {
    findCovering(query) {
      const time_ms = now().getTime()
      return queriesByPlace
        .get(keyOf(query))
        ?.find((recorded) => time_ms < recorded.until_ms && covers(recorded.query, query))?.query
    },
    record(query) {
      const key = keyOf(query)
      const time_ms = now().getTime()
      const others = (queriesByPlace.get(key) ?? []).filter(
        (recorded) => time_ms < recorded.until_ms && !covers(query, recorded.query),
      )
      queriesByPlace.delete(key)
      queriesByPlace.set(key, [...others, { query, until_ms: time_ms + fresh_ms }])
      const [oldest] = queriesByPlace.keys()
      if (queriesByPlace.size > placesMax && oldest !== undefined) queriesByPlace.delete(oldest)
    },
  }
}

type RecordedQuery = { query: FeatureQuery; until_ms: number }

function keyOf({ at, level }: FeatureQuery): string {
  return `${at.lat} ${at.lng} ${level ?? ''}`
}

function covers(wider: FeatureQuery, narrower: FeatureQuery): boolean {
  return wider.radius_m >= narrower.radius_m && (wider.where === undefined || wider.where === narrower.where)
}
