import { attributeOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { Properties, Value } from '../model/source.ts'

/** The plain members of a record of a document; what is no record has none. */
export function recordOf(found: unknown): Properties {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return {}
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, Value] => isPlain(entry[1])))
}

/** An attribute that the source is bound to give, be it null. One that it does not give at all is a fault of the source, not an absence. */
export function foundAttribute(properties: Properties, name: string): Value {
  const value = attributeOf(properties, name)
  if (value !== undefined) return value
  throw new UpstreamError(
    'bad_value',
    `The source gave no ${name}; it gave ${Object.keys(properties).slice(0, 30).join(', ') || 'nothing'}.`,
  )
}

function isPlain(value: unknown): value is Value {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
