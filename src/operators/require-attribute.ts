import { attributeOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { Properties, Value } from '../model/source.ts'

/**
 * Returns an attribute, which may be null. Throws `bad_value` if it is missing: that is an error of the source, not an
 * absent value.
 */
export function requireAttribute(properties: Properties, name: string): Value {
  const value = attributeOf(properties, name)
  if (value !== undefined) return value
  throw new UpstreamError(
    'bad_value',
    `The source returned no attribute ${name}. It returned ${Object.keys(properties).slice(0, 30).join(', ') || 'none'}.`,
  )
}
