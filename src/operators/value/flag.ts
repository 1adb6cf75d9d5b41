import type { Static, TObject } from '@sinclair/typebox'
import { numberOf } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import { compilePattern } from '../../model/pattern.ts'
import type { Value } from '../../model/source.ts'
import { t } from '../operator.ts'

/**
 * Values of a flag: a list, in which null also matches blank text; the name of a code set of the dataset, or `classes`
 * for all codes of its class table; or a regular expression for text (see `compilePattern`).
 */
const flagValuesSchema = t.Union([
  t.Array(t.Union([t.String(), t.Number(), t.Boolean(), t.Null()]), { minItems: 1 }),
  t.String(),
  t.Object({ matches: t.String() }, { additionalProperties: false }),
])

/** Schema properties for operators that read a yes or no from a value. */
export const flagArgs = {
  true_values: t.Optional(flagValuesSchema),
  /** May list values of `true_values` again: those are true. */
  false_values: t.Optional(flagValuesSchema),
  /** The publisher's own values for "unknown". */
  unknown_values: t.Optional(flagValuesSchema),
}

type FlagValues = Static<typeof flagValuesSchema>
type FlagArgs = Static<TObject<typeof flagArgs>>

/**
 * Compiles flags of which one true value suffices. A value that no list has is never false: the publisher may have
 * changed its codes. The result throws `bad_value` for such a value, and is null for an unknown one.
 */
export function compileFlag({ true_values, false_values, unknown_values }: FlagArgs): FlagReader {
  const isTrue = compileFlagValues(true_values)
  const isFalse = compileFlagValues(false_values)
  const isUnknown = compileFlagValues(unknown_values)
  return (raw) => {
    const values = raw.map(withoutBlanks)
    if (values.some(isTrue)) return true
    const isUnlisted = (value: Value) => !isFalse(value) && !isUnknown(value)
    if (values.some(isUnlisted)) throw notListedError(values.find(isUnlisted)!)
    return values.some(isUnknown) ? null : false
  }
}

/** A text without the blanks around it; null for a text of blanks. */
export function withoutBlanks(value: Value): Value {
  return typeof value === 'string' ? value.trim() || null : value
}

type FlagReader = (values: readonly Value[]) => boolean | null

function notListedError(value: Value): UpstreamError {
  return new UpstreamError(
    'bad_value',
    `The source returned ${JSON.stringify(value)}, which is not one of its values for true, false or unknown.`,
  )
}

/** Compiles flag values to a predicate. */
export function compileFlagValues(values: FlagValues | undefined): (value: Value) => boolean {
  if (values === undefined) return () => false
  if (typeof values === 'string') throw new Error(`The catalog did not resolve the code set ${values}.`)
  if (Array.isArray(values)) {
    const listed = new Set(values.map((value) => numberOf(value) ?? value))
    return (value) => listed.has(numberOf(value) ?? value)
  }
  const matches = compilePattern(values.matches)
  return (value) => typeof value === 'string' && matches(value)
}
