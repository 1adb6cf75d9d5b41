import { ValidationError, type Violation } from '../../model/error.ts'
import { splitNames } from '../../model/text.ts'
import { createLiteralViolation, createViolation } from './violations.ts'

type PagingOptions = { limitMax: number; limitDefault: number; isCursor: (text: string) => boolean }

/**
 * Returns the `limit` and `cursor` of a query; the cursor is null for the first page.
 * @throws ValidationError with all violations, including `otherViolations`.
 */
export function parsePaging(
  query: URLSearchParams,
  { limitMax, limitDefault, isCursor }: PagingOptions,
  otherViolations: Violation[] = [],
): { limit: number; cursor: string | null } {
  const limit = query.get('limit') ?? String(limitDefault)
  const cursor = query.get('cursor')
  const violations = [
    ...limitViolations(limit, limitMax),
    ...(cursor === null || isCursor(cursor)
      ? []
      : [createViolation('value_error', ['query', 'cursor'], 'Input should be the next_cursor of a page', cursor)]),
    ...otherViolations,
  ]
  if (violations.length > 0) throw new ValidationError(violations)
  return { limit: Number(limit), cursor }
}

function limitViolations(limit: string, limitMax: number): Violation[] {
  const loc = ['query', 'limit']
  if (!/^-?(?:0|[1-9]\d*)$/.test(limit))
    return [createViolation('int_parsing', loc, `Input should be a whole number from 1 to ${limitMax}`, limit)]
  if (Number(limit) < 1)
    return [createViolation('greater_than_equal', loc, 'Input should be greater than or equal to 1', limit)]
  if (Number(limit) > limitMax)
    return [createViolation('less_than_equal', loc, `Input should be less than or equal to ${limitMax}`, limit)]
  return []
}

/** Returns a query parameter that is `true` or `false`, by default false. */
export function parseBoolean(query: URLSearchParams, name: string): boolean {
  const violations = literalViolations(query, name, ['true', 'false'])
  if (violations.length > 0) throw new ValidationError(violations)
  return query.get(name) === 'true'
}

/** Returns the violation of a query parameter that is none of the allowed values, if it is given. */
export function literalViolations(query: URLSearchParams, name: string, allowed: readonly string[]): Violation[] {
  const value = query.get(name)
  return value === null || allowed.includes(value) ? [] : [createLiteralViolation(['query', name], allowed, value)]
}

/** Returns the violation of each name of a list that is none of the allowed values. A repeated list adds up. */
export function listViolations(query: URLSearchParams, name: string, allowed: readonly string[]): Violation[] {
  return query
    .getAll(name)
    .flatMap(splitNames)
    .filter((value) => !allowed.includes(value))
    .map((value) => createLiteralViolation(['query', name], allowed, value))
}
