import type { Static } from '@sinclair/typebox'
import { compared } from '../geo/attribute.ts'
import { compilePattern } from '../model/pattern.ts'
import type { Value } from '../model/source.ts'
import { codes, codesOf } from './codes.ts'
import { t } from './operator.ts'

/** The schema of a check on a value. Of several in one, all must hold. */
export const test = t.Object(
  {
    in: t.Optional(codes),
    contains: t.Optional(t.String()),
    contains_all: t.Optional(t.Array(t.String())),
    starts_with: t.Optional(t.String()),
    /** A regular expression, as `patternOf` takes it. */
    matches: t.Optional(t.String()),
    /** At least. */
    min: t.Optional(t.Number()),
    /** More than. */
    above: t.Optional(t.Number()),
  },
  { additionalProperties: false, minProperties: 1 },
)
type Test = Static<typeof test>

/** The check as a predicate. No value passes no check. */
export function passes(check: Test): (value: Value) => boolean {
  const { contains, starts_with, min, above } = check
  const checks: ((value: string | number | boolean) => boolean)[] = []
  const members = check.in === undefined ? null : codesOf(check.in)
  const matches = check.matches === undefined ? null : compilePattern(check.matches)
  if (members) checks.push((value) => members.some((member) => compared(value, member) === 0))
  if (contains !== undefined) checks.push((value) => String(value).includes(contains))
  for (const part of check.contains_all ?? []) checks.push((value) => String(value).includes(part))
  if (starts_with !== undefined) checks.push((value) => String(value).startsWith(starts_with))
  if (matches) checks.push((value) => matches(String(value)))
  if (min !== undefined) checks.push((value) => compared(value, min) >= 0)
  if (above !== undefined) checks.push((value) => compared(value, above) > 0)
  return (value) => value !== null && checks.every((holds) => holds(value))
}
