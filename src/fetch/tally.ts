import type { FieldResult } from './fetch-answer.ts'

/** What an answer took of one source: so many fields. What is billed is counted where it is asked. */
export type Taken = { source: string; fields: number }

/** What fields took, source by source. */
export function takenBy(fields: Record<string, FieldResult>): Taken[] {
  const taken = new Map<string, Taken>()
  for (const name in fields) {
    const { source } = fields[name]!
    let it = taken.get(source)
    if (!it) taken.set(source, it = { source, fields: 0 })
    it.fields++
  }
  return [...taken.values()]
}
