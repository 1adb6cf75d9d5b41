import { expect, test } from 'bun:test'
import { fields } from '../../catalog/contents.ts'
import { withNestedReads } from '../../src/catalog/read-spec.ts'

test('no yes/no field selects features by a condition alone, because a flag that is missing or unknown would be false', () => {
  const conditional = fields
    .filter(({ type }) => type === 'boolean')
    .filter(({ read }) =>
      withNestedReads(read).some((it) => it.op === 'within' && it.where !== undefined && it.attribute === undefined),
    )
  expect(conditional.map(({ name }) => name)).toEqual([])
})
