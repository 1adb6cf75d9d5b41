import golden from '../../test/golden/answers.json' with { type: 'json' }
import { goldenCounts, hashAnswers, type GoldenAnswers } from '../../test/fetch/golden-answers.ts'
import { atMost, type Finding } from './finding.ts'

/** Compares 20,000 answers to seeded requests, and what they count, with the golden answers. */
export async function soakAnswers(): Promise<Finding[]> {
  const { names, hashes }: GoldenAnswers = golden
  const expected = hashes[goldenCounts.soak]!
  const actual = await hashAnswers(goldenCounts.soak, names)
  const different = Object.keys(expected).filter((kind) => actual[kind] !== expected[kind])
  for (const kind of different) console.error(`The answers to "${kind}" differ from test/golden/answers.json.`)
  return [atMost('identity', 'kinds of seeded requests with another answer', different.length, 0)]
}
