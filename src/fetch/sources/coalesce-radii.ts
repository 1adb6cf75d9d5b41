import { recordsWhere } from '../../geo/text/sql-condition.ts'
import { UpstreamError } from '../../model/error.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Freshness, Sources } from '../../model/source.ts'

/**
 * Returns the source with fewer queries at one place. Concurrent queries to one layer become one query with the largest
 * radius, and earlier answers are reused for queries inside them. Each query still gets only its own features.
 *
 * A point query (radius 0) is sent separately, because the source then sends no outlines. Exceptions: outlines of
 * nearby features are fetched anyway, or the dataset requires a radius (`fetch_radius_m`). `simplified` outlines answer
 * which features are near, but not which contain the point. When the history has a wider query, that one is repeated,
 * because its answer is cached. A query for geometries is sent as it is.
 */
export function coalesceRadii(
  source: AnySource,
  options: OutlineOptions = {},
  queryHistory: QueryHistory | null = null,
): AnySource {
  const coalescer = new RadiusCoalescer(source as unknown as Sources['features'], options, queryHistory)
  return (query: FeatureQuery, budget: Budget) => coalescer.query(query, budget)
}

/** How a source provides outlines; see `coalesceRadii`. */
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

class RadiusCoalescer {
  readonly #queryFeatures: Sources['features']
  readonly #fetchRadius_m: number
  readonly #isSimplified: boolean
  readonly #queryHistory: QueryHistory | null
  readonly #fetches: SharedFetch[] = []
  readonly #pending: PendingQuery[] = []

  constructor(
    queryFeatures: Sources['features'],
    { fetch_radius_m = 0, simplified = false }: OutlineOptions,
    queryHistory: QueryHistory | null,
  ) {
    this.#queryFeatures = queryFeatures
    this.#fetchRadius_m = fetch_radius_m
    this.#isSimplified = simplified
    this.#queryHistory = queryHistory
  }

  query(query: FeatureQuery, budget: Budget): Promise<Feature[]> {
    if (query.count_only || query.with_geometry) return Promise.resolve(this.#queryFeatures(query, budget))
    const known = this.#fetches.find(
      (sharedFetch) => canAnswer(sharedFetch, query) && !this.#isTooCoarse(sharedFetch.radius_m, query),
    )
    if (known) return this.#readPartOrRefetch(known, query, budget)
    return new Promise<Feature[]>((resolve, reject) => {
      this.#pending.push({ query, budget, resolve, reject })
      if (this.#pending.length === 1) setImmediate(() => this.#sendPending())
    })
  }

  /** Sends the queries of this event loop turn, grouped by layer. */
  #sendPending(): void {
    for (const group of Map.groupBy(this.#pending.splice(0), ({ query }) => query.level).values()) {
      const pointQueries = group.filter(({ query }) => this.#isPoint(query) && !this.#isAnsweredByGroup(query, group))
      for (const batch of [group.filter((pending) => !pointQueries.includes(pending)), pointQueries])
        if (batch.length > 0) this.#sendGroup(batch)
    }
  }

  /** Whether the outlines of nearby features, which the group fetches, answer a point query. */
  #isAnsweredByGroup({ where }: FeatureQuery, group: PendingQuery[]): boolean {
    return (
      !this.#isSimplified &&
      group.some(({ query: near }) => !this.#isPoint(near) && (near.where === undefined || near.where === where))
    )
  }

  #isTooCoarse(radius_m: number, query: FeatureQuery): boolean {
    return this.#isSimplified && radius_m > 0 && this.#isPoint(query)
  }

  #isPoint(query: FeatureQuery): boolean {
    return radiusOf(query, this.#fetchRadius_m) === 0
  }

  #sendGroup(group: PendingQuery[]): void {
    const queries = group.map(({ query }) => query)
    const combinedQuery = combineQueries(queries, this.#fetchRadius_m)
    const sharedFetch = this.#startFetch(this.#earlierQuery(combinedQuery) ?? combinedQuery, group[0]!.budget, queries)
    for (const { query, budget, resolve, reject } of group)
      this.#readPartOrRefetch(sharedFetch, query, budget).then(resolve, reject)
  }

  #earlierQuery(combinedQuery: FeatureQuery): FeatureQuery | undefined {
    const known = this.#queryHistory?.findCovering(combinedQuery)
    return known && !this.#isTooCoarse(known.radius_m, combinedQuery) ? known : undefined
  }

  /** Sends a smaller query separately when the shared one is too large. */
  async #readPartOrRefetch(sharedFetch: SharedFetch, query: FeatureQuery, budget: Budget): Promise<Feature[]> {
    try {
      return await readPart(sharedFetch, query, budget)
    } catch (error) {
      const isTooLarge = error instanceof UpstreamError && error.code === 'too_large'
      if (!isTooLarge || query.radius_m >= sharedFetch.radius_m) throw error
      sharedFetch.isTooLarge = true
      const known = this.#fetches.find((other) => canAnswer(other, query))
      return readPart(known ?? this.#startFetch(query, budget, [query]), query, budget)
    }
  }

  #startFetch(
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
    const sent = this.#queryFeatures(query, {
      signal,
      ...(onFreshness && {
        onFreshness: (freshness) => {
          sharedFetch.freshness = freshness
        },
      }),
    })
    sharedFetch.data = Promise.resolve(sent)
    sharedFetch.data.then(
      () => this.#queryHistory?.record(query),
      () => {},
    )
    this.#fetches.push(sharedFetch)
    return sharedFetch
  }
}

function radiusOf({ radius_m }: FeatureQuery, fetch_radius_m: number): number {
  return Math.max(radius_m, fetch_radius_m)
}

/** Whether a fetch contains the answer to a query. A fetch with conditions only answers queries with one of them. */
function canAnswer({ level, radius_m, where, conditions, isTooLarge }: SharedFetch, query: FeatureQuery): boolean {
  return (
    level === query.level &&
    (isTooLarge ? radius_m === query.radius_m : radius_m >= query.radius_m) &&
    (where === undefined || conditions.has(query.where))
  )
}

/** Returns one query that contains all others. */
function combineQueries(queries: FeatureQuery[], fetch_radius_m: number): FeatureQuery {
  const { at, level } = queries[0]!
  const conditions = [...new Set(queries.map(({ where }) => where))]
  const where = conditions.includes(undefined)
    ? undefined
    : conditions.length === 1
      ? conditions[0]
      : conditions.map((condition) => `(${condition})`).join(' OR ')
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
  const isFiltered = where === undefined || where === sharedFetch.where
  const selected = isFiltered ? features : recordsWhere(features, where, ({ properties }) => properties)
  return selected.filter(({ distance_m }) => distance_m <= radius_m).slice(0, limit)
}

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
