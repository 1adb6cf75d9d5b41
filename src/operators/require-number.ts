import { numberOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { Value } from '../model/source.ts'

/** A value that is to be calculated with: the number that it is or reads as. Anything else is refused, and so is one that is not finite. */
export function requireNumber(value: Value): number {
  const number = numberOf(value)
  if (number === null || !Number.isFinite(number))
    throw new UpstreamError(
      'bad_value',
      `A number was expected, and the source gave ${typeof value === 'number' ? value : JSON.stringify(value)}.`,
    )
  return number
}
