import { ValueErrorType, type ValueError } from '@sinclair/typebox/errors'
import type { TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import { ValidationError, type Violation } from '../../model/error.ts'
import { skippedList, skippedObject } from '../../async/described-json.ts'

const violationsMax = 100
const inputMax_characters = 256

/** Returns the violations of a body in Pydantic v2 types, one per `loc`. `ruleViolations` take precedence. */
export function violationsOf(validator: TypeCheck<TSchema>, body: unknown, ruleViolations: Violation[]): Violation[] {
  const found = new Map<string, Violation>()
  for (const error of validator.Errors(body)) {
    if (found.size >= violationsMax) break
    const violation = violationOf(error, body)
    const key = JSON.stringify(violation.loc)
    if (!found.has(key)) found.set(key, violation)
  }
  for (const { type, loc, msg, input } of ruleViolations)
    found.set(JSON.stringify(loc), createViolation(type, loc, msg, input))
  return [...found.values()].slice(0, violationsMax)
}

/** Returns the violations of the items of a list, not more than a response has. */
export function itemViolations<T>(list: T[], violationsOfItem: (item: T, index: number) => Violation[]): Violation[] {
  const found: Violation[] = []
  for (const [i, item] of list.entries()) {
    if (found.length >= violationsMax) break
    found.push(...violationsOfItem(item, i))
  }
  return found
}

/** Returns a ValidationError that was thrown after the check of a body with the input of each violation. */
export function withInputs(error: unknown, body: unknown): unknown {
  if (!(error instanceof ValidationError)) return error
  return new ValidationError(
    error.violations.map(({ type, loc, msg, input }) =>
      createViolation(type, loc, msg, input === null && loc[0] === 'body' ? valueAt(body, loc.slice(1)) : input),
    ),
  )
}

function valueAt(value: unknown, [name, ...rest]: (string | number)[]): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return value
  return valueAt((value as Record<string, unknown>)[name], rest)
}

/** Returns the violation of an `include` where it would have no effect. */
export function includeViolations(
  { include }: Record<string, unknown>,
  loc: (string | number)[],
  advice: string,
): Violation[] {
  if (include === undefined || include === null) return []
  return [createViolation('extra_forbidden', [...loc, 'include'], `\`include\` has no effect here. ${advice}`, include)]
}

/** Creates a violation and truncates its input. */
export function createViolation(type: string, loc: (string | number)[], msg: string, input: unknown): Violation {
  return { type, loc, msg, input: truncateInput(input) }
}

/** Creates the error of a request with one violation. */
export function createViolationError(...violation: Parameters<typeof createViolation>): ValidationError {
  return new ValidationError([createViolation(...violation)])
}

/** Creates the violation of a value that is none of the allowed ones. */
export function createLiteralViolation(
  loc: (string | number)[],
  allowed: readonly string[],
  input: unknown,
): Violation {
  return createViolation('literal_error', loc, literalMessage(allowed), input)
}

function literalMessage(allowed: readonly string[]): string {
  return `Input should be ${choices.format(allowed.map((it) => `'${it}'`))}`
}

const choices = new Intl.ListFormat('en', { type: 'disjunction' })

function violationOf(error: ValueError, body: unknown): Violation {
  const { type, path, value, schema } = error
  const loc = ['body', ...path.split('/').slice(1).map(locSegmentOf)]
  const [name, msg] = type === ValueErrorType.Union ? unionMessageOf(error) : messageOf(type, value, schema)
  return createViolation(name, loc, msg, name === 'missing' ? body : value)
}

function messageOf(type: ValueErrorType, value: unknown, schema: TSchema): [type: string, msg: string] {
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return ['missing', 'Field required']
    case ValueErrorType.Number:
      return typeof value === 'number'
        ? ['finite_number', 'Input should be a finite number']
        : ['float_parsing', 'Input should be a valid number']
    case ValueErrorType.Integer:
      return ['int_parsing', 'Input should be a valid integer']
    case ValueErrorType.Boolean:
      return ['bool_parsing', 'Input should be a valid boolean']
    case ValueErrorType.String:
      return ['string_type', 'Input should be a valid string']
    case ValueErrorType.StringMinLength:
      return ['string_too_short', `String should have at least ${schema.minLength} characters`]
    case ValueErrorType.StringMaxLength:
      return ['string_too_long', `String should have at most ${schema.maxLength} characters`]
    case ValueErrorType.Array:
      return ['list_type', 'Input should be a valid list']
    case ValueErrorType.ArrayMinItems:
      return ['too_short', `List should have at least ${schema.minItems} item${schema.minItems === 1 ? '' : 's'}`]
    case ValueErrorType.ArrayMaxItems:
      return ['too_long', `List should have at most ${schema.maxItems} items, not more`]
    case ValueErrorType.Object:
      return ['model_type', 'Input should be an object']
    case ValueErrorType.Literal:
      return ['literal_error', literalMessage([String(schema.const)])]
    case ValueErrorType.NumberExclusiveMinimum:
      return ['greater_than', `Input should be greater than ${schema.exclusiveMinimum}`]
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.IntegerMinimum:
      return ['greater_than_equal', `Input should be greater than or equal to ${schema.minimum}`]
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.IntegerMaximum:
      return ['less_than_equal', `Input should be less than or equal to ${schema.maximum}`]
    case ValueErrorType.StringPattern:
      return [
        'string_pattern_mismatch',
        `String should match ${schema.pattern}${schema.description === undefined ? '' : `. ${schema.description}`}`,
      ]
    default:
      return ['value_error', 'Input is not allowed here']
  }
}

/** The names of a union of names; of another union, what is wrong with the alternative of the value's own type. */
function unionMessageOf({ schema, value, errors }: ValueError): [type: string, msg: string] {
  const alternatives = schema.anyOf as TSchema[]
  const names = alternatives.map((it) => it.const as unknown)
  if (names.every((name) => typeof name === 'string')) return ['literal_error', literalMessage(names)]
  const found = alternatives.findIndex(
    ({ type }) => type === typeof value || (type === 'integer' && typeof value === 'number'),
  )
  const error = found < 0 ? undefined : errors[found]?.First()
  return error ? messageOf(error.type, error.value, error.schema) : ['value_error', 'Input is not allowed here']
}

/** Decodes a segment of a JSON pointer. A list index becomes a number. */
function locSegmentOf(step: string): string | number {
  return /^\d{1,9}$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Returns an input; the start of a long text, and of the JSON of a large list or object. */
function truncateInput(input: unknown): unknown {
  if (typeof input === 'number' && !Number.isFinite(input)) return String(input)
  if (typeof input === 'string') return input.slice(0, inputMax_characters)
  if (typeof input !== 'object' || input === null) return input ?? null
  if (input === skippedList) return '[…'
  if (input === skippedObject) return '{…'
  const text = startOfJson(input, inputMax_characters)
  return text.length > inputMax_characters ? `${text.slice(0, inputMax_characters)}…` : input
}

/** Returns the JSON of a value, at least its first characters; what follows them is not read. */
function startOfJson(value: unknown, characters: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, characters))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const isList = Array.isArray(value)
  let text = isList ? '[' : '{'
  for (const name of isList ? value.keys() : Object.keys(value).values()) {
    if (text.length > characters) return text
    if (text.length > 1) text += ','
    if (typeof name === 'string') text += `${JSON.stringify(name)}:`
    text += startOfJson((value as Record<string, unknown>)[name], characters - text.length + 1)
  }
  return text + (isList ? ']' : '}')
}
