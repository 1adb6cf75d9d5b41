import { ValueErrorType, type ValueError } from '@sinclair/typebox/errors'
import type { TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import type { Violation } from '../model/error.ts'
import { skippedList, skippedObject } from '../async/described-json.ts'

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
  for (const violation of ruleViolations) found.set(JSON.stringify(violation.loc), violation)
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

/** Creates a violation and truncates its input. */
export function createViolation(type: string, loc: (string | number)[], msg: string, input: unknown): Violation {
  return { type, loc, msg, input: truncateInput(input) }
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

function violationOf({ type, path, value, schema }: ValueError, body: unknown): Violation {
  const loc = ['body', ...path.split('/').slice(1).map(locSegmentOf)]
  const [name, msg] = messageOf(type, value, schema)
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
      return ['literal_error', `Input should be ${schema.const}`]
    default:
      return ['value_error', ruleOf(type, schema) ?? 'Input is not allowed here']
  }
}

/** What the schema allows, for rules that have no type of their own. */
function ruleOf(type: ValueErrorType, schema: TSchema): string | null {
  switch (type) {
    case ValueErrorType.NumberExclusiveMinimum:
      return `Input should be greater than ${schema.exclusiveMinimum}`
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.IntegerMinimum:
      return `Input should be ${schema.minimum} or more`
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.IntegerMaximum:
      return `Input should be ${schema.maximum} or less`
    case ValueErrorType.StringPattern:
      return `String should match ${schema.pattern}${schema.description === undefined ? '' : `. ${schema.description}`}`
    case ValueErrorType.Union:
      return namesOfUnion(schema)
    default:
      return null
  }
}

/** The values of a union of literals. */
function namesOfUnion({ anyOf }: TSchema): string | null {
  const values = (anyOf as TSchema[]).map((it) => it.const as unknown)
  if (!values.every((value) => typeof value === 'string')) return null
  return `Input should be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(values.map((it) => `'${it}'`))}`
}

/** Decodes a segment of a JSON pointer. A list index becomes a number. */
function locSegmentOf(step: string): string | number {
  return /^\d{1,9}$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function truncateInput(input: unknown): unknown {
  if (typeof input === 'number' && !Number.isFinite(input)) return String(input)
  if (typeof input === 'string') return input.slice(0, inputMax_characters)
  if (typeof input !== 'object' || input === null) return input ?? null
  return input !== skippedList && input !== skippedObject && charactersLeft(input, inputMax_characters) >= 0
    ? input
    : null
}

/** Returns what remains of the characters after a value as JSON; negative as soon as they are used up. */
function charactersLeft(value: unknown, characters: number): number {
  if (typeof value === 'string' && value.length > characters) return -1
  if (typeof value !== 'object' || value === null) return characters - (JSON.stringify(value)?.length ?? 0)
  const names = Array.isArray(value) ? value.keys() : Object.keys(value).values()
  let left = characters - 1
  for (const name of names) {
    if (typeof name === 'string') left -= JSON.stringify(name).length + 1
    left = charactersLeft((value as Record<string, unknown>)[name], left) - 1
    if (left < 0) return left
  }
  return left
}
