import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { halves, recallOf } from './gold.ts'

const catalog = openCatalog(contents)
const leastRecall = 0.9

test('there are at least 200 questions, no two alike, and all their fields are in the catalog', () => {
  const all = [...halves.tune, ...halves.held_out]
  expect(all.length).toBeGreaterThanOrEqual(200)
  expect(new Set(all.map(({ question }) => question)).size).toBe(all.length)
  expect(all.flatMap(({ fields }) => fields).filter((name) => !catalog.fields.has(name))).toEqual([])
})

test('without a model, nine of ten fields that must be among the fifteen are, in the half that was not tuned on too', () => {
  expect(recallOf(halves.tune, catalog).recall).toBeGreaterThanOrEqual(leastRecall)
  expect(recallOf(halves.held_out, catalog).recall).toBeGreaterThanOrEqual(leastRecall)
})
