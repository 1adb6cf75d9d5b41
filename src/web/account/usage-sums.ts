/** What is counted, and what it is called. */
export const counts = { requests: 'Requests', fields: 'Fields', metered_calls: 'Billed calls' } as const
export type Count = keyof typeof counts
type Counted = Record<Count, number>

/** The answer of GET /v1/users/me/usage. */
export type UsageDocument = {
  from: string
  to: string
  items: (Counted & { day: string; endpoint: string; sources: (Counted & { source: string })[] })[]
}

export type Row = Counted & { name: string }

const day_ms = 86_400_000

/** Rows of the same name made one, those with the most requests first. */
export function summed(rows: readonly Row[]): Row[] {
  const byName = [...Map.groupBy(rows, ({ name }) => name)]
  const sum = (same: Row[], count: Count) => same.reduce((all, it) => all + it[count], 0)
  return byName
    .map(([name, same]) => ({
      name,
      requests: sum(same, 'requests'),
      fields: sum(same, 'fields'),
      metered_calls: sum(same, 'metered_calls'),
    }))
    .toSorted((a, b) => b.requests - a.requests)
}

/** Every day from the first to the last: `2026-11-21`. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / day_ms) + 1
  return Array.from({ length: Math.max(0, count) }, (_, i) =>
    new Date(Date.parse(from) + i * day_ms).toISOString().slice(0, 10),
  )
}
