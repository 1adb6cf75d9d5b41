import { UpstreamError } from '../model/error.ts'
import type { LimitStore, UsageRow } from '../store/accounts/limits.ts'

/** Counts usage in memory and writes it periodically, at no measurable cost. Billed calls are written at once. */
export type UsageMeter = {
  recordRequest(account_id: string, path: string): void
  /** Counts the fields that each source answered, in one answer or in several `answers`. */
  recordFields(
    account_id: string,
    path: string,
    usages: readonly { source: string; fields: number; answers?: number }[],
  ): void
  /** Writes a billed call to disk before it is made. If this throws, the call must not be made. */
  recordBilledCall(account_id: string, path: string, source: string): Promise<void>
  /** Returns the rows from one day to another, newest day first, including counts that are not written yet. */
  rowsBetween(account_id: string, from: string, to: string): Promise<UsageRow[]>
  /** Writes the counts. Counts that could not be written stay for the next flush. */
  flush(): Promise<void>
}

type Counts = { requests: number; fields: number }
/** Counts by source. The key '' holds the total. */
type CountsBySource = Map<string, Counts>

/** The endpoints of usage rows. A longer path counts as the first of these that it starts with. */
const countedEndpoints = [
  '/v1/fetch/batch',
  '/v1/fetch',
  '/v1/areas',
  '/v1/functions',
  '/v1/geocode',
  '/v1/lookup',
  '/v1/proximity',
  '/v1/ask/stream',
  '/v1/ask',
  '/v1/packs',
  '/v1/runs',
  '/v1/users/me',
  '/v1/users',
  '/tiles',
  '/ogc',
  '/edr',
  '/report',
  '/mcp',
  '/metrics',
]
const exactEndpoints: ReadonlySet<string> = new Set(countedEndpoints)
const retention_days = 400
const day_ms = 86_400_000

/** Creates a meter that counts per account, day, endpoint and source. */
export function createUsageMeter(store: LimitStore, now: () => Date): UsageMeter {
  const counter = createUsageCounter(now)
  /** Settles when no counts are being written. */
  let written: Promise<unknown> = Promise.resolve()
  let flushes = 0
  return {
    recordRequest: (account_id, path) => void countsOf(counter.today(account_id, path), '').requests++,
    recordFields(account_id, path, usages) {
      const bySource = counter.today(account_id, path)
      const total = countsOf(bySource, '')
      for (const { source, fields, answers = 1 } of usages) {
        const sourceCounts = countsOf(bySource, source)
        sourceCounts.requests += answers
        sourceCounts.fields += fields
        total.fields += fields
      }
    },
    async recordBilledCall(account_id, path, source) {
      const row = {
        account_id,
        day: utcDayOf(now()),
        endpoint: usageEndpointOf(path),
        requests: 0,
        fields: 0,
        metered_calls: 1,
      }
      try {
        await store.addUsage([
          { ...row, source },
          { ...row, source: '' },
        ])
      } catch (cause) {
        throw new UpstreamError(
          'source_suspended',
          `Cannot record a billed call to ${source}, so it was not made. Try again later.`,
          { cause },
        )
      }
    },
    async rowsBetween(account_id, from, to) {
      for (;;) {
        await written
        const flushesBefore = flushes
        const stored = await store.listUsage(account_id, from, to)
        // Counts that a flush wrote in the meantime would be missing, or be there twice.
        if (flushes !== flushesBefore) continue
        const unwritten = counter.rows().filter((it) => it.account_id === account_id && it.day >= from && it.day <= to)
        return mergeRows([...stored, ...unwritten])
      }
    },
    flush() {
      const writing = written.then(write)
      written = writing.catch(() => {})
      return writing
    },
  }

  async function write(): Promise<void> {
    const rows = counter.take()
    if (rows.length === 0) return
    flushes++
    try {
      await store.addUsage(rows)
    } catch (error) {
      counter.putBack(rows)
      throw error
    }
  }
}

/** Returns the first day whose usage is kept. */
export function firstUsageDay(now: Date): string {
  return utcDayOf(new Date(now.getTime() - retention_days * day_ms))
}

/** Counts in memory by day, account, endpoint and source. */
function createUsageCounter(now: () => Date) {
  let dayNumber = dayNumberOf(now())
  let day = utcDayOf(now())
  /** Today's counts by account and endpoint. */
  let counts = new Map<string, Map<string, CountsBySource>>()
  /** Unwritten rows of earlier days, and of flushes that failed. */
  let earlierRows: UsageRow[] = []
  return { today, rows, take, putBack }

  /** Returns today's counts of an account and endpoint. */
  function today(account_id: string, path: string): CountsBySource {
    startNewDay()
    const endpoint = usageEndpointOf(path)
    let byEndpoint = counts.get(account_id)
    if (!byEndpoint) counts.set(account_id, (byEndpoint = new Map()))
    let bySource = byEndpoint.get(endpoint)
    if (!bySource) byEndpoint.set(endpoint, (bySource = new Map()))
    return bySource
  }

  function startNewDay(): void {
    const current = dayNumberOf(now())
    if (current === dayNumber) return
    earlierRows = rows()
    counts = new Map()
    dayNumber = current
    day = utcDayOf(now())
  }

  /** Returns the counts that are not written yet. */
  function rows(): UsageRow[] {
    const rowsOfToday = [...counts].flatMap(([account_id, byEndpoint]) =>
      [...byEndpoint].flatMap(([endpoint, bySource]) =>
        [...bySource].map(([source, it]) => ({ account_id, day, endpoint, source, metered_calls: 0, ...it })),
      ),
    )
    return [...earlierRows, ...rowsOfToday]
  }

  /** Returns the counts that are not written yet, and forgets them. */
  function take(): UsageRow[] {
    const taken = rows()
    earlierRows = []
    counts = new Map()
    return taken
  }

  function putBack(taken: UsageRow[]): void {
    earlierRows = mergeRows([...taken, ...earlierRows])
  }
}

function countsOf(bySource: CountsBySource, source: string): Counts {
  let counts = bySource.get(source)
  if (!counts) bySource.set(source, (counts = { requests: 0, fields: 0 }))
  return counts
}

/** Merges rows of the same account, day, endpoint and source. */
function mergeRows(rows: UsageRow[]): UsageRow[] {
  const byName = Map.groupBy(rows, ({ account_id, day, endpoint, source }) =>
    JSON.stringify([account_id, day, endpoint, source]),
  )
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

/** Returns the days since 1970. Comparing date strings on every counted request would double the cost. */
function dayNumberOf(time: Date): number {
  return Math.floor(time.getTime() / day_ms)
}

/** Returns the UTC day of a time: `2026-11-21`. */
export function utcDayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

/**
 * Returns the endpoint that a path, or a route pattern, counts as.
 * @throws Error for a path that is not listed. The server checks its routes at start.
 */
export function usageEndpointOf(path: string): string {
  if (exactEndpoints.has(path)) return path
  const endpoint = countedEndpoints.find((it) => path.startsWith(`${it}/`))
  if (endpoint === undefined) throw new Error(`${path} has no usage endpoint. Add it to countedEndpoints.`)
  return endpoint
}
