import { Type } from '@sinclair/typebox'
import type { ErrorDetail } from './error.ts'

/** The schema of the error object. It is not in error.ts, so that no worker thread bundles TypeBox for its errors. */
export const ErrorDetailSchema = Type.Unsafe<ErrorDetail>(
  Type.Object(
    {
      error: Type.String({ description: 'The error code, for programs.' }),
      message: Type.String({ description: 'What is wrong and what to do.' }),
      retryable: Type.Boolean({
        description: 'Whether the same request can succeed later. Retry-After says when.',
      }),
      documentation_url: Type.String({ description: 'The path of the guide section about this code, on this server.' }),
    },
    { additionalProperties: true, description: 'Some codes have additional members.' },
  ),
)
