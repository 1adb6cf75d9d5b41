/** The counted measures and their labels. */
export const usageMeasures = { requests: 'Requests', fields: 'Fields', metered_calls: 'Billed calls' } as const
export type UsageMeasure = keyof typeof usageMeasures
type UsageCounts = Record<UsageMeasure, number>

export type UsageTotal = UsageCounts & { name: string }

const day_ms = 86_400_000

/** Adds up the rows of the same name. Rows with the most requests come first. */
export function totalByName(rows: readonly UsageTotal[]): UsageTotal[] {
  const byName = [...Map.groupBy(rows, ({ name }) => name)]
  const sum = (group: UsageTotal[], measure: UsageMeasure) => group.reduce((all, it) => all + it[measure], 0)
  return byName
    .map(([name, group]) => ({
      name,
      requests: sum(group, 'requests'),
      fields: sum(group, 'fields'),
      metered_calls: sum(group, 'metered_calls'),
    }))
    .toSorted((a, b) => b.requests - a.requests)
}

/** Returns every day from the first to the last, both included, as `2026-11-21`. */
export function daysBetween(from: string, to: string): string[] {
  const dayCount = Math.round((Date.parse(to) - Date.parse(from)) / day_ms) + 1
  return Array.from({ length: Math.max(0, dayCount) }, (_, i) =>
    new Date(Date.parse(from) + i * day_ms).toISOString().slice(0, 10),
  )
}
