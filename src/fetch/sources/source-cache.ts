import { UpstreamError } from '../../model/error.ts'
import { isPartial } from '../../model/document-markers.ts'
import type { AnySource, Budget, Freshness } from '../../model/source.ts'
import type { UpstreamCache } from '../../store/sqlite/upstream-cache.ts'
import { createSingleFlight } from '../../async/single-flight.ts'
import { newCallResult, type CallOnce, type CallResult } from '../../store/billed-calls.ts'

/** `name`: the prefix of the cache keys. `budget_ms`: the time limit of a query. `isBilled`: every query is billed. */
type CacheOptions = {
  name: string
  budget_ms: number
  ttl_seconds: number
  allowStale: boolean
  isBilled: boolean
}

/** Returns the source with a cache and a time limit. Concurrent equal queries are sent once. */
export type WithCache = (source: AnySource, options: CacheOptions) => AnySource

/** Returns the cache time of an answer in seconds: the TTL of its dataset, but at most a day. */
export function cacheTtl_s(ttl_seconds: number): number {
  return Math.min(cacheMax_s, ttl_seconds)
}

const cacheMax_s = 86_400
const day_ms = 86_400_000

type CacheDeps = {
  /** The number of days for which an expired answer replaces the answer of a source that fails. */
  stale_days: number
  now: () => Date
  /** Receives the cache state of each answer, such as `hit` or `miss`. */
  onCacheResult?: (cache: Freshness['cache']) => void
  /** Shares the answers of billed queries with the other processes that use the state; null if there are none. */
  callOnce: CallOnce | null
}

/** Creates the cache decorator. Errors and partial documents are never cached. */
export function createWithCache(
  upstreamCache: UpstreamCache,
  { stale_days, now, onCacheResult, callOnce }: CacheDeps,
): WithCache {
  const singleFlight = createSingleFlight<CallResult<unknown>>()
  const callDirectly: CallOnce = async (_key, _signal, call) => newCallResult(await call(), now())
  return (source, { name, budget_ms, ttl_seconds, allowStale, isBilled }) =>
    async (query: object, budget: Budget) => {
      // A billed document is the same with and without its geometry.
      const key = `${name} ${shortTextOf(isBilled ? { ...query, with_geometry: undefined } : query)}`
      const time = now().getTime()
      const cached = upstreamCache.find(key, time)
      if (cached && time < cached.fresh_until)
        return withFreshness({ cache: 'hit', fetched_ms: cached.cached_at }, JSON.parse(cached.data), budget)
      try {
        const {
          answer,
          isNew,
          cached_at: fetched_ms,
        } = await singleFlight.join(key, budget_ms, budget, async (flightBudget) => {
          const received = await ((isBilled && callOnce) || callDirectly)(key, flightBudget.signal, async () => {
            const data = await (source as (query: object, budget: Budget) => Promise<unknown>)(query, flightBudget)
            return { answer: data, ttl_s: isPartial(data) ? 0 : cacheTtl_s(ttl_seconds) }
          })
          const { cached_at, fresh_until } = received
          if (fresh_until > cached_at)
            upstreamCache.put(key, JSON.stringify(received.answer ?? null), cached_at, fresh_until)
          return received
        })
        return withFreshness({ cache: isNew ? 'miss' : 'hit', fetched_ms }, answer, budget)
      } catch (failure) {
        const canServeStale =
          allowStale &&
          cached &&
          failure instanceof UpstreamError &&
          failure.retryable &&
          time < cached.fresh_until + stale_days * day_ms
        if (!canServeStale) throw failure
        const { cached_at: fetched_ms, data } = cached
        const age_s = Math.round((time - fetched_ms) / 1000)
        return withFreshness({ cache: 'stale', fetched_ms, age_s, failure }, JSON.parse(data), budget)
      }
    }

  function withFreshness(freshness: Freshness, data: unknown, { onFreshness }: Budget): unknown {
    onCacheResult?.(freshness.cache)
    onFreshness?.(freshness)
    return data
  }
}

/** The query as JSON. A long one, such as an outline, is replaced by its hash. */
function shortTextOf(query: object): string {
  const text = JSON.stringify(query)
  return text.length <= queryMax_characters ? text : new Bun.CryptoHasher('sha256').update(text).digest('base64url')
}

const queryMax_characters = 1_000

/** Collects the freshness of the answers to one read; `leastFresh` returns the worst of them. */
export function trackFreshness() {
  const observed: Freshness[] = []
  const ofKind = (kind: Freshness['cache']) => observed.find(({ cache }) => cache === kind)
  return {
    onFreshness: (freshness: Freshness) => {
      observed.push(freshness)
    },
    leastFresh: () => ofKind('stale') ?? ofKind('miss') ?? ofKind('hit') ?? null,
  }
}
