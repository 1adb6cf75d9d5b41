import type { Properties, Value } from './source.ts'
import type { TSchema } from '@sinclair/typebox'

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

/** Returns a JSON value with each of its texts changed, at any depth. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((it) => mapTexts(it, change))
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, it]) => [name, mapTexts(it, change)]))
    : value
}

/**
 * Removes the optional members that are null, at any depth: an optional member that is null counts as not given.
 * Members whose schema allows null stay. Changes the value, and returns it.
 */
export function removeNullMembers(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = schema.items as TSchema | undefined
    if (items) for (const item of value) removeNullMembers(items, item)
    return value
  }
  const properties = (schema.properties ?? {}) as Record<string, TSchema>
  const members = value as Record<string, unknown>
  for (const name of Object.keys(properties)) {
    if (!Object.hasOwn(members, name)) continue
    if (members[name] !== null) removeNullMembers(properties[name]!, members[name])
    else if (!isRequired(schema, name) && !allowsNull(properties[name]!)) delete members[name]
  }
  return value
}

function isRequired({ required }: TSchema, name: string): boolean {
  return Array.isArray(required) && required.includes(name)
}

/** A schema without a type allows everything. */
function allowsNull({ type, anyOf, const: constant }: TSchema): boolean {
  if (Array.isArray(anyOf)) return anyOf.some((it: TSchema) => allowsNull(it))
  if (type === undefined) return constant === undefined
  return type === 'null' || (Array.isArray(type) && type.includes('null'))
}

/** Returns the value of a JSON text. @throws what `errorOf` returns, if it is not valid JSON. */
export function parseJson(text: string, errorOf: (cause: unknown) => unknown): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw errorOf(cause)
  }
}

/** Returns the value of a JSON text; null if it is not valid JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns the object of a JSON text; null for any other text. */
export function tryParseRecord(text: string): Record<string, unknown> | null {
  const value = tryParseJson(text)
  return isRecord(value) ? value : null
}
