import { isRecord, isPlainValue, plainPropertiesOf } from '../../model/record.ts'
import type { Properties, Value } from '../../model/source.ts'

/**
 * The plain members of a record, plus nested ones by path (`{ flood_category: 'status.observed.floodCategory' }`). A
 * name whose path does not exist is left out; it is null where the path ends early at null.
 */
export function mapProperties(record: unknown, names: Record<string, string> = {}): Properties {
  const properties = plainPropertiesOf(record)
  for (const [name, path] of Object.entries(names)) {
    const value = valueAtPath(record, path)
    if (value !== undefined) properties[name] = value
  }
  return properties
}

function valueAtPath(record: unknown, path: string): Value | undefined {
  let value: unknown = record
  for (const name of path.split('.')) {
    if (value === null) return null
    value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return isPlainValue(value) ? value : undefined
}
