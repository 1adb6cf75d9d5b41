import { compileCondition } from '../geo/sql-condition.ts'
import { UpstreamError } from '../model/error.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Freshness, Sources } from '../model/source.ts'
import type { QueryHistory } from './query-history.ts'

/**
 * The same source of features about one place, asked as seldom as can be: the questions of one moment about one layer are put as one, over
 * the largest radius that any of them has, and what was fetched before answers every question that lies within it. Each question gets its
 * own part: its condition, its radius, its limit. What holds the point is asked alone, since that takes no outlines, unless the outlines of
 * what is near are asked for anyway, or the dataset says that it is answered from a radius (`fetch_radius_m`). Outlines that come
 * `simplified` say what is near, and not what holds the point. A question that lies within one which was answered `before` is put as that one.
 */
export function coalesceRadii(
  source: AnySource,
  { fetch_radius_m = 0, simplified = false }: OutlineOptions = {},
  queryHistory: QueryHistory | null = null,
): AnySource {
  const queryFeatures = source as unknown as Sources['features']
  const fetches: SharedFetch[] = []
  const pending: PendingQuery[] = []
  return (query: FeatureQuery, budget: Budget) => {
    if (query.count_only) return queryFeatures(query, budget)
    const known = fetches.find(
      (sharedFetch) => canAnswer(sharedFetch, query) && !isTooCoarse(sharedFetch.radius_m, query),
    )
    return known
      ? readPartOrRefetch(known, query, budget)
      : new Promise<Feature[]>((resolve, reject) => {
          pending.push({ query, budget, resolve, reject })
          if (pending.length === 1) setImmediate(sendPending)
        })
  }

  /** Puts the questions of this moment, those of one layer together. */
  function sendPending(): void {
    for (const group of Map.groupBy(pending.splice(0), ({ query }) => query.level).values()) {
      const pointQueries = group.filter(({ query }) => isPoint(query) && !isAnsweredByGroup(query, group))
      for (const batch of [group.filter((it) => !pointQueries.includes(it)), pointQueries])
        if (batch.length > 0) sendGroup(batch)
    }
  }

  /** Whether a question of what holds the point is answered by what is asked of what is near. */
  function isAnsweredByGroup({ where }: FeatureQuery, group: PendingQuery[]): boolean {
    return (
      !simplified &&
      group.some(({ query: near }) => !isPoint(near) && (near.where === undefined || near.where === where))
    )
  }

  function isTooCoarse(radius_m: number, query: FeatureQuery): boolean {
    return simplified && radius_m > 0 && isPoint(query)
  }

  function isPoint(query: FeatureQuery): boolean {
    return radiusOf(query, fetch_radius_m) === 0
  }

  function sendGroup(group: PendingQuery[]): void {
    const queries = group.map(({ query }) => query)
    const combinedQuery = combineQueries(queries, fetch_radius_m)
    const sharedFetch = startFetch(earlierQuery(combinedQuery) ?? combinedQuery, group[0]!.budget, queries)
    for (const { query, budget, resolve, reject } of group)
      readPartOrRefetch(sharedFetch, query, budget).then(resolve, reject)
  }

  function earlierQuery(combinedQuery: FeatureQuery): FeatureQuery | undefined {
    const known = queryHistory?.findCovering(combinedQuery)
    return known && !isTooCoarse(known.radius_m, combinedQuery) ? known : undefined
  }

  /** Where the whole is too much, a smaller question is asked by itself. */
  async function readPartOrRefetch(sharedFetch: SharedFetch, query: FeatureQuery, budget: Budget): Promise<Feature[]> {
    try {
      return await readPart(sharedFetch, query, budget)
    } catch (error) {
      if (!isTooLargeError(error) || query.radius_m >= sharedFetch.radius_m) throw error
      sharedFetch.isTooLarge = true
      const known = fetches.find((other) => canAnswer(other, query))
      return readPart(known ?? startFetch(query, budget, [query]), query, budget)
    }
  }

  function startFetch(
    { at, radius_m, where, level }: FeatureQuery,
    { signal, onFreshness }: Budget,
    queries: FeatureQuery[],
  ): SharedFetch {
    const sharedFetch: SharedFetch = {
      radius_m,
      where,
      level,
      conditions: new Set(queries.map((query) => query.where)),
      isTooLarge: false,
      freshness: null,
      data: Promise.resolve([]),
    }
    const query = { at, radius_m, ...(where !== undefined && { where }), ...(level !== undefined && { level }) }
    sharedFetch.data = queryFeatures(query, {
      signal,
      ...(onFreshness && {
        onFreshness: (freshness) => {
          sharedFetch.freshness = freshness
        },
      }),
    })
    sharedFetch.data.then(
      () => queryHistory?.record(query),
      () => {},
    )
    fetches.push(sharedFetch)
    return sharedFetch
  }
}

/** How a source gives outlines: see `gathered`. */
export type OutlineOptions = { fetch_radius_m?: number | undefined; simplified?: boolean | undefined }
type PendingQuery = {
  query: FeatureQuery
  budget: Budget
  resolve: (features: Feature[]) => void
  reject: (error: unknown) => void
}
type SharedFetch = {
  radius_m: number
  where: string | undefined
  conditions: ReadonlySet<string | undefined>
  level: number | undefined
  data: Promise<Feature[]>
  isTooLarge: boolean
  freshness: Freshness | null
}

function radiusOf({ radius_m }: FeatureQuery, fetch_radius_m: number): number {
  return Math.max(radius_m, fetch_radius_m)
}

/** Whether a fetch holds everything that is asked. One with conditions answers these only. */
function canAnswer({ level, radius_m, where, conditions, isTooLarge }: SharedFetch, query: FeatureQuery): boolean {
  return (
    level === query.level &&
    (isTooLarge ? radius_m === query.radius_m : radius_m >= query.radius_m) &&
    (where === undefined || conditions.has(query.where))
  )
}

/** One question that has all the others in it. */
function combineQueries(queries: FeatureQuery[], fetch_radius_m: number): FeatureQuery {
  const { at, level } = queries[0]!
  const conditions = [...new Set(queries.map(({ where }) => where))]
  const where = conditions.includes(undefined)
    ? undefined
    : conditions.length === 1
      ? conditions[0]
      : conditions.map((it) => `(${it})`).join(' OR ')
  const radius_m = Math.max(...queries.map((query) => radiusOf(query, fetch_radius_m)))
  return { at, radius_m, ...(where !== undefined && { where }), ...(level !== undefined && { level }) }
}

async function readPart(
  sharedFetch: SharedFetch,
  { radius_m, where, limit = Infinity }: FeatureQuery,
  { onFreshness }: Budget,
): Promise<Feature[]> {
  const features = await sharedFetch.data
  if (sharedFetch.freshness) onFreshness?.(sharedFetch.freshness)
  const passes = where === undefined || where === sharedFetch.where ? () => true : compileCondition(where)
  return features.filter(({ distance_m, properties }) => distance_m <= radius_m && passes(properties)).slice(0, limit)
}

function isTooLargeError(error: unknown): boolean {
  return error instanceof UpstreamError && error.code === 'too_large'
}
