import { expect, test } from 'bun:test'
import { withAttributeLimits } from '../../src/fetch/sources/attribute-limits.ts'
import type { AttributeLimit } from '../../src/catalog/records.ts'
import type { Value } from '../../src/model/source.ts'
import { datasetOf } from '../support/catalog-contents.ts'
import { fetchBudget } from './fake-context.ts'

const codes: AttributeLimit = ['High', 'Low', 1]
const year: AttributeLimit = { range: [1700, 2100], or: [9999] }
const ask = async (limit: AttributeLimit, value: Value) => {
  const dataset = datasetOf({ attribute_limits: { IT: limit }, sentinels: ['NP'] })
  const source = withAttributeLimits(async () => [{ properties: { it: value }, distance_m: 0 }], dataset)
  return source(undefined as never, fetchBudget)
}

test.each<[AttributeLimit, Value[]]>([
  [codes, ['High', ' Low ', 1, '1', 'NP']],
  [
    [null, 'T'],
    [null, ' ', 'T'],
  ],
  [{ matches: '^[A-Z]{2}[0-9]' }, ['CO1', null, '', 'NP']],
  [year, [1700, '2024', 9999, null, 'NP']],
])('an attribute within %p is passed on', async (limit, values) => {
  for (const value of values) expect(await ask(limit, value)).toHaveLength(1)
})

test.each<[AttributeLimit, Value[]]>([
  [codes, ['ZZ9', null, '', true, 2]],
  [{ matches: '^[A-Z]{2}[0-9]' }, ['ZZZ', 42, false]],
  [year, [255, 65_535, -9999, 'many', true]],
])('a service with an attribute outside of %p fails, so that nothing leaves the feature out', async (limit, values) => {
  for (const value of values) expect(ask(limit, value)).rejects.toMatchObject({ code: 'bad_value' })
})

test('a feature without the attribute is passed on: reading it says that the schema has changed', async () => {
  const source = withAttributeLimits(
    async () => [{ properties: {}, distance_m: 0 }],
    datasetOf({ attribute_limits: { IT: codes } }),
  )
  expect(await source(undefined as never, fetchBudget)).toHaveLength(1)
})
