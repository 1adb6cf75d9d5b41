import type { FeatureQuery } from '../model/source.ts'

/** What one source was asked about places for requests before, as long as the answers are fresh: who asks for less asks it again in the same words, and has it from what is kept. */
export type QueryHistory = {
  /** A question that was answered and has all of this one in it. */
  findCovering(query: FeatureQuery): FeatureQuery | undefined
  record(query: FeatureQuery): void
}

/** So many places are remembered; the one that was asked about longest ago is forgotten first. */
const placesMax = 64

/** Opens the memory of a source whose answers are fresh for so long. */
export function createQueryHistory(fresh_ms: number, now: () => Date): QueryHistory {
  const queriesByPlace = new Map<string, RecordedQuery[]>()
  return {
    findCovering(query) {
      const time_ms = now().getTime()
      return queriesByPlace.get(keyOf(query))?.find((it) => time_ms < it.until_ms && covers(it.query, query))?.query
    },
    record(query) {
      const key = keyOf(query)
      const time_ms = now().getTime()
      const others = (queriesByPlace.get(key) ?? []).filter((it) => time_ms < it.until_ms && !covers(query, it.query))
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
