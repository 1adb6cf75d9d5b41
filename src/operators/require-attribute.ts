import { attributeOf } from '../geo/attribute.ts'
import { namesInCondition } from '../geo/sql-condition.ts'
import { schemaChangedError } from '../model/schema-changed.ts'
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

/**
 * Throws `schema_changed` if records lack an attribute of a condition: then the condition would hold for none of them.
 * Records without this attribute are allowed if another has it.
 */
export function requireConditionNames(records: readonly Properties[], where: string): void {
  if (records.length === 0) return
  const missing = namesInCondition(where).filter((name) =>
    records.every((properties) => attributeOf(properties, name) === undefined),
  )
  if (missing.length > 0) throw schemaChangedError(missing, Object.keys(records[0]!))
}
