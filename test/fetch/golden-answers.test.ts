import { expect, test } from 'bun:test'
import golden from '../golden/answers.json' with { type: 'json' }
import { goldenCounts, hashAnswers, type GoldenAnswers } from './golden-answers.ts'

const { names, hashes } = golden as GoldenAnswers

test('seeded requests get the same status, headers and body, and count the same (after a change: `npm run bless`)', async () => {
  expect(await hashAnswers(goldenCounts.test, names)).toEqual(hashes[goldenCounts.test]!)
}, 900_000)

test('another answer has another hash', async () => {
  const fewer = { ...names, local: names.local.slice(1) }
  expect(await hashAnswers(200, fewer)).not.toEqual(await hashAnswers(200, names))
}, 900_000)
