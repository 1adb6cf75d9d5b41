import { UpstreamError } from '../model/error.ts'
import { retryWhileBusy } from '../store/retry-while-busy.ts'
import type { UsageRow, UsageStore } from '../store/usage.ts'

/**
 * What accounts ask for, counted in memory and written down now and then: counting costs a request nothing that could be measured. What is
 * billed is written down at once.
 */
export type UsageMeter = {
  recordRequest(account_id: string, path: string): void
  /** Fields that were answered by a source. */
  recordFields(account_id: string, path: string, source: string, fields: number): void
  /** A call that its provider bills, about to be made: it is on the disk when this is done. Where it cannot be written, it throws, and the call is not made. */
  recordBilledCall(account_id: string, path: string, source: string): Promise<void>
  /** From one day to another, newest day first, with what is not written down yet. */
  rowsBetween(account_id: string, from: string, to: string): UsageRow[]
  requestsToday(account_id: string): number
  flush(): void
  sweep(): void
}

type Counts = { requests: number; fields: number }
/** By source; all of them together are under ''. */
type CountsBySource = Map<string, Counts>

/** Every address that is counted under its own name; another counts as what it begins with. */
const countedEndpoints = [
  '/v1/fetch/batch',
  '/v1/fetch',
  '/v1/geocode',
  '/v1/lookup',
  '/v1/ask/stream',
  '/v1/ask',
  '/v1/runs',
  '/v1/users/me',
  '/mcp',
]
const retention_days = 400
const day_ms = 86_400_000

/** Counts for each account, day, endpoint and source. */
export function createUsageMeter(store: UsageStore, now: () => Date): UsageMeter {
  let dayNumber = dayNumberOf(now())
  let day = utcDayOf(now())
  /** By account and endpoint. */
  let counts = new Map<string, Map<string, CountsBySource>>()
  /** Of days that are over. */
  let earlierRows: UsageRow[] = []
  return {
    recordRequest: (account_id, path) => void countsOf(countsToday(account_id, path), '').requests++,
    recordFields(account_id, path, source, fields) {
      const bySource = countsToday(account_id, path)
      const sourceCounts = countsOf(bySource, source)
      sourceCounts.requests++
      sourceCounts.fields += fields
      countsOf(bySource, '').fields += fields
    },
    async recordBilledCall(account_id, path, source) {
      const row = {
        account_id,
        day: utcDayOf(now()),
        endpoint: endpointOf(path),
        requests: 0,
        fields: 0,
        metered_calls: 1,
      }
      try {
        await retryWhileBusy(() =>
          store.add([
            { ...row, source },
            { ...row, source: '' },
          ]),
        )
      } catch (cause) {
        throw new UpstreamError(
          'source_suspended',
          `${source} bills its calls, and this one could not be written down: it was not made.`,
          { cause },
        )
      }
    },
    rowsBetween(account_id, from, to) {
      const unwritten = unwrittenRows().filter((it) => it.account_id === account_id && it.day >= from && it.day <= to)
      return mergeRows([...store.listUsage(account_id, from, to), ...unwritten])
    },
    requestsToday(account_id) {
      const today = utcDayOf(now())
      return unwrittenRows().reduce(
        (sum, it) => sum + (it.account_id === account_id && it.day === today && it.source === '' ? it.requests : 0),
        store.countRequests(account_id, today),
      )
    },
    flush,
    sweep: () => store.sweep(utcDayOf(new Date(now().getTime() - retention_days * day_ms))),
  }

  /** What an account has asked of an endpoint today. */
  function countsToday(account_id: string, path: string): CountsBySource {
    startNewDay()
    const endpoint = endpointOf(path)
    let byEndpoint = counts.get(account_id)
    if (!byEndpoint) counts.set(account_id, (byEndpoint = new Map()))
    let bySource = byEndpoint.get(endpoint)
    if (!bySource) byEndpoint.set(endpoint, (bySource = new Map()))
    return bySource
  }

  function startNewDay(): void {
    const today = dayNumberOf(now())
    if (today === dayNumber) return
    earlierRows = unwrittenRows()
    counts = new Map()
    dayNumber = today
    day = utcDayOf(now())
  }

  /** What is counted and not yet written down. */
  function unwrittenRows(): UsageRow[] {
    const rows = [...counts].flatMap(([account_id, byEndpoint]) =>
      [...byEndpoint].flatMap(([endpoint, bySource]) =>
        [...bySource].map(([source, it]) => ({ account_id, day, endpoint, source, metered_calls: 0, ...it })),
      ),
    )
    return [...earlierRows, ...rows]
  }

  /** What cannot be written now (the disk is full, another writes) is written the next time. */
  function flush(): void {
    const rows = unwrittenRows()
    if (rows.length === 0) return
    store.add(rows)
    earlierRows = []
    counts = new Map()
  }
}

function countsOf(bySource: CountsBySource, source: string): Counts {
  let counts = bySource.get(source)
  if (!counts) bySource.set(source, (counts = { requests: 0, fields: 0 }))
  return counts
}

/** Rows of the same day, endpoint and source made one. */
function mergeRows(rows: UsageRow[]): UsageRow[] {
  const byName = Map.groupBy(rows, ({ day, endpoint, source }) => JSON.stringify([day, endpoint, source]))
  const sum = (group: UsageRow[], name: 'requests' | 'fields' | 'metered_calls') =>
    group.reduce((all, it) => all + it[name], 0)
  const merged = [...byName.values()].map((group) => ({
    ...group[0]!,
    requests: sum(group, 'requests'),
    fields: sum(group, 'fields'),
    metered_calls: sum(group, 'metered_calls'),
  }))
  return merged.toSorted(
    (a, b) => compareText(b.day, a.day) || compareText(a.endpoint, b.endpoint) || compareText(a.source, b.source),
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Days since 1970: compared at every count, where a text would cost as much as the rest. */
function dayNumberOf(time: Date): number {
  return Math.floor(time.getTime() / day_ms)
}

/** The day of an instant in UTC: `2026-11-21`. */
export function utcDayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

function endpointOf(path: string): string {
  return countedEndpoints.includes(path) ? path : (countedEndpoints.find((it) => path.startsWith(`${it}/`)) ?? 'other')
}
