import type { Static, TObject } from '@sinclair/typebox'
import { compareValues } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { Value } from '../model/source.ts'
import { classesSchema, labelOf } from './codes.ts'
import { requireNumber } from './require-number.ts'
import { t } from './operator.ts'
import { transformSchema, transformValue } from './transform-value.ts'

/** The arguments by which a found value is cleaned, for the schemas of the operators that find values in records. */
export const cleaningArgs = {
  /** Values that mean "no value". */
  sentinels: t.Optional(t.Array(t.Union([t.String(), t.Number()]))),
  /** For text that stands for a number. */
  cast: t.Optional(t.Union([t.Literal('integer'), t.Literal('float')])),
  transform: t.Optional(transformSchema),
  classes: t.Optional(classesSchema),
}
type CleaningArgs = Static<TObject<typeof cleaningArgs>>

/** A found value as the field gives it: sentinels become null, then cast, transform and label, in this order. */
export function cleanValue(raw: Value, { sentinels = [], cast, transform, classes }: CleaningArgs): Value {
  if (raw === null || isSentinel(raw, sentinels)) return null
  if (typeof raw === 'number' && !Number.isFinite(raw))
    throw new UpstreamError('bad_value', `The source gave ${raw} where a finite number was expected.`)
  const value = cast === undefined ? raw : castTo(cast, raw)
  const transformedValue = transform === undefined ? value : transformValue(value, transform)
  return classes === undefined ? transformedValue : labelOf(transformedValue, classes)
}

/** A number is a sentinel as text too. */
function isSentinel(value: Value, sentinels: readonly (string | number)[]): boolean {
  return sentinels.some(
    (sentinel) =>
      value === sentinel ||
      (typeof sentinel === 'number' && typeof value !== 'boolean' && compareValues(value, sentinel) === 0),
  )
}

function castTo(type: 'integer' | 'float', raw: Value): Value {
  if (typeof raw === 'string' && raw.trim() === '') return null
  const number = requireNumber(raw)
  if (type === 'integer' && !Number.isInteger(number))
    throw new UpstreamError('bad_value', `A whole number was expected, and the source gave ${number}.`)
  return number
}
