import { join } from 'node:path'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { openBuiltInPlanner } from '../../src/ask/built-in-planner.ts'

/** A question as people ask it, and the fields that must be among the fifteen. */
export type Gold = { question: string; fields: string[] }

/** The questions by which the planner is tuned, and those it never saw: halved by a hash of the question. */
export const halves: Record<'tune' | 'held_out', Gold[]> = halved((await Bun.file(join(import.meta.dir, 'gold.jsonl')).text()).trim().split('\n').map((line) => JSON.parse(line) as Gold))

function halved(all: Gold[]): Record<'tune' | 'held_out', Gold[]> {
  const isTune = ({ question }: Gold) => Bun.hash(question) % 2n === 0n
  return { tune: all.filter(isTune), held_out: all.filter((gold) => !isTune(gold)) }
}

/** The share of the fields that must be there which are, over all questions; and the questions that lack some. */
export function recallOf(gold: Gold[], catalog: Catalog): { recall: number; missed: { question: string; missing: string[]; planned: string[] }[] } {
  const planner = openBuiltInPlanner(catalog)
  const results = gold.map(({ question, fields }) => {
    const planned = planner.plan(question).fields.map(({ name }) => name)
    return { question, planned, all: fields.length, missing: fields.filter((name) => !planned.includes(name)) }
  })
  planner.close()
  const sum = (of: (it: (typeof results)[number]) => number) => results.reduce((total, it) => total + of(it), 0)
  return { recall: 1 - sum(({ missing }) => missing.length) / sum(({ all }) => all), missed: results.filter(({ missing }) => missing.length > 0) }
}
