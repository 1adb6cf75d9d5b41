import { UpstreamError } from '../model/error.ts'
import { patiently } from '../store/patiently.ts'
import type { UsageRow, UsageStore } from '../store/usage.ts'

/**
 * What accounts ask for, counted in memory and written down now and then: counting costs a request nothing that could be measured. What is
 * billed is written down at once.
 */
export type Usage = {
  request(account_id: string, path: string): void
  /** Fields that were answered by a source. */
  answered(account_id: string, path: string, source: string, fields: number): void
  /** A call that its provider bills, about to be made: it is on the disk when this is done. Where it cannot be written, it throws, and the call is not made. */
  billed(account_id: string, path: string, source: string): Promise<void>
  /** From one day to another, newest day first, with what is not written down yet. */
  of(account_id: string, from: string, to: string): UsageRow[]
  requestsToday(account_id: string): number
  flush(): void
  sweep(): void
}

type Counts = { requests: number; fields: number }
/** By source; all of them together are under ''. */
type BySource = Map<string, Counts>

/** Every address that is counted under its own name; another counts as what it begins with. */
const endpoints = ['/v1/fetch/batch', '/v1/fetch', '/v1/geocode', '/v1/lookup', '/v1/ask/stream', '/v1/ask', '/v1/runs', '/v1/users/me', '/mcp']
const kept_days = 400
const day_ms = 86_400_000

/** Counts for each account, day, endpoint and source. */
export function openUsage(store: UsageStore, now: () => Date): Usage {
  let dayNumber = dayNumberOf(now())
  let day = dayOf(now())
  /** By account and endpoint. */
  let counts = new Map<string, Map<string, BySource>>()
  /** Of days that are over. */
  let past: UsageRow[] = []
  return {
    request: (account_id, path) => void countsOf(countedToday(account_id, path), '').requests++,
    answered(account_id, path, source, fields) {
      const bySource = countedToday(account_id, path)
      const ofSource = countsOf(bySource, source)
      ofSource.requests++
      ofSource.fields += fields
      countsOf(bySource, '').fields += fields
    },
    async billed(account_id, path, source) {
      const one = { account_id, day: dayOf(now()), endpoint: endpointOf(path), requests: 0, fields: 0, metered_calls: 1 }
      try {
        await patiently(() => store.add([{ ...one, source }, { ...one, source: '' }]))
      } catch (cause) {
        throw new UpstreamError('source_suspended', `${source} bills its calls, and this one could not be written down: it was not made.`, { cause })
      }
    },
    of(account_id, from, to) {
      const own = pending().filter((it) => it.account_id === account_id && it.day >= from && it.day <= to)
      return summed([...store.of(account_id, from, to), ...own])
    },
    requestsToday(account_id) {
      const today = dayOf(now())
      return pending().reduce((sum, it) => sum + (it.account_id === account_id && it.day === today && it.source === '' ? it.requests : 0), store.requestsOn(account_id, today))
    },
    flush,
    sweep: () => store.sweep(dayOf(new Date(now().getTime() - kept_days * day_ms))),
  }

  /** What an account has asked of an endpoint today. */
  function countedToday(account_id: string, path: string): BySource {
    turnDay()
    const endpoint = endpointOf(path)
    let own = counts.get(account_id)
    if (!own) counts.set(account_id, own = new Map())
    let bySource = own.get(endpoint)
    if (!bySource) own.set(endpoint, bySource = new Map())
    return bySource
  }

  function turnDay(): void {
    const today = dayNumberOf(now())
    if (today === dayNumber) return
    past = pending()
    counts = new Map()
    dayNumber = today
    day = dayOf(now())
  }

  /** What is counted and not yet written down. */
  function pending(): UsageRow[] {
    const rows = [...counts].flatMap(([account_id, own]) =>
      [...own].flatMap(([endpoint, bySource]) => [...bySource].map(([source, it]) => ({ account_id, day, endpoint, source, metered_calls: 0, ...it }))))
    return [...past, ...rows]
  }

  /** What cannot be written now (the disk is full, another writes) is written the next time. */
  function flush(): void {
    const rows = pending()
    if (rows.length === 0) return
    store.add(rows)
    past = []
    counts = new Map()
  }
}

function countsOf(bySource: BySource, source: string): Counts {
  let it = bySource.get(source)
  if (!it) bySource.set(source, it = { requests: 0, fields: 0 })
  return it
}

/** Rows of the same day, endpoint and source made one. */
function summed(rows: UsageRow[]): UsageRow[] {
  const byName = Map.groupBy(rows, ({ day, endpoint, source }) => JSON.stringify([day, endpoint, source]))
  const sum = (same: UsageRow[], name: 'requests' | 'fields' | 'metered_calls') => same.reduce((all, it) => all + it[name], 0)
  const made = [...byName.values()].map((same) => ({ ...same[0]!, requests: sum(same, 'requests'), fields: sum(same, 'fields'), metered_calls: sum(same, 'metered_calls') }))
  return made.toSorted((a, b) => order(b.day, a.day) || order(a.endpoint, b.endpoint) || order(a.source, b.source))
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Days since 1970: compared at every count, where a text would cost as much as the rest. */
function dayNumberOf(time: Date): number {
  return Math.floor(time.getTime() / day_ms)
}

/** The day of an instant in UTC: `2026-11-21`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

function endpointOf(path: string): string {
  return endpoints.includes(path) ? path : (endpoints.find((it) => path.startsWith(`${it}/`)) ?? 'other')
}
