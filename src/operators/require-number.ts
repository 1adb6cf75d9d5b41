import { numberOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { Value } from '../model/source.ts'

/** Returns a number, or text parsed as a number. Throws `bad_value` for anything else and for a non-finite number. */
export function requireNumber(value: Value): number {
  const number = numberOf(value)
  if (number === null || !Number.isFinite(number))
    throw new UpstreamError(
      'bad_value',
      `The source returned ${typeof value === 'number' ? value : JSON.stringify(value)}. Expected a number.`,
    )
  return number
}
