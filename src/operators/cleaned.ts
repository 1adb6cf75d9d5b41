import type { Static, TObject } from '@sinclair/typebox'
import { compared } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { Value } from '../model/source.ts'
import { classes, labelled } from './codes.ts'
import { numeric } from './numeric.ts'
import { t } from './operator.ts'
import { transform, transformed } from './transformed.ts'

/** The arguments by which a found value is cleaned, for the schemas of the operators that find values in records. */
export const cleaning = {
  /** Values that mean "no value". */
  sentinels: t.Optional(t.Array(t.Union([t.String(), t.Number()]))),
  /** For text that stands for a number. */
  cast: t.Optional(t.Union([t.Literal('integer'), t.Literal('float')])),
  transform: t.Optional(transform),
  classes: t.Optional(classes),
}
type Cleaning = Static<TObject<typeof cleaning>>

/** A found value as the field gives it: sentinels become null, then cast, transform and label, in this order. */
export function cleaned(found: Value, { sentinels = [], cast, transform, classes }: Cleaning): Value {
  if (found === null || isSentinel(found, sentinels)) return null
  if (typeof found === 'number' && !Number.isFinite(found))
    throw new UpstreamError('bad_value', `The source gave ${found} where a finite number was expected.`)
  const value = cast === undefined ? found : castTo(cast, found)
  const formed = transform === undefined ? value : transformed(value, transform)
  return classes === undefined ? formed : labelled(formed, classes)
}

/** A number is a sentinel as text too. */
function isSentinel(value: Value, sentinels: readonly (string | number)[]): boolean {
  return sentinels.some(
    (sentinel) => value === sentinel || (typeof sentinel === 'number' && typeof value !== 'boolean' && compared(value, sentinel) === 0),
  )
}

function castTo(type: 'integer' | 'float', found: Value): Value {
  if (typeof found === 'string' && found.trim() === '') return null
  const number = numeric(found)
  if (type === 'integer' && !Number.isInteger(number))
    throw new UpstreamError('bad_value', `A whole number was expected, and the source gave ${number}.`)
  return number
}
