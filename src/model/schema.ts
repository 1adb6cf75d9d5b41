import { Type, type TUnsafe } from '@sinclair/typebox'
import { apiCodes, type ApiCode, type ErrorDetail } from './error.ts'

type Description = { description?: string }
type JsonTypes = { string: string; integer: number; number: number; boolean: boolean }

/** Returns the schema of a value of one of the JSON types, or null. */
export function nullable<T extends keyof JsonTypes>(
  types: T | readonly T[],
  options: Description & { format?: string } = {},
): TUnsafe<JsonTypes[T] | null> {
  return Type.Unsafe({ type: [...(typeof types === 'string' ? [types] : types), 'null'], ...options })
}

/** Returns the schema of a text that is one of `values`. */
export function literals<const T extends string>(values: readonly T[], options: Description = {}): TUnsafe<T> {
  return Type.Unsafe<T>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      options,
    ),
  )
}

/** A time, such as 2026-11-21T10:00:00.000+00:00. */
export const Time = Type.String({ format: 'date-time', description: 'UTC with an offset.' })
export const NullableTime = nullable('string', { format: 'date-time' })

/** The schema of the code of an error. */
export const ErrorCode = Type.Unsafe<ApiCode>({
  type: 'string',
  enum: Object.keys(apiCodes),
  description: 'The error code, for programs.',
})

/** The schema of the error object. It is not in error.ts, so that no worker thread bundles TypeBox for its errors. */
export const ErrorDetailSchema = Type.Unsafe<ErrorDetail>(
  Type.Object(
    {
      error: ErrorCode,
      message: Type.String({ description: 'What is wrong and what to do.' }),
      retryable: Type.Boolean({
        description: 'Whether the same request can succeed later. Retry-After says when.',
      }),
      documentation_url: Type.String({ description: 'The path of the guide section about this code, on this server.' }),
    },
    { additionalProperties: true, description: 'Some codes have additional members.' },
  ),
)
