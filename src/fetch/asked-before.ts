import type { FeatureQuery } from '../model/source.ts'

/** What one source was asked about places for requests before, as long as the answers are fresh: who asks for less asks it again in the same words, and has it from what is kept. */
export type AskedBefore = {
  /** A question that was answered and has all of this one in it. */
  with(query: FeatureQuery): FeatureQuery | undefined
  answered(query: FeatureQuery): void
}

/** So many places are remembered; the one that was asked about longest ago is forgotten first. */
const placesMax = 64

/** Opens the memory of a source whose answers are fresh for so long. */
export function openAskedBefore(fresh_ms: number, now: () => Date): AskedBefore {
  const places = new Map<string, Answered[]>()
  return {
    with(query) {
      const time_ms = now().getTime()
      return places.get(keyOf(query))?.find((it) => time_ms < it.until_ms && holds(it.query, query))?.query
    },
    answered(query) {
      const key = keyOf(query)
      const time_ms = now().getTime()
      const others = (places.get(key) ?? []).filter((it) => time_ms < it.until_ms && !holds(query, it.query))
      places.delete(key)
      places.set(key, [...others, { query, until_ms: time_ms + fresh_ms }])
      const [oldest] = places.keys()
      if (places.size > placesMax && oldest !== undefined) places.delete(oldest)
    },
  }
}

type Answered = { query: FeatureQuery; until_ms: number }

function keyOf({ at, level }: FeatureQuery): string {
  return `${at.lat} ${at.lng} ${level ?? ''}`
}

function holds(greater: FeatureQuery, less: FeatureQuery): boolean {
  return greater.radius_m >= less.radius_m && (greater.where === undefined || greater.where === less.where)
}
