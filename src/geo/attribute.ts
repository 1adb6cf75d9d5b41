import type { Properties, Value } from '../model/source.ts'

/** An attribute by its name: the exact name first, else ignoring case after the last dot; `undefined` when there is no such attribute. */
export function attributeOf(properties: Properties, name: string): Value | undefined {
  if (Object.hasOwn(properties, name)) return properties[name]
  const wanted = normalizeAttributeName(name)
  const key = Object.keys(properties).find((key) => normalizeAttributeName(key) === wanted)
  return key === undefined ? undefined : properties[key]
}

/** A name without its table, in lower case: what attributes are known by, however a publisher writes them. */
export function normalizeAttributeName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

/** The number that a value is, or that it reads as when it is text; `null` when it is neither. */
export function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !decimalPattern.test(value)) return null
  return Number(value)
}

/** Below 0, 0 or above 0 as `a` comes before, with or after `b`: as numbers where both read as numbers, else as text. NaN when they do not compare. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return NaN
  if (typeof a === 'string' && typeof b === 'string' && !(decimalPattern.test(a) && decimalPattern.test(b)))
    return a < b ? -1 : a > b ? 1 : 0
  const [x, y] = [asNumber(a), asNumber(b)]
  return x === null || y === null ? NaN : x - y
}

/** No two parts can take the same digits: a long text that is no number is given up in one pass. */
const decimalPattern = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i

function asNumber(value: Value): number | null {
  return typeof value === 'boolean' ? Number(value) : numberOf(value)
}
