import { expect, test } from 'bun:test'
import { SchemaChanges } from '../../src/fetch/sources/schema-changes.ts'

test('names are reported until a read finds them again, or for a day', () => {
  let now = new Date('2026-01-01T00:00:00Z')
  const changes = new SchemaChanges(() => now)
  expect([changes.isEmpty, changes.missing()]).toEqual([true, []])
  changes.recordMissing(['b', 'a'])
  expect([changes.isEmpty, changes.missing()]).toEqual([false, ['a', 'b']])
  changes.recordFound(['b', 'c'])
  expect(changes.missing()).toEqual(['a'])
  now = new Date('2026-01-01T23:00:00Z')
  changes.recordMissing(['d'])
  now = new Date('2026-01-02T01:00:00Z')
  expect(changes.missing()).toEqual(['d'])
})
