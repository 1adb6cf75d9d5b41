import type { Static, TObject } from '@sinclair/typebox'
import { compareValues, requireNumber } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import { isMark, isPlaceholder, placeholderError } from '../../model/placeholder.ts'
import type { Value } from '../../model/source.ts'
import { classesSchema, labelOf } from './codes.ts'
import { t } from '../operator.ts'
import { transformSchema, transformValue } from './transform-value.ts'

/** Schema properties for operators that clean values of records. */
export const cleaningArgs = {
  /** Values that mean "no value". Text that starts with `*` matches all text with this end, in any case. */
  sentinels: t.Optional(t.Array(t.Union([t.String(), t.Number()]))),
  /** Values that stand for another, such as 0 for "1939 or earlier", with that other value. */
  stand_ins: t.Optional(t.Record(t.String(), t.Union([t.Number(), t.String()]))),
  /** Converts text to a number. */
  cast: t.Optional(t.Union([t.Literal('integer'), t.Literal('float')])),
  transform: t.Optional(transformSchema),
  classes: t.Optional(classesSchema),
}
type CleaningArgs = Static<TObject<typeof cleaningArgs>>

/**
 * Returns a raw value, or null for blank text and sentinels. Blank text is never a value, at any publisher.
 * @throws {UpstreamError} `bad_value` for a placeholder that is no sentinel.
 */
export function knownValue(raw: Value, sentinels: CleaningArgs['sentinels'] = []): Value {
  if (raw === null || isBlank(raw) || isSentinel(raw, sentinels)) return null
  if (isPlaceholder(raw)) throw placeholderError(raw)
  if (typeof raw !== 'number' || Number.isFinite(raw)) return raw
  throw new UpstreamError('bad_value', `The source returned ${raw}. Expected a finite number.`)
}

/** Cleans a value, as `knownValue` does, and then replaces stand-ins, casts, transforms and labels, in this order. */
export function cleanValue(raw: Value, { sentinels, stand_ins = {}, cast, transform, classes }: CleaningArgs): Value {
  if (knownValue(raw, sentinels) === null) return null
  const code = String(raw).trim()
  const known = Object.hasOwn(stand_ins, code) ? stand_ins[code]! : raw
  const value = cast === undefined ? known : castTo(cast, known)
  const transformedValue = transform === undefined ? value : transformValue(value, transform)
  if (classes !== undefined) return labelOf(transformedValue, classes)
  if (isMark(transformedValue)) throw placeholderError(raw)
  return transformedValue
}

function isBlank(value: Value): boolean {
  return typeof value === 'string' && value.trim() === ''
}

/** A numeric sentinel also matches text that parses as the number. */
export function isSentinel(value: Value, sentinels: readonly (string | number)[]): boolean {
  return sentinels.some(
    (sentinel) =>
      value === sentinel ||
      (typeof sentinel === 'number'
        ? typeof value !== 'boolean' && compareValues(value, sentinel) === 0
        : sentinel.startsWith('*') && String(value).toLowerCase().endsWith(sentinel.slice(1).toLowerCase())),
  )
}

function castTo(type: 'integer' | 'float', raw: Value): Value {
  const number = requireNumber(raw)
  if (type === 'integer' && !Number.isInteger(number))
    throw new UpstreamError('bad_value', `The source returned ${number}. Expected an integer.`)
  return number
}
