import type { Static } from '@sinclair/typebox'
import { compareValues } from '../geo/attribute.ts'
import { compilePattern } from '../model/pattern.ts'
import type { Value } from '../model/source.ts'
import { codesSchema, codesOf } from './codes.ts'
import { t } from './operator.ts'

/** A test of a value. All conditions must hold. */
export const valueTestSchema = t.Object(
  {
    in: t.Optional(codesSchema),
    contains: t.Optional(t.String()),
    contains_all: t.Optional(t.Array(t.String())),
    starts_with: t.Optional(t.String()),
    /** A regular expression. See `compilePattern` for the syntax. */
    matches: t.Optional(t.String()),
    /** Inclusive minimum. */
    min: t.Optional(t.Number()),
    /** Exclusive minimum. */
    above: t.Optional(t.Number()),
  },
  { additionalProperties: false, minProperties: 1 },
)
type ValueTest = Static<typeof valueTestSchema>

/** Compiles a test to a predicate. null fails every test. */
export function compileValueTest(valueTest: ValueTest): (value: Value) => boolean {
  const { contains, starts_with, min, above } = valueTest
  const checks: ((value: string | number | boolean) => boolean)[] = []
  const members = valueTest.in === undefined ? null : codesOf(valueTest.in)
  const matches = valueTest.matches === undefined ? null : compilePattern(valueTest.matches)
  if (members) checks.push((value) => members.some((member) => compareValues(value, member) === 0))
  if (contains !== undefined) checks.push((value) => String(value).includes(contains))
  for (const part of valueTest.contains_all ?? []) checks.push((value) => String(value).includes(part))
  if (starts_with !== undefined) checks.push((value) => String(value).startsWith(starts_with))
  if (matches) checks.push((value) => matches(String(value)))
  if (min !== undefined) checks.push((value) => compareValues(value, min) >= 0)
  if (above !== undefined) checks.push((value) => compareValues(value, above) > 0)
  return (value) => value !== null && checks.every((holds) => holds(value))
}
