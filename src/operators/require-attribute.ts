import { attributeOf } from '../geo/attribute.ts'
import { schemaChangedError } from '../model/error.ts'
import type { Properties, Value } from '../model/source.ts'

/**
 * Returns an attribute, which may be null. Throws `schema_changed` if it is missing: that is an error of the source,
 * not an absent value.
 */
export function requireAttribute(properties: Properties, name: string): Value {
  const value = attributeOf(properties, name)
  if (value !== undefined) return value
  throw schemaChangedError([name], Object.keys(properties))
}
