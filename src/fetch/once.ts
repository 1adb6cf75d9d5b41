import type { AnySource, Budget, Freshness } from '../model/source.ts'

/** The same source, asked each question once: whoever asks again gets the same promise, and is told as much of its freshness. */
export function once(source: AnySource): AnySource {
  const asked: Asked[] = []
  return (query: Question, budget: Budget) => {
    const known = asked.find(({ question }) => isSame(question, query))
    if (!budget.seen) return known ? known.data : added(asked, query, ask(source, query, budget)).data
    return heard(known ?? listening(asked, source, query, budget), budget)
  }
}

/** A question that was asked, its answer under way, and how fresh that turned out to be. */
type Asked = { question: Question; data: Promise<unknown>; freshness: Freshness | null }
type Question = Record<string, unknown>

/** Questions are flat but for `at`, which is the one point of the request that `once` is made for. */
function isSame(a: Question, b: Question): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => name === 'at' || a[name] === b[name])
}

function listening(asked: Asked[], source: AnySource, query: Question, { signal, billed }: Budget): Asked {
  const seen = (freshness: Freshness) => { it.freshness = freshness }
  const it: Asked = added(asked, query, Promise.resolve().then(() => ask(source, query, { signal, seen, ...(billed && { billed }) })))
  return it
}

function added(asked: Asked[], question: Question, data: Promise<unknown>): Asked {
  const it = { question, data, freshness: null }
  asked.push(it)
  return it
}

async function heard(it: Asked, { seen }: Budget): Promise<unknown> {
  const answer = await it.data
  if (it.freshness) seen?.(it.freshness)
  return answer
}

function ask(source: AnySource, query: Question, budget: Budget): Promise<unknown> {
  return (source as (query: Question, budget: Budget) => Promise<unknown>)(query, budget)
}
