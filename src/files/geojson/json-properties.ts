import { isRecord } from '../../model/record.ts'
import type { Properties, Value } from '../../model/source.ts'

/** `JSON.parse` and `JSON.rawJSON` with the source text of numbers (ECMA-262), which the types do not have yet. */
const json = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): object
  isRawJSON?(value: unknown): value is { rawJSON: string }
}

/** Numbers that JSON.parse may change: long ones, zeros at the end of decimals, exponents, and minus zero. */
const changedNumber = /\d{16}|\.\d*0(?!\d)|\d[eE]|-0(?![.\d])/
const depthMax = 8

/**
 * The attributes of a record or a feature for a table: each number keeps its text, and the members of a member become
 * `member.name`. A geometry, a list and an empty object are JSON text. The id of a feature is the first attribute.
 */
export function tablePropertiesOf(text: string, record: Record<string, unknown>): Properties {
  const exact = changedNumber.test(text) ? (json.parse(text, keepNumberText) as Record<string, unknown>) : record
  const properties: Properties = {}
  addMembers(exact.type === 'Feature' ? withFeatureId(exact) : exact, '', properties)
  return properties
}

/** The properties of a GeoJSON feature, with its id. A property `id` with another value stays beside it. */
export function withFeatureId({ id, properties }: Record<string, unknown>): Properties {
  const own = isRecord(properties) ? (properties as Properties) : {}
  if (id === undefined || id === null || ('id' in own && textOf(own.id) === textOf(id))) return own
  return { ['id' in own ? 'feature_id' : 'id']: id as Value, ...own }
}

function keepNumberText(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value
}

/** Browsers that do not know the source text of numbers keep the numbers. */
function isNumberText(value: unknown): value is { rawJSON: string } {
  return json.isRawJSON?.(value) === true
}

function addMembers(record: Record<string, unknown>, prefix: string, properties: Properties, depth = 0): void {
  for (const key in record) {
    const value = record[key]
    if (isTable(value) && depth < depthMax) addMembers(value, `${prefix}${key}.`, properties, depth + 1)
    else properties[freeName(`${prefix}${key}`, properties)] = valueOf(value)
  }
}

/** Whether the members of a value become columns. */
function isTable(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value) || isNumberText(value) || Object.keys(value).length === 0) return false
  return !(typeof value.type === 'string' && ('coordinates' in value || 'geometries' in value || 'geometry' in value))
}

function freeName(name: string, properties: Properties): string {
  return Object.hasOwn(properties, name) ? freeName(`${name}_2`, properties) : name
}

function valueOf(value: unknown): Value {
  return typeof value === 'object' && value !== null ? textOf(value) : (value as Value)
}

function textOf(value: unknown): string {
  return isNumberText(value) ? value.rawJSON : typeof value === 'string' ? value : JSON.stringify(value)
}
