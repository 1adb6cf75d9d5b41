import { schemaChangedError } from '../model/error.ts'
import type { Properties } from '../model/source.ts'
import { attributeOf } from './attribute.ts'
import { namesInCondition } from './sql-condition.ts'

/**
 * Throws `schema_changed` if no record has an attribute of a condition: then the condition would hold for none of them.
 * Without records nothing is known.
 */
export function requireConditionNames(records: readonly Properties[], where: string): void {
  if (records.length === 0) return
  const missing = namesInCondition(where).filter((name) =>
    records.every((properties) => attributeOf(properties, name) === undefined),
  )
  if (missing.length > 0) throw schemaChangedError(missing, Object.keys(records[0]!))
}
