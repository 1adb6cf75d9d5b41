import { UpstreamError } from '../model/error.ts'
import { isPartial } from '../model/part.ts'
import type { AnySource, Budget, Freshness } from '../model/source.ts'
import type { Readings } from '../store/readings.ts'
import { openFlights } from '../net/flights.ts'

/** How long a source may take for one question, and how long its answer is fresh. `name` is what its questions are kept under. */
type Keeping = { name: string; budget_ms: number; ttl_seconds: number; staleToo: boolean }

/** Makes a source that keeps its answers, asks each question once at a time, and gives it no longer than its budget. */
export type Keep = (source: AnySource, keeping: Keeping) => AnySource

/** For how long an answer is kept, of what the dataset says. */
export function freshFor_s(ttl_seconds: number): number {
  return Math.min(keptMax_s, ttl_seconds)
}

const keptMax_s = 86_400
const day_ms = 86_400_000

/** `stale_days`: for how long an answer whose time is up may stand in for a source that fails. A failure is never kept, be it of a part. `counted` is told how fresh each answer is. */
export function openKeep(readings: Readings, stale_days: number, now: () => Date, counted: (cache: Freshness['cache']) => void = () => {}): Keep {
  const flights = openFlights()
  return (source, { name, budget_ms, ttl_seconds, staleToo }) => async (query: object, budget: Budget) => {
    const key = `${name} ${JSON.stringify(query)}`
    const time = now().getTime()
    const kept = readings.find(key, time)
    if (kept && time < kept.fresh_until) return told({ cache: 'hit' }, JSON.parse(kept.data), budget)
    try {
      const data = await flights.join(key, budget_ms, budget, async (own) => {
        const answer = await (source as (query: object, budget: Budget) => Promise<unknown>)(query, own)
        const came = now().getTime()
        if (!isPartial(answer)) readings.keep(key, JSON.stringify(answer ?? null), came, came + 1000 * freshFor_s(ttl_seconds))
        return answer
      })
      return told({ cache: 'miss' }, data, budget)
    } catch (failure) {
      const isOfUse = staleToo && kept && failure instanceof UpstreamError && failure.retryable && time < kept.fresh_until + stale_days * day_ms
      if (!isOfUse) throw failure
      return told({ cache: 'stale', age_s: Math.round((time - kept.kept_at) / 1000), failure }, JSON.parse(kept.data), budget)
    }
  }

  function told(freshness: Freshness, data: unknown, { seen }: Budget): unknown {
    counted(freshness.cache)
    seen?.(freshness)
    return data
  }
}
