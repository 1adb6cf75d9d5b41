import { attributeOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { Properties, Value } from '../model/source.ts'

/** An attribute that the source is bound to give, be it null. One that it does not give at all is a fault of the source, not an absence. */
export function requireAttribute(properties: Properties, name: string): Value {
  const value = attributeOf(properties, name)
  if (value !== undefined) return value
  throw new UpstreamError(
    'bad_value',
    `The source gave no ${name}; it gave ${Object.keys(properties).slice(0, 30).join(', ') || 'nothing'}.`,
  )
}
