import type { Properties, Value } from '../model/source.ts'
import { schemaChangedError, UpstreamError } from '../model/error.ts'
import { isPlaceholder } from '../model/placeholder.ts'

/**
 * Returns an attribute by exact name, otherwise by the name after the last dot, ignoring case. `undefined` if there is
 * none.
 */
export function attributeOf(properties: Properties, name: string): Value | undefined {
  if (Object.hasOwn(properties, name)) return properties[name]
  const normalizedName = normalizeAttributeName(name)
  const key = Object.keys(properties).find((key) => normalizeAttributeName(key) === normalizedName)
  return key === undefined ? undefined : properties[key]
}

/** Returns the name without its table prefix, in lower case, so that different spellings of an attribute match. */
export function normalizeAttributeName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

/** Returns a number, or text parsed as a decimal number. `null` for anything else. */
export function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !decimalPattern.test(value)) return null
  return Number(value)
}

/**
 * Compares as numbers if both values parse as numbers, otherwise as text. Returns a negative number, 0 or a positive
 * number, and NaN if the values are not comparable. /
 */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return NaN
  if (typeof a === 'string' && typeof b === 'string' && !(decimalPattern.test(a) && decimalPattern.test(b)))
    return a < b ? -1 : a > b ? 1 : 0
  const [x, y] = [asNumber(a), asNumber(b)]
  return x === null || y === null ? NaN : x - y
}

/** No two parts match the same digits, so a long text that is not a number fails in linear time. */
const decimalPattern = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i

function asNumber(value: Value): number | null {
  return typeof value === 'boolean' ? Number(value) : numberOf(value)
}

/**
 * Returns an attribute, which may be null. Throws `schema_changed` if it is missing: that is an error of the source,
 * not an absent value.
 */
export function requireAttribute(properties: Properties, name: string): Value {
  const value = attributeOf(properties, name)
  if (value !== undefined) return value
  throw schemaChangedError([name], Object.keys(properties))
}

/** Returns a number, or text parsed as a number. Throws `bad_value` for anything else, a non-finite number
 * and a placeholder. */
export function requireNumber(value: Value): number {
  const number = numberOf(value)
  if (number === null || !Number.isFinite(number) || isPlaceholder(number))
    throw new UpstreamError(
      'bad_value',
      `The source returned ${typeof value === 'number' ? value : JSON.stringify(value)}. Expected a number.`,
    )
  return number
}
