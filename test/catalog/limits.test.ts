import { describe, expect, test } from 'bun:test'
import { fields } from '../../catalog/contents.ts'
import { withNestedReads } from '../../src/catalog/read-spec.ts'
import type { Field } from '../../src/catalog/records.ts'

const without = (isLimited: (field: Field) => boolean, among: (field: Field) => boolean) =>
  fields.filter((field) => among(field) && !isLimited(field)).map(({ name }) => name)

describe('a value that a field cannot have is refused:', () => {
  test('each number has a range with both ends, or a list', () => {
    expect(
      without(
        ({ enum: values, valid_range }) =>
          values !== undefined || (valid_range?.every((end) => end !== null && Number.isFinite(end)) ?? false),
        ({ type }) => type === 'integer' || type === 'float',
      ),
    ).toEqual([])
  })

  test('each text has a list or a pattern, unless it is a name, the label of a code, or computed here', () => {
    expect(
      without(
        ({ name, enum: values, pattern, read }) =>
          values !== undefined ||
          pattern !== undefined ||
          /_names?$/.test(name) ||
          withNestedReads(read).some((it) => 'classes' in it || 'decode' in it || it.dataset === 'computed'),
        ({ type, unit }) => type === 'string' && unit !== 'date',
      ),
    ).toEqual([])
  })

  test('each date has a first day', () => {
    expect(
      without(
        ({ earliest }) => earliest !== undefined,
        ({ unit }) => unit === 'date',
      ),
    ).toEqual([])
  })
})
