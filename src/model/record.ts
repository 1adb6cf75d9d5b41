import type { Properties, Value } from './source.ts'

/** Whether a value is an object with members: no list, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The plain members of a record of a document; what is no record has none. */
export function plainPropertiesOf(value: unknown): Properties {
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Value] => isPlain(entry[1])))
}

function isPlain(value: unknown): value is Value {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
