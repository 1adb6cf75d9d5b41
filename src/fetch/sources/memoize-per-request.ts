import type { AnySource, Budget, Freshness } from '../../model/source.ts'

/** Returns the source with a memory: an equal query gets the same result, and the freshness of its answer again. */
export function memoizePerRequest(source: AnySource): AnySource {
  const entries: MemoizedQuery[] = []
  return (query: Query, budget: Budget) => {
    const known = entries.find((entry) => isSameQuery(entry.query, query))
    if (!budget.onFreshness) return known ? known.data : addEntry(entries, query, sendQuery(source, query, budget)).data
    return replay(known ?? sendWithFreshness(entries, source, query, budget), budget)
  }
}

/**
 * Returns a source of local features with a memory of one point: an equal query gets the same result until a query has
 * another point object. The fields of a request share its point, and need no memory of their own.
 */
export function memoizeLastPoint(source: AnySource): AnySource {
  let last: unknown = null
  let entries: MemoizedQuery[] = []
  return (query: Query, budget: Budget) => {
    if (query.at !== last) {
      last = query.at
      entries = []
    }
    for (const entry of entries) if (isSameQuery(entry.query, query)) return entry.data
    return addEntry(entries, query, sendQuery(source, query, budget)).data
  }
}

type MemoizedQuery = { query: Query; data: unknown; freshness: Freshness | null }
type Query = Record<string, unknown>

/** Compares the members, which are scalars except `at`; `at` is the same point in all queries of a request. */
export function isSameQuery(a: Query, b: Query): boolean {
  for (const name in a) if (name !== 'at' && a[name] !== b[name]) return false
  for (const name in b) if (!(name in a)) return false
  return true
}

function sendWithFreshness(
  entries: MemoizedQuery[],
  source: AnySource,
  query: Query,
  { signal, onBilledCall }: Budget,
): MemoizedQuery {
  const onFreshness = (freshness: Freshness) => {
    entry.freshness = freshness
  }
  const entry: MemoizedQuery = addEntry(
    entries,
    query,
    Promise.resolve().then(() =>
      sendQuery(source, query, { signal, onFreshness, ...(onBilledCall && { onBilledCall }) }),
    ),
  )
  return entry
}

function addEntry(entries: MemoizedQuery[], query: Query, data: unknown): MemoizedQuery {
  const entry = { query, data, freshness: null }
  entries.push(entry)
  return entry
}

async function replay(entry: MemoizedQuery, { onFreshness }: Budget): Promise<unknown> {
  const answer = await entry.data
  if (entry.freshness) onFreshness?.(entry.freshness)
  return answer
}

function sendQuery(source: AnySource, query: Query, budget: Budget): unknown {
  return (source as (query: Query, budget: Budget) => unknown)(query, budget)
}
