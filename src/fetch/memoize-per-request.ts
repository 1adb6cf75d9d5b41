import type { AnySource, Budget, Freshness } from '../model/source.ts'

/** The same source, asked each question once: whoever asks again gets the same promise, and is told as much of its freshness. */
export function memoizePerRequest(source: AnySource): AnySource {
  const entries: MemoizedQuery[] = []
  return (query: Question, budget: Budget) => {
    const known = entries.find(({ question }) => isSame(question, query))
    if (!budget.onFreshness) return known ? known.data : addEntry(entries, query, askSource(source, query, budget)).data
    return replay(known ?? askWithFreshness(entries, source, query, budget), budget)
  }
}

/** A question that was asked, its answer under way, and how fresh that turned out to be. */
type MemoizedQuery = { question: Question; data: Promise<unknown>; freshness: Freshness | null }
type Question = Record<string, unknown>

/** Questions are flat but for `at`, which is the one point of the request that `once` is made for. */
function isSame(a: Question, b: Question): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => name === 'at' || a[name] === b[name])
}

function askWithFreshness(
  entries: MemoizedQuery[],
  source: AnySource,
  query: Question,
  { signal, onBilledCall }: Budget,
): MemoizedQuery {
  const onFreshness = (freshness: Freshness) => {
    entry.freshness = freshness
  }
  const entry: MemoizedQuery = addEntry(
    entries,
    query,
    Promise.resolve().then(() =>
      askSource(source, query, { signal, onFreshness, ...(onBilledCall && { onBilledCall }) }),
    ),
  )
  return entry
}

function addEntry(entries: MemoizedQuery[], question: Question, data: Promise<unknown>): MemoizedQuery {
  const entry = { question, data, freshness: null }
  entries.push(entry)
  return entry
}

async function replay(entry: MemoizedQuery, { onFreshness }: Budget): Promise<unknown> {
  const answer = await entry.data
  if (entry.freshness) onFreshness?.(entry.freshness)
  return answer
}

function askSource(source: AnySource, query: Question, budget: Budget): Promise<unknown> {
  return (source as (query: Question, budget: Budget) => Promise<unknown>)(query, budget)
}
