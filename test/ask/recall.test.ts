import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { goldHalves, additionalQuestions, recallOf } from './gold.ts'

const catalog = createCatalog(contents)
const sets = { ...goldHalves, ...additionalQuestions }
const minRecall = 0.9

test('there are at least 200 questions and 150 held-out ones without duplicates, and the catalog has all their fields', () => {
  expect(goldHalves.tune.length + goldHalves.held_out.length).toBeGreaterThanOrEqual(200)
  expect([additionalQuestions.seen.length, additionalQuestions.blind.length]).toEqual([75, 75])
  const all = Object.values(sets).flat()
  expect(new Set(all.map(({ question }) => question)).size).toBe(all.length)
  expect(all.flatMap(({ fields }) => fields).filter((name) => !catalog.fields.has(name))).toEqual([])
})

test.each(Object.entries(sets))(
  'without a model, nine of ten fields that must be among the fifteen are, in the questions called %s',
  (name, gold) => {
    const { recall, byAsker } = recallOf(gold, catalog)
    const each = Object.entries(byAsker).map(([who, share]) => `${who} ${share.toFixed(2)}`)
    console.log(
      `recall at 15, ${name} (${gold.length} questions): ${recall.toFixed(3)}${each.length > 1 ? `; ${each.join(', ')}` : ''}`,
    )
    expect(recall).toBeGreaterThanOrEqual(minRecall)
  },
)
