import { join } from 'node:path'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { BuiltInPlanner } from '../../src/ask/planner/built-in-planner.ts'
import { testDictionary } from '../support/test-dictionary.ts'

/** A question with the fields that the plan must contain. `who` is the profession of the asker. */
export type GoldQuestion = { question: string; fields: string[]; who?: string }

/** The tuning and the held-out half of `gold.jsonl`, split by a hash of the question. */
export const goldHalves: Record<'tune' | 'held_out', GoldQuestion[]> = splitInHalves(await read('gold.jsonl'))

/**
 * 150 more questions, written from the catalog without knowing the planner, and split at random. The planner may be
 * tuned with `seen` but not with `blind`.
 */
export const additionalQuestions: Record<'seen' | 'blind', GoldQuestion[]> = {
  seen: await read('seen.jsonl'),
  blind: await read('blind.jsonl'),
}

async function read(file: string): Promise<GoldQuestion[]> {
  return (await Bun.file(join(import.meta.dir, file)).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as GoldQuestion)
}

function splitInHalves(all: GoldQuestion[]): Record<'tune' | 'held_out', GoldQuestion[]> {
  const isTune = ({ question }: GoldQuestion) => Bun.hash(question) % 2n === 0n
  return { tune: all.filter(isTune), held_out: all.filter((gold) => !isTune(gold)) }
}

type RecallMiss = { question: string; missing: string[]; planned: string[] }

/** Returns the recall over all questions and per profession, and the questions with missing fields. */
export function recallOf(
  gold: GoldQuestion[],
  catalog: Catalog,
): { recall: number; byAsker: Record<string, number>; missed: RecallMiss[] } {
  const planner = new BuiltInPlanner(catalog, testDictionary)
  const results = gold.map(({ question, fields, who }) => {
    const planned = planner.plan(question).fields.map(({ name }) => name)
    return {
      question,
      who: who ?? 'anyone',
      planned,
      all: fields.length,
      missing: fields.filter((name) => !planned.includes(name)),
    }
  })
  planner.close()
  const byAsker = Object.fromEntries([...Map.groupBy(results, ({ who }) => who)].map(([who, of]) => [who, recall(of)]))
  return { recall: recall(results), byAsker, missed: results.filter(({ missing }) => missing.length > 0) }
}

function recall(results: { all: number; missing: string[] }[]): number {
  const sum = (of: (it: (typeof results)[number]) => number) => results.reduce((total, it) => total + of(it), 0)
  return 1 - sum(({ missing }) => missing.length) / sum(({ all }) => all)
}
