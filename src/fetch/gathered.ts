import { conditionOf } from '../geo/where.ts'
import { UpstreamError } from '../model/error.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Freshness, Sources } from '../model/source.ts'

/**
 * The same source of features about one place, asked as seldom as can be: the questions of one moment about one layer are put as one, over
 * the largest radius that any of them has, and what was fetched before answers every question that lies within it. Each question gets its
 * own part: its condition, its radius, its limit. What holds the point is asked alone, since that takes no outlines, unless the
 * dataset says that it is answered from a radius (`fetch_radius_m`).
 */
export function gathered(source: AnySource, fetch_radius_m = 0): AnySource {
  const ask = source as unknown as Sources['features']
  const fetches: Fetch[] = []
  const waiting: Waiting[] = []
  return (query: FeatureQuery, budget: Budget) => {
    if (query.count_only) return ask(query, budget)
    const known = fetches.find((fetch) => answers(fetch, query))
    return known ? partOf(known, query, budget) : new Promise<Feature[]>((resolve, reject) => {
      waiting.push({ query, budget, resolve, reject })
      if (waiting.length === 1) setImmediate(send)
    })
  }

  /** Puts the questions of this moment, those of one layer together. */
  function send(): void {
    const groups = Map.groupBy(waiting.splice(0), ({ query }) => `${query.level ?? ''} ${radiusOf(query, fetch_radius_m) > 0}`)
    for (const group of groups.values()) sendTogether(group)
  }

  function sendTogether(group: Waiting[]): void {
    const queries = group.map(({ query }) => query)
    const fetch = fetched(joined(queries, fetch_radius_m), group[0]!.budget, queries)
    for (const { query, budget, resolve, reject } of group) {
      partOf(fetch, query, budget).catch((error: unknown) => {
        if (!isTooMuch(error) || query.radius_m >= fetch.radius_m) throw error
        return partOf(fetched(query, budget, [query]), query, budget)
      }).then(resolve, reject)
    }
  }

  function fetched({ at, radius_m, where, level }: FeatureQuery, { signal, seen }: Budget, joined: FeatureQuery[]): Fetch {
    const fetch: Fetch = { radius_m, where, level, joins: new Set(joined.map((query) => query.where)), freshness: null, data: Promise.resolve([]) }
    const query = { at, radius_m, ...(where !== undefined && { where }), ...(level !== undefined && { level }) }
    fetch.data = ask(query, { signal, ...(seen && { seen: (freshness) => { fetch.freshness = freshness } }) })
    fetches.push(fetch)
    return fetch
  }
}

type Waiting = { query: FeatureQuery; budget: Budget; resolve: (features: Feature[]) => void; reject: (error: unknown) => void }
type Fetch = { radius_m: number; where: string | undefined; joins: ReadonlySet<string | undefined>; level: number | undefined; data: Promise<Feature[]>; freshness: Freshness | null }

function radiusOf({ radius_m }: FeatureQuery, fetch_radius_m: number): number {
  return Math.max(radius_m, fetch_radius_m)
}

/** Whether a fetch holds everything that is asked. One with conditions answers these only. */
function answers({ level, radius_m, where, joins }: Fetch, query: FeatureQuery): boolean {
  return level === query.level && radius_m >= query.radius_m && (where === undefined || joins.has(query.where))
}

/** One question that has all the others in it. */
function joined(queries: FeatureQuery[], fetch_radius_m: number): FeatureQuery {
  const { at, level } = queries[0]!
  const conditions = [...new Set(queries.map(({ where }) => where))]
  const where = conditions.includes(undefined) ? undefined : conditions.length === 1 ? conditions[0] : conditions.map((it) => `(${it})`).join(' OR ')
  const radius_m = Math.max(...queries.map((query) => radiusOf(query, fetch_radius_m)))
  return { at, radius_m, ...(where !== undefined && { where }), ...(level !== undefined && { level }) }
}

async function partOf(fetch: Fetch, { radius_m, where, limit = Infinity }: FeatureQuery, { seen }: Budget): Promise<Feature[]> {
  const features = await fetch.data
  if (fetch.freshness) seen?.(fetch.freshness)
  const passes = where === undefined || where === fetch.where ? () => true : conditionOf(where)
  return features.filter(({ distance_m, properties }) => distance_m <= radius_m && passes(properties)).slice(0, limit)
}

function isTooMuch(error: unknown): boolean {
  return error instanceof UpstreamError && error.code === 'too_large'
}
