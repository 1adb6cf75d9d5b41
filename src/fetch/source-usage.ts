import type { FieldResult } from './fetch-answer.ts'

/** What an answer took of one source: so many fields. What is billed is counted where it is asked. */
export type SourceUsage = { source: string; fields: number }

/** What fields took, source by source. */
export function usageBySource(fields: Record<string, FieldResult>): SourceUsage[] {
  const usages = new Map<string, SourceUsage>()
  for (const name in fields) {
    const { source } = fields[name]!
    let usage = usages.get(source)
    if (!usage) usages.set(source, (usage = { source, fields: 0 }))
    usage.fields++
  }
  return [...usages.values()]
}
