import { conditionOf } from '../geo/where.ts'
import { UpstreamError } from '../model/error.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Freshness, Sources } from '../model/source.ts'
import type { AskedBefore } from './asked-before.ts'

/**
 * The same source of features about one place, asked as seldom as can be: the questions of one moment about one layer are put as one, over
 * the largest radius that any of them has, and what was fetched before answers every question that lies within it. Each question gets its
 * own part: its condition, its radius, its limit. What holds the point is asked alone, since that takes no outlines, unless the outlines of
 * what is near are asked for anyway, or the dataset says that it is answered from a radius (`fetch_radius_m`). Outlines that come
 * `simplified` say what is near, and not what holds the point. A question that lies within one which was answered `before` is put as that one.
 */
export function gathered(source: AnySource, { fetch_radius_m = 0, simplified = false }: Outlines = {}, before: AskedBefore | null = null): AnySource {
  const ask = source as unknown as Sources['features']
  const fetches: Fetch[] = []
  const waiting: Waiting[] = []
  return (query: FeatureQuery, budget: Budget) => {
    if (query.count_only) return ask(query, budget)
    const known = fetches.find((fetch) => answers(fetch, query) && !isTooRough(fetch.radius_m, query))
    return known ? partOrAlone(known, query, budget) : new Promise<Feature[]>((resolve, reject) => {
      waiting.push({ query, budget, resolve, reject })
      if (waiting.length === 1) setImmediate(send)
    })
  }

  /** Puts the questions of this moment, those of one layer together. */
  function send(): void {
    for (const group of Map.groupBy(waiting.splice(0), ({ query }) => query.level).values()) {
      const apart = group.filter(({ query }) => isPoint(query) && !joins(query, group))
      for (const together of [group.filter((it) => !apart.includes(it)), apart]) if (together.length > 0) sendTogether(together)
    }
  }

  /** Whether a question of what holds the point is answered by what is asked of what is near. */
  function joins({ where }: FeatureQuery, group: Waiting[]): boolean {
    return !simplified && group.some(({ query: near }) => !isPoint(near) && (near.where === undefined || near.where === where))
  }

  function isTooRough(radius_m: number, query: FeatureQuery): boolean {
    return simplified && radius_m > 0 && isPoint(query)
  }

  function isPoint(query: FeatureQuery): boolean {
    return radiusOf(query, fetch_radius_m) === 0
  }

  function sendTogether(group: Waiting[]): void {
    const queries = group.map(({ query }) => query)
    const question = joined(queries, fetch_radius_m)
    const fetch = fetched(answeredBefore(question) ?? question, group[0]!.budget, queries)
    for (const { query, budget, resolve, reject } of group) partOrAlone(fetch, query, budget).then(resolve, reject)
  }

  function answeredBefore(question: FeatureQuery): FeatureQuery | undefined {
    const known = before?.with(question)
    return known && !isTooRough(known.radius_m, question) ? known : undefined
  }

  /** Where the whole is too much, a smaller question is asked by itself. */
  async function partOrAlone(fetch: Fetch, query: FeatureQuery, budget: Budget): Promise<Feature[]> {
    try {
      return await partOf(fetch, query, budget)
    } catch (error) {
      if (!isTooMuch(error) || query.radius_m >= fetch.radius_m) throw error
      fetch.tooMuch = true
      const known = fetches.find((other) => answers(other, query))
      return partOf(known ?? fetched(query, budget, [query]), query, budget)
    }
  }

  function fetched({ at, radius_m, where, level }: FeatureQuery, { signal, seen }: Budget, joined: FeatureQuery[]): Fetch {
    const fetch: Fetch = { radius_m, where, level, joins: new Set(joined.map((query) => query.where)), tooMuch: false, freshness: null, data: Promise.resolve([]) }
    const query = { at, radius_m, ...(where !== undefined && { where }), ...(level !== undefined && { level }) }
    fetch.data = ask(query, { signal, ...(seen && { seen: (freshness) => { fetch.freshness = freshness } }) })
    fetch.data.then(() => before?.answered(query), () => {})
    fetches.push(fetch)
    return fetch
  }
}

/** How a source gives outlines: see `gathered`. */
export type Outlines = { fetch_radius_m?: number | undefined; simplified?: boolean | undefined }
type Waiting = { query: FeatureQuery; budget: Budget; resolve: (features: Feature[]) => void; reject: (error: unknown) => void }
type Fetch = { radius_m: number; where: string | undefined; joins: ReadonlySet<string | undefined>; level: number | undefined; data: Promise<Feature[]>; tooMuch: boolean; freshness: Freshness | null }

function radiusOf({ radius_m }: FeatureQuery, fetch_radius_m: number): number {
  return Math.max(radius_m, fetch_radius_m)
}

/** Whether a fetch holds everything that is asked. One with conditions answers these only. */
function answers({ level, radius_m, where, joins, tooMuch }: Fetch, query: FeatureQuery): boolean {
  return level === query.level && (tooMuch ? radius_m === query.radius_m : radius_m >= query.radius_m) && (where === undefined || joins.has(query.where))
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
