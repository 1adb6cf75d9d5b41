import type { UsageRow, UsageStore } from '../store/usage.ts'

/** What accounts ask for, counted in memory and written down now and then: counting costs a request nothing that could be measured. */
export type Usage = {
  request(account_id: string, path: string): void
  /** Fields that were answered by a source, and the calls among them that are billed. */
  answered(account_id: string, path: string, source: string, fields: number, metered_calls: number): void
  of(account_id: string, from: string, to: string): UsageRow[]
  requestsToday(account_id: string): number
  flush(): void
  sweep(): void
}

type Counts = { requests: number; fields: number; metered_calls: number }

/** Every address that is counted under its own name; another counts as what it begins with. */
const endpoints = ['/v1/fetch/batch', '/v1/fetch', '/v1/geocode', '/v1/lookup', '/v1/ask/stream', '/v1/ask', '/v1/runs', '/v1/users/me', '/mcp']
const kept_days = 400
const day_ms = 86_400_000

export function openUsage(store: UsageStore, now: () => Date): Usage {
  let dayNumber = dayNumberOf(now())
  let day = dayOf(now())
  let counts = new Map<string, Map<string, Counts>>()
  return {
    request: (account_id, path) => void countsOf(account_id, path, '').requests++,
    answered(account_id, path, source, fields, metered_calls) {
      const ofSource = countsOf(account_id, path, source)
      const all = countsOf(account_id, path, '')
      ofSource.requests++
      ofSource.fields += fields
      ofSource.metered_calls += metered_calls
      all.fields += fields
      all.metered_calls += metered_calls
    },
    of(account_id, from, to) {
      flush()
      return store.of(account_id, from, to)
    },
    requestsToday(account_id) {
      flush()
      return store.requestsOn(account_id, dayOf(now()))
    },
    flush,
    sweep: () => store.sweep(dayOf(new Date(now().getTime() - kept_days * day_ms))),
  }

  function countsOf(account_id: string, path: string, source: string): Counts {
    turnDay()
    const name = `${endpointOf(path)} ${source}`
    let own = counts.get(account_id)
    if (!own) counts.set(account_id, own = new Map())
    let it = own.get(name)
    if (!it) own.set(name, it = { requests: 0, fields: 0, metered_calls: 0 })
    return it
  }

  function turnDay(): void {
    const today = dayNumberOf(now())
    if (today === dayNumber) return
    flush()
    dayNumber = today
    day = dayOf(now())
  }

  /** What cannot be written now (the disk is full, another writes) is written the next time. */
  function flush(): void {
    if (counts.size === 0) return
    const rows = [...counts].flatMap(([account_id, own]) => [...own].map(([name, it]) => {
      const [endpoint = '', ...source] = name.split(' ')
      return { account_id, day, endpoint, source: source.join(' '), ...it }
    }))
    store.add(rows)
    counts = new Map()
  }
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
