import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { confidenceOf, confidenceOfStale, confidenceRuleOf } from '../../src/catalog/confidence.ts'
import { withNestedReads } from '../../src/catalog/read-spec.ts'
import type { Dataset } from '../../src/catalog/records.ts'
import type { Confidence } from '../../src/model/outcome.ts'
import { datasetOf } from '../support/catalog-contents.ts'

const margins: Dataset['margins'] = { suffixes: ['E', 'M'], codes: {} }
const uncertainty = { share: 0, least_m: 1, most_m: 1, note: '' }
const ownRule = { level: 'low', reason: 'A guess.' } as const

describe('without a rule of its own, a dataset has the confidence', () => {
  test.each<[level: Confidence, what: string, Partial<Dataset>]>([
    ['high', 'features', {}],
    ['high', 'documents', { shape: 'document' }],
    ['medium', 'the cells of a raster', { shape: 'raster' }],
    ['medium', 'estimates with margins of error', { shape: 'document', margins }],
    ['medium', 'distances to generalized outlines', { uncertainty }],
  ])('%s for %s', (level, _, dataset) => expect(confidenceRuleOf(datasetOf(dataset)).level).toBe(level))
})

test('the rule of a dataset wins over the form of its data', () => {
  expect(confidenceRuleOf(datasetOf({ shape: 'raster', confidence: ownRule }))).toEqual(ownRule)
})

test('a stand-in is low whatever its dataset is', () => {
  expect(confidenceOf(datasetOf(), { stand_in: 'Another way.' })).toBe('low')
})

test('a stale value is at most medium', () => {
  expect((['high', 'medium', 'low'] as const).map(confidenceOfStale)).toEqual(['medium', 'medium', 'low'])
})

test('each dataset of the catalog has a level and a reason, and each level is used', () => {
  const rules = Object.values(contents.datasets).map(confidenceRuleOf)
  expect(rules.filter(({ reason }) => !/^[A-Z].*\.$/.test(reason))).toEqual([])
  const standIns = contents.fields.flatMap(({ read }) => withNestedReads(read)).filter((read) => read.stand_in)
  expect(new Set(rules.map(({ level }) => level))).toEqual(new Set(['high', 'medium']))
  expect(standIns.length).toBeGreaterThan(0)
})
