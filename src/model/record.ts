import type { Properties, Value } from './source.ts'

/** Whether a value is an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the string, number, boolean and null members of an object; none for any other value. */
export function plainPropertiesOf(value: unknown): Properties {
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Value] => isPlainValue(entry[1])))
}

/** Whether a value is a string, number, boolean or null. */
export function isPlainValue(value: unknown): value is Value {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
