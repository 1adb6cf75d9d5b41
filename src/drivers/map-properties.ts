import { isRecord, plainPropertiesOf } from '../model/record.ts'
import type { Properties, Value } from '../model/source.ts'

/**
 * The plain members of a record, plus nested ones by path (`{ flood_category: 'status.observed.floodCategory' }`); null
 * where the path does not exist.
 */
export function mapProperties(record: unknown, names: Record<string, string> = {}): Properties {
  return {
    ...plainPropertiesOf(record),
    ...Object.fromEntries(Object.entries(names).map(([name, path]) => [name, valueAtPath(record, path)])),
  }
}

function valueAtPath(record: unknown, path: string): Value {
  const found = path
    .split('.')
    .reduce<unknown>((value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : null), record)
  return typeof found === 'object' || found === undefined ? null : (found as Value)
}
